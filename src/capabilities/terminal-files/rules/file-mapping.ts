import { certainty, isGross } from './column-names.js';
import { guessDecimal, isAmountText } from './file-amount.js';
import { mostFrequent } from './file-text.js';
import { guessDateOrder, isDateText, zoneNamed, zoneOfColumn } from './file-time.js';
import { isColumnName, PRESET_MAPPINGS, presetOf } from './file-words.js';
import { guessKind, guessStatus } from './row-words.js';
import { type Delimiter, MAPPED_COLUMNS, type MappedColumn, type Mapping, type Preset } from './terminal-file.js';

/** A record of a file: its cells, and the line where it begins. */
export interface FileRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

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

/** Guesses how a file is read (J5). */
export function guessMapping({ columns, records, delimiter, zone }: GuessedFrom): Mapping {
  const preset = presetOf(columns);
  const places = preset ? placesOf(columns, PRESET_MAPPINGS[preset]) : guessPlaces(columns, records);
  const { amount, debit, date, kind } = places;
  const values = (...of: (number | null)[]) =>
    records.flatMap(({ cells }) => of.flatMap((place) => (place === null ? [] : [cells[place] ?? ''])));
  const kinds = kind === null ? [] : distinct(values(kind));
  const { known: statuses, unknown } = statusesOf(places.status === null ? [] : distinct(values(places.status)));
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
    decimal: guessDecimal(values(paid, debit)) ?? (delimiter === ';' ? 'comma' : 'point'),
    dateOrder: guessDateOrder(values(dated)) ?? 'DMY',
    zone: zoneOf(columns, records, [dated, places.time]) ?? zone,
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
    const kind = said.find((one) => isSame(one.value, value))?.kind ?? guessKind(value, preset);
    return kind && { value, kind };
  });
}

/** As {@link kindsOf}. */
export function statusesOf(
  values: readonly string[],
  said: Mapping['statuses'] = [],
): Meanings<Mapping['statuses'][number]> {
  return meaningsOf(values, (value) => {
    const counts = said.find((one) => isSame(one.value, value))?.counts ?? guessStatus(value);
    return counts === null ? null : { value, counts };
  });
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

type Places = Readonly<Record<MappedColumn, number | null>>;

function placesOf(columns: readonly string[], names: Readonly<Partial<Record<MappedColumn, string>>>): Places {
  return Object.fromEntries(
    MAPPED_COLUMNS.map((column) => {
      const name = names[column];
      const place = name === undefined ? -1 : columns.indexOf(name);
      return [column, place < 0 ? null : place];
    }),
  ) as unknown as Places;
}

/** The surest column of each kind; each column once. */
function guessPlaces(columns: readonly string[], records: readonly FileRecord[]): Places {
  const candidates = MAPPED_COLUMNS.flatMap((column) =>
    columns.map((name, place) => ({ column, place, sure: certainty(column, name) })),
  )
    .filter(({ sure }) => sure > 0)
    .toSorted((a, b) => b.sure - a.sure);
  const places = Object.fromEntries(MAPPED_COLUMNS.map((column) => [column, null])) as Record<string, number | null>;
  const taken = new Set<number>();
  const isEmpty = (place: number) => records.every(({ cells }) => (cells[place] ?? '') === '');
  for (const { column, place } of candidates) {
    if (places[column] !== null || taken.has(place) || isEmpty(place)) continue;
    places[column] = place;
    taken.add(place);
  }
  return places as Places;
}

/** The first column whose cells are mostly so, and that is nothing else; null: none. @param among these columns; undefined: all */
function columnOf(
  records: readonly FileRecord[],
  is: (cell: string) => boolean,
  places: Places,
  among?: readonly number[],
): number | null {
  const others = new Set(Object.values(places));
  const some = records.slice(0, 100);
  const width = Math.max(0, ...some.map(({ cells }) => cells.length));
  for (let place = 0; place < width; place++) {
    const cells = some.map(({ cells }) => cells[place] ?? '').filter((cell) => cell !== '');
    if (among && !among.includes(place)) continue;
    if (!others.has(place) && cells.length > 0 && cells.filter(is).length * 2 > cells.length) return place;
  }
  return null;
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

/** The clock that a column of the file names, or the name of the columns of date and time. */
function zoneOf(
  columns: readonly string[],
  records: readonly FileRecord[],
  places: readonly (number | null)[],
): string | undefined {
  const place = columns.findIndex((name) => /^time ?zone$/i.test(name.trim()));
  const named = place < 0 ? undefined : records.find(({ cells }) => cells[place])?.cells[place];
  const zones = places.map((at) => (at === null ? undefined : zoneOfColumn(columns[at] ?? '')));
  return (named === undefined ? undefined : zoneNamed(named)) ?? zones.find((zone) => zone !== undefined);
}
