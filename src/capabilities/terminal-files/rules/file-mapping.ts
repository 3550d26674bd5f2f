import type { Delimiter, FileRecord } from '../../../platform/files/rules/csv.js';
import { guessDecimal, isAmountText } from '../../../platform/files/rules/file-amount.js';
import { mostFrequent } from '../../../platform/files/rules/file-text.js';
import { isGross } from './column-names.js';
import { columnOf, guessPlaces, layoutPlaces, type Places, zoneOf } from './column-places.js';
import { guessDateOrder, isDateText } from './file-time.js';
import { isColumnName, presetOf } from './file-words.js';
import { LAYOUTS, type Layout } from './presets.js';
import { guessKind, guessStatus } from './row-words.js';
import type { Mapping, Preset } from './terminal-file.js';

/** The most values of the columns `kind` and `status` (L91). */
const MAX_KINDS = 50;
/**
 * Finds the record with the names of the columns among the first ones (J4).
 * @returns its place; -1: there is none
 */
export function findHeader(records: readonly FileRecord[]): number {
  const filled = (cells: readonly string[]) => cells.filter((cell) => cell !== '');
  const scores = records.map(({ cells }) => filled(cells).filter(isColumnName).length);
  const best = Math.max(0, ...scores);
  if (best >= 2 || (best === 1 && records.length > 1)) {
    const place = scores.indexOf(best);
    if (filled(records[place]?.cells ?? []).length >= 2) return place;
  }
  const width = mostFrequent(records.map(({ cells }) => filled(cells).length));
  return records.findIndex(
    ({ cells }) =>
      filled(cells).length >= Math.max(2, width) &&
      !filled(cells).some((cell) => isAmountText(cell) || isDateText(cell)),
  );
}

/** An amount, rather than a number. */
const WITH_CENTS = /\d[.,](?:\d{2}|-)(?!\d)/;

/** What a mapping is guessed from. */
export interface GuessedFrom {
  readonly columns: readonly string[];
  readonly records: readonly FileRecord[];
  readonly delimiter: Delimiter;
  /** the clock of the restaurant */
  readonly zone: string;
}

/** Guesses how a file is read (J5): by its layout, if that is known, and by the names and values of its columns. The surest guess comes first. */
export function guessMappings(from: GuessedFrom): readonly [Mapping, ...Mapping[]] {
  const { columns, records } = from;
  const preset = presetOf(columns);
  const guessed = mappingOf(guessPlaces(columns, records), from, preset);
  return preset ? [mappingOf(layoutPlaces(LAYOUTS[preset], columns, records), from, preset), guessed] : [guessed];
}

function mappingOf(places: Places, { columns, records, delimiter, zone }: GuessedFrom, preset: Preset | null): Mapping {
  const layout: Partial<Layout> = preset ? LAYOUTS[preset] : {};
  const { amount, debit, date, kind } = places;
  const values = (...of: (number | null)[]) =>
    records.flatMap(({ cells }) => of.flatMap((place) => (place === null ? [] : [cells[place] ?? ''])));
  const kinds = kind === null ? [] : distinct(values(kind));
  const { known: statuses, unknown } = statusesOf(
    places.status === null ? [] : distinct(values(places.status)),
    preset,
  );
  const dated = date ?? columnOf(records, isDateText, places) ?? 0;
  const hasGross = columns.flatMap((name, place) => (isGross(name) ? place : []));
  const paid =
    amount ??
    columnOf(records, (cell) => WITH_CENTS.test(cell) && isAmountText(cell), places, hasGross) ??
    columnOf(records, isAmountText, places) ??
    0;
  return {
    ...places,
    // of many different values it is no kind
    ...(kinds.length > MAX_KINDS && { kind: null }),
    amount: paid,
    date: dated,
    decimal: layout.decimal ?? guessDecimal(values(paid, debit)) ?? (delimiter === ';' ? 'comma' : 'point'),
    dateOrder: layout.dateOrder ?? guessDateOrder(values(dated)) ?? 'DMY',
    zone: zoneOf(columns, records, [dated, places.time]) ?? layout.zone ?? zone,
    kinds: kinds.length > MAX_KINDS ? [] : kindsOf(kinds, preset).known,
    // without a word that is known it is none of payments
    ...((statuses.length === 0 || statuses.length + unknown.length > MAX_KINDS) && { status: null }),
    statuses: statuses.length + unknown.length > MAX_KINDS ? [] : statuses,
  };
}

/** The values of a column, with what they mean. The relay asks for the meaning of unknown ones (J5). */
export interface Meanings<Meaning> {
  readonly known: Meaning[];
  readonly unknown: string[];
}

/** @param said what a mapping says of them: it counts before the words */
export function kindsOf(
  values: readonly string[],
  preset: Preset | null,
  said: Mapping['kinds'] = [],
): Meanings<Mapping['kinds'][number]> {
  return meaningsOf(values, (value) => {
    const kind = said.find((one) => isSame(one.value, value))?.kind ?? guessKind(value, layoutOf(preset));
    return kind && { value, kind };
  });
}

/** As {@link kindsOf}. */
export function statusesOf(
  values: readonly string[],
  preset: Preset | null,
  said: Mapping['statuses'] = [],
): Meanings<Mapping['statuses'][number]> {
  return meaningsOf(values, (value) => {
    const counts = said.find((one) => isSame(one.value, value))?.counts ?? guessStatus(value, layoutOf(preset));
    return counts === null ? null : { value, counts };
  });
}

function layoutOf(preset: Preset | null): Layout | null {
  return preset && LAYOUTS[preset];
}

function meaningsOf<Meaning>(values: readonly string[], meaning: (value: string) => Meaning | null): Meanings<Meaning> {
  const all = values.map((value) => ({ value, means: meaning(value) }));
  return {
    known: all.flatMap(({ means }) => means ?? []),
    unknown: all.flatMap(({ value, means }) => (means === null ? value : [])),
  };
}

/** Upper and lower case do not matter. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The values of a column (J5). */
export class ValuesIn {
  private readonly known = new Map<string, string>();

  /** @param place of the column; null: there is none */
  constructor(private readonly place: number | null) {}

  add({ cells }: FileRecord): void {
    // of more it is no kind
    if (this.place !== null && this.known.size <= MAX_KINDS) note(this.known, cells[this.place] ?? '');
  }

  /** None when they are too many to be kinds. */
  values(): string[] {
    return this.known.size > MAX_KINDS ? [] : [...this.known.values()];
  }
}

function distinct(values: readonly string[]): string[] {
  const known = new Map<string, string>();
  for (const value of values) note(known, value);
  return [...known.values()];
}

/** Adds a value, unless it is empty or known in upper or lower case. */
function note(known: Map<string, string>, value: string): void {
  const short = value.slice(0, 100);
  if (value !== '' && !known.has(short.toLowerCase())) known.set(short.toLowerCase(), short);
}
