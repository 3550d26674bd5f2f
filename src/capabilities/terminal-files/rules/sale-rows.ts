import type { Cents } from '../../../domain/money.js';
import type { MatchRow, MatchSale } from './match-rows.js';
import { isAmountOf } from './near-sales.js';
import type { Answer } from './terminal-file.js';

/** What is left of a sale for further rows. */
export function roomOf(sale: MatchSale, rows: readonly MatchRow[]): Cents {
  return mostOf(sale) - (sale.taken?.cents ?? 0n) - sumOf(rows);
}

/** Whether rows are the sale: they add up to what was paid, with those of other files, or each is one payment of it (J10). */
export function fits(sale: MatchSale, rows: readonly MatchRow[]): boolean {
  // of the rows that have it already only the sum is known
  return isWhole(sale, (sale.taken?.cents ?? 0n) + sumOf(rows)) || (sale.taken === null && areTenders(sale, rows));
}

/**
 * The answers to the rows of one sale (J10). A bill on several cards, and a sale in instalments, has several. If they do not fit, rows that are equal to
 * one before are DUPLICATE; if the rest does not fit either, one of them says so.
 */
export function answersOfSale(sale: MatchSale, rows: readonly MatchRow[]): ReadonlyMap<MatchRow, Answer> {
  const answers = new Map<MatchRow, Answer>(rows.map((row) => [row, 'MATCHED']));
  if (fits(sale, rows)) return answers;
  // they count in the other file, or stood before in this one
  if (sale.taken !== null) {
    const answer = sale.taken.fileId === null ? 'DUPLICATE' : 'REPEATED';
    return new Map(rows.map((row) => [row, answer]));
  }
  const seen = new Set<string>();
  const equal = rows.filter((row) => {
    const isEqual = seen.has(samenessOf(row));
    seen.add(samenessOf(row));
    return isEqual;
  });
  let sum = sumOf(rows);
  let left = rows.length;
  for (const row of equal.toReversed()) {
    answers.set(row, 'DUPLICATE');
    sum -= row.cents ?? 0n;
    left--;
    if (isWhole(sale, sum)) return answers;
    // more rows than payments cannot be one each
    if (left <= sale.otherCents.length && areTenders(sale, matchedOf(answers))) return answers;
  }
  // instalments of one of its payments
  if (isAmountOf(sale, sum)) return answers;
  const rest = matchedOf(answers);
  const differing = rest.find(({ cents }) => !isAmountOf(sale, cents)) ?? rest.at(-1);
  if (differing) answers.set(differing, 'AMOUNT_DIFFERS');
  return answers;
}

/** By what rows of one sale are the same payment. */
function samenessOf({ cents, authorisation, instalment }: MatchRow): string {
  return [cents, authorisation, instalment].join('|');
}

function matchedOf(answers: ReadonlyMap<MatchRow, Answer>): MatchRow[] {
  return [...answers].flatMap(([row, answer]) => (answer === 'MATCHED' ? row : []));
}

/** Whether it is what was paid, with cash or without. */
function isWhole(sale: MatchSale, sum: Cents): boolean {
  return sum === sale.cents || sum === mostOf(sale);
}

/** Whether each row is another payment of the sale, and all of them no more than was paid. */
function areTenders(sale: MatchSale, rows: readonly MatchRow[]): boolean {
  if (rows.length > sale.otherCents.length || roomOf(sale, rows) < 0n) return false;
  const left = [...sale.otherCents];
  return rows.every(({ cents }) => {
    const place = cents === null ? -1 : left.indexOf(cents);
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}

function mostOf({ cents, otherCents }: MatchSale): Cents {
  let most = cents;
  for (const other of otherCents) if (other > most) most = other;
  return most;
}

function sumOf(rows: readonly MatchRow[]): Cents {
  return rows.reduce((sum, { cents }) => sum + (cents ?? 0n), 0n);
}
