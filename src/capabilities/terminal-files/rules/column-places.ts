import type { FileRecord } from '../../../platform/files/rules/csv.js';
import { plainWords } from '../../../platform/files/rules/plain-words.js';
import { certainty } from './column-names.js';
import { zoneNamed, zoneOfColumn } from './file-time.js';
import type { Layout } from './presets.js';
import { MAPPED_COLUMNS, type MappedColumn } from './terminal-file.js';

/** The place of each column, from 0; null: the file has none. */
export type Places = Readonly<Record<MappedColumn, number | null>>;

/** The columns of a layout. One without a reference of its own has the guessed one, or else the authorisation: the id of the payment. */
export function layoutPlaces(
  { columns: of }: Layout,
  columns: readonly string[],
  records: readonly FileRecord[],
): Places {
  const names = columns.map(plainWords);
  const places = Object.fromEntries(
    MAPPED_COLUMNS.map((column) => {
      const found = [of[column] ?? []].flat().map((name) => names.indexOf(plainWords(name)));
      return [
        column,
        found.find((place) => place >= 0 && !isEmpty(records, place)) ?? found.find((at) => at >= 0) ?? null,
      ];
    }),
  ) as unknown as Places;
  const reference = of.reference ? places.reference : (guessPlaces(columns, records).reference ?? places.authorisation);
  return { ...places, reference };
}

/** The surest column of each kind; each column once. */
export function guessPlaces(columns: readonly string[], records: readonly FileRecord[]): Places {
  const candidates = MAPPED_COLUMNS.flatMap((column) =>
    columns.map((name, place) => ({ column, place, sure: certainty(column, name) })),
  )
    .filter(({ sure }) => sure > 0)
    .toSorted((a, b) => b.sure - a.sure);
  const places = Object.fromEntries(MAPPED_COLUMNS.map((column) => [column, null])) as Record<string, number | null>;
  const taken = new Set<number>();
  for (const { column, place } of candidates) {
    if (places[column] !== null || taken.has(place) || isEmpty(records, place)) continue;
    places[column] = place;
    taken.add(place);
  }
  return places as Places;
}

/** The first column whose cells are mostly so, and that is nothing else; null: none. @param among these columns; undefined: all */
export function columnOf(
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

function isEmpty(records: readonly FileRecord[], place: number): boolean {
  return records.every(({ cells }) => (cells[place] ?? '') === '');
}

/** The clock that a column of the file names, or the name of the columns of date and time. */
export function zoneOf(
  columns: readonly string[],
  records: readonly FileRecord[],
  places: readonly (number | null)[],
): string | undefined {
  const place = columns.findIndex((name) => /^time ?zone$/i.test(name.trim()));
  const named = place < 0 ? undefined : records.find(({ cells }) => cells[place])?.cells[place];
  const zones = places.map((at) => (at === null ? undefined : zoneOfColumn(columns[at] ?? '')));
  return (named === undefined ? undefined : zoneNamed(named)) ?? zones.find((zone) => zone !== undefined);
}
