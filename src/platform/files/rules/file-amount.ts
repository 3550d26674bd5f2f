import { type Cents, isWithinLimit, TOO_LARGE } from '../../../domain/money.js';
import type { DecimalSign } from './csv.js';

/** Signs, codes and words of currencies that may stand beside an amount. */
const CURRENCY = /(?:[A-Z]{0,3}\p{Sc}|(?<!\p{L})(?:[A-Z]{3}|S\/)(?!\p{L}))\.?/gu;
const CURRENCY_WORDS =
  /(?<!\p{L})(?:kr|rs|eur|euros?|brl|reais|real|usd|dollars?|pesos?|gbp|pounds?|chf|sfr|fr|francs?|franken|kč|zł|ft|lei)(?!\p{L})\.?/giu;
/** What groups digits besides `.` and `,`: blanks, thin and narrow ones too, and apostrophes. */
const GROUPS = /(?<=\d)[\s'’`´](?=\d{3}(?!\d))/g;
const MINUS = /[\u2212\u2013\u2014\uff0d]/g;
/** What stands before the digits; the digits; what stands after them. After a letter a point is no decimal sign: Rs.500 */
const AMOUNT = /^(\D*?)((?:(?<!\p{L})[.,])?\d(?:.*\d)?)(\D*)$/su;
/** A decimal sign, with a dash in place of cents that are none. */
const WHOLE = /^([.,])(-{0,2})/;

/** An amount as a file writes it: its digits with separators, and whether it is below zero. */
interface Written {
  readonly digits: string;
  readonly isNegative: boolean;
}

/** Takes signs and currency off; undefined when no amount is left. */
function written(text: string): Written | undefined {
  const [, before, inner = '', after = ''] = AMOUNT.exec(text.replaceAll(MINUS, '-').trim()) ?? [];
  if (before === undefined) return undefined;
  const [ending = '', decimal = '', dash] = WHOLE.exec(after) ?? [];
  const signs = [before, after.slice(ending.length)].map(withoutCurrency);
  const digits = `${inner.replaceAll(GROUPS, '')}${decimal}${dash ? '00' : ''}`;
  if (!/^[\d.,]+$/.test(digits)) return undefined;
  // brackets and a sign would be a double negation
  if (!['', '-', '+', '(|)'].includes(signs.join('|').replace(/^\||(?<=[+-])\|$/g, ''))) return undefined;
  return { digits, isNegative: /[-(]/.test(signs.join('')) };
}

function withoutCurrency(text: string): string {
  return text.replaceAll(CURRENCY, '').replaceAll(CURRENCY_WORDS, '').replaceAll(/\s/g, '');
}

/**
 * The decimal sign that digits have by themselves (J7): of both signs the last; one that stands twice groups digits; one with one or two
 * digits after it, or after a zero, is the decimal sign. Null: either would do, or there is none.
 */
function ownDecimal(digits: string): DecimalSign | null {
  const [points, commas] = [digits.split('.').length - 1, digits.split(',').length - 1];
  if (points > 0 && commas > 0) return digits.lastIndexOf('.') > digits.lastIndexOf(',') ? 'point' : 'comma';
  if (points + commas === 0) return null;
  if (points > 1) return 'comma';
  if (commas > 1) return 'point';
  const place = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (digits.length - 1 - place === 3 && !isZero(digits.slice(0, place))) return null;
  return points === 1 ? 'point' : 'comma';
}

/** The decimal sign of a column (J7): what most of its amounts say; null: none of them says anything. */
export function guessDecimal(values: Iterable<string>): DecimalSign | null {
  let [points, commas] = [0, 0];
  for (const value of values) {
    const own = ownDecimal(written(value)?.digits ?? '');
    if (own === 'point') points++;
    if (own === 'comma') commas++;
  }
  return points === commas ? null : points > commas ? 'point' : 'comma';
}

/** Whether a text could be an amount. */
export function isAmountText(text: string): boolean {
  return written(text) !== undefined;
}

/**
 * Reads an amount exactly (J7).
 * @param decimal decides what the text alone leaves open
 * @returns cents, below zero with a minus or in brackets; or why it cannot be read
 */
export function readFileAmount(text: string, decimal: DecimalSign): Cents | string {
  const amount = written(text);
  if (!amount) return 'is no amount';
  const sign = (ownDecimal(amount.digits) ?? decimal) === 'point' ? '.' : ',';
  const [whole = '', fraction = '', ...more] = amount.digits.split(sign);
  const group = sign === '.' ? ',' : '.';
  if (more.length > 0 || fraction.includes(group) || !isGrouped(whole, group))
    return 'is no amount: its separators contradict each other';
  if (/[1-9]/.test(fraction.slice(2)))
    return `has more than two decimals; if ${sign} groups thousands, choose the other decimal sign`;
  const cents = BigInt(whole.replaceAll(group, '') || '0') * 100n + BigInt(fraction.slice(0, 2).padEnd(2, '0'));
  if (!isWithinLimit(cents)) return TOO_LARGE;
  return amount.isNegative ? -cents : cents;
}

function isGrouped(whole: string, group: string): boolean {
  const [first = '', ...groups] = whole.split(group);
  if (groups.length === 0) return true;
  if (first.length === 0 || first.length > 3 || isZero(first) || groups.at(-1)?.length !== 3) return false;
  const others = groups.slice(0, -1).map((digits) => digits.length);
  // in India all but the last group have two: 1,23,456.00
  return others.every((length) => length === 3) || (first.length <= 2 && others.every((length) => length === 2));
}

/** No group follows a zero. */
function isZero(digits: string): boolean {
  return /^0+$/.test(digits);
}
