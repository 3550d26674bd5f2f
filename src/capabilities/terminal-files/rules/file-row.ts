import type { Cents } from '../../../domain/money.js';
import type { FileRecord } from '../../../platform/files/rules/csv.js';
import { readFileAmount } from '../../../platform/files/rules/file-amount.js';
import { readFileTime } from './file-time.js';
import { isTotalWord } from './row-words.js';
import type { FileRow, Mapping, RowKind } from './terminal-file.js';

/** The longest reference, in characters: that of a key (L8). */
const MAX_REFERENCE = 255;
/** What is shown of a cell that cannot be read, in characters. */
const SHOWN = 60;
/** The most lines with totals that follow the rows. */
const MOST_TOTALS = 10;

/** What the rows of a file are read with. */
export interface RowRules {
  readonly columns: readonly string[];
  readonly mapping: Mapping;
  /** of the restaurant (R46); null: not set */
  readonly currency: string | null;
}

/** Reads the rows of a file. Lines after the last row that cannot be compared, such as totals, are IGNORED (J6). */
export async function* readFileRows(records: AsyncIterable<FileRecord>, rules: RowRules): AsyncGenerator<FileRow> {
  let held: FileRow[] = [];
  let hasDates = false;
  for await (const record of records) {
    const row = readFileRow(record, rules);
    hasDates ||= row.at !== null;
    if (hasDates && isBare(row, record, rules) && held.length < MOST_TOTALS) held.push(row);
    else {
      if (held.length > 0) yield* held;
      held = [];
      yield row;
    }
  }
  for (const row of held) yield { ...row, kind: 'IGNORED', problem: null };
}

/** Whether a row cannot be compared: it is unreadable and has no date, and either no reference and no authorisation, or no amount. */
function isBare({ problem, at, reference, authorisation }: FileRow, { cells }: FileRecord, rules: RowRules): boolean {
  if (problem === null || at !== null) return false;
  const [hasDate, hasAmount] = [rules.mapping.date, rules.mapping.amount].map((place) => (cells[place] ?? '') !== '');
  return reference === null && authorisation === null ? !hasDate || !hasAmount : !hasDate && !hasAmount;
}

/** Reads a row (J6, J7). A row that cannot be read says why, with what was read of it. */
export function readFileRow({ line, cells }: FileRecord, rules: RowRules): FileRow {
  const { columns, mapping } = rules;
  const cell = (place: number | null) => (place === null ? '' : (cells[place] ?? ''));
  const named = (place: number | null) => columns[place ?? -1] || `column ${(place ?? 0) + 1}`;
  const problems: string[] = [];
  const complain = (place: number | null, what: string) => {
    const text = cell(place);
    problems.push(`${named(place)}: ${text === '' ? 'is empty' : `"${text.slice(0, SHOWN).toWellFormed()}" ${what}`}`);
  };

  const said = kindOf(cell(mapping.kind), mapping);
  if (said === undefined) complain(mapping.kind, 'is no value that the mapping names');
  const isDone = isDoneOf(cell(mapping.status), mapping);
  if (isDone === undefined) complain(mapping.status, 'is no status that the mapping names');

  let amount: Cents | null = null;
  const place = mapping.debit !== null && cell(mapping.amount) === '' ? mapping.debit : mapping.amount;
  // a fee has neither
  const isNothing = place === mapping.debit && cell(place) === '';
  const read = isNothing ? 0n : readFileAmount(cell(place), mapping.decimal);
  if (typeof read === 'string') complain(place, read);
  else amount = place === mapping.debit && place !== mapping.amount && read > 0n ? -read : read;

  const time = readFileTime(cell(mapping.date), cell(mapping.time) || null, mapping.dateOrder, mapping.zone);
  if (!time)
    complain(
      mapping.date,
      mapping.time === null ? 'is no date' : `with "${cell(mapping.time).slice(0, SHOWN)}" is no date and time`,
    );

  const { reference, authorisation, date, kind } = mapping;
  const isTotal = !time && [reference, authorisation, date, kind].some((at) => isTotalWord(cell(at)));
  const isIgnored = said === 'IGNORED' || isDone === false || isTotal;

  const currency = cell(mapping.currency).toUpperCase();
  if (currency !== '' && rules.currency !== null && currency !== rules.currency)
    problems.push(`${named(mapping.currency)}: is ${currency.slice(0, SHOWN)}, the restaurant has ${rules.currency}`);
  if (cell(mapping.reference).length > MAX_REFERENCE)
    complain(mapping.reference, `has more than ${MAX_REFERENCE} characters`);

  const text = (at: number | null) => cell(at) || null;
  return {
    line,
    problem: isIgnored || problems.length === 0 ? null : problems.join('; '),
    reference: text(mapping.reference),
    authorisation: text(mapping.authorisation),
    terminal: text(mapping.terminal),
    instalment: text(mapping.instalment),
    cents: amount === null ? null : amount < 0n ? -amount : amount,
    kind: isIgnored ? 'IGNORED' : amount === null || said === undefined ? null : rowKind(said, amount),
    at: time?.at ?? null,
    isDateOnly: time?.isDateOnly ?? false,
    tender: text(mapping.tender),
  };
}

/** What the column `kind` says; null: nothing; undefined: a value that the mapping does not name. */
function kindOf(value: string, { kind, kinds }: Mapping): RowKind | null | undefined {
  if (kind === null) return null;
  const short = value.slice(0, 100).toLowerCase();
  return short === '' ? null : kinds.find((one) => one.value.toLowerCase() === short)?.kind;
}

/** Whether the payment came about, by the column `status`; null: it says nothing; undefined: a value that the mapping does not name. */
function isDoneOf(value: string, { status, statuses }: Mapping): boolean | null | undefined {
  if (status === null) return null;
  const short = value.slice(0, 100).toLowerCase();
  return short === '' ? null : statuses.find((one) => one.value.toLowerCase() === short)?.counts;
}

/** A sale below zero is a refund, and an amount of zero is nothing (J6). */
function rowKind(said: RowKind | null, amount: Cents): RowKind {
  if (amount === 0n) return 'IGNORED';
  if (said === null || said === 'SALE') return amount < 0n ? 'REFUND' : 'SALE';
  return said;
}
