import { readdirSync, readFileSync } from 'node:fs';
import { dayOf } from '../../../src/capabilities/terminal-files/reading/file-preview.js';
import { unpacked } from '../../../src/capabilities/terminal-files/reading/packed-records.js';
import { readFile } from '../../../src/capabilities/terminal-files/reading/read-file.js';
import { localTime } from '../../../src/capabilities/terminal-files/rules/clock.js';
import { Matching } from '../../../src/capabilities/terminal-files/rules/file-matching.js';
import { readFileRows } from '../../../src/capabilities/terminal-files/rules/file-row.js';
import type { MatchRow, MatchSale } from '../../../src/capabilities/terminal-files/rules/match-rows.js';

const FOLDER = new URL('corpus/', import.meta.url);
const DAY = '2026-11-20';
const DAYS = { from: DAY, to: DAY };
const LANGUAGES = ['en', 'pt', 'es', 'de', 'fr', 'it'];

/** The evening that each file is of: number, local time, tenders in cents, authorisations. 1005 never arrived, and 1006 is in no file. */
const EVENING: readonly (readonly [
  number: string,
  time: string,
  tenders: readonly number[],
  codes: readonly string[],
])[] = [
  ['1001', '19:05:00', [4_590], ['A10001']],
  ['1002', '19:12:00', [123_450], ['A10002']],
  ['1003', '19:20:30', [3_000, 4_980], ['A10003', 'A10013']],
  ['1004', '19:30:30', [2_200], ['A10004']],
  ['1006', '19:50:00', [1_200], ['A10006']],
];

/** Written by us after public layouts of providers; no row is copied. A file's answers are those of its rows, then the sales without a row. */
const ANSWERS = JSON.parse(readFileSync(new URL('answers.json', FOLDER), 'utf8')) as Readonly<
  Record<string, { readonly zone: string; readonly answers: readonly string[] }>
>;

const salesIn = (zone: string): MatchSale[] =>
  EVENING.map(([number, time, tenders]) => {
    const cents = tenders.map(BigInt);
    const sum = cents.reduce((all, one) => all + one, 0n);
    const at = localTime(Date.parse(`${DAY}T${time}Z`), zone);
    const sale = { key: `K-${number}`, number, isRefund: false, cents: sum, otherCents: [sum, ...cents] };
    return { ...sale, at, day: DAY, taken: null };
  });

/** The answers to a file that is confirmed as it was guessed. */
async function answersTo(bytes: Uint8Array, zone: string): Promise<string[]> {
  const { columns, content, guess } = readFile({ bytes, zone });
  const rows: MatchRow[] = [];
  for await (const row of readFileRows(unpacked(content), { columns, mapping: guess, currency: null }))
    rows.push({ ...row, day: dayOf(row, { timezone: zone, dayClosesAt: '04:00' }), refused: [], isEntered: false });
  const matching = new Matching(rows, salesIn(zone), DAYS, new Map());
  matching.matchAuthorisations(new Map(EVENING.map(([number, , , codes]) => [`K-${number}`, new Set(codes)])));
  const { rows: answers, missingThere } = matching.answers();
  return [
    ...answers.map(({ answer, sale, row }) => `${answer} ${sale?.number ?? row.problem ?? ''}`.trim()),
    ...missingThere.map(({ number }) => `MISSING_THERE ${number}`),
  ];
}

const bytesOf = (name: string) => readFileSync(new URL(name, FOLDER));
const sorted = (answers: readonly string[], rows: number) => [
  ...answers.slice(0, rows),
  ...answers.slice(rows).toSorted(),
];
const expectRight = async (bytes: Uint8Array, { zone, answers }: (typeof ANSWERS)[string]) => {
  const rows = answers.filter((answer) => !answer.startsWith('MISSING_THERE')).length;
  expect(sorted(await answersTo(bytes, zone), rows)).toEqual(sorted(answers, rows));
};

describe('files of providers in six languages', () => {
  test('the corpus has 40 files and more, and each has its answers (J5)', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.csv'));
    expect(files.toSorted()).toEqual(Object.keys(ANSWERS).toSorted());
    expect(files.length).toBeGreaterThanOrEqual(40);
    expect(new Set(files.map((name) => name.slice(0, 2)))).toEqual(new Set(LANGUAGES));
  });

  test.each(Object.entries(ANSWERS))(
    '%s is read right as it is guessed (J4, J5, J6, J7, J9, J10)',
    async (name, right) => {
      await expectRight(bytesOf(name), right);
    },
  );

  test.each(Object.entries(ANSWERS))('%s is read right in UTF-16 of both orders (J4)', async (name, right) => {
    const text = Buffer.from(`\ufeff${bytesOf(name).toString()}`, 'utf16le');
    await expectRight(text, right);
    await expectRight(Buffer.from(text).swap16(), right);
  });

  test.each(Object.entries(ANSWERS).filter(([name]) => /^[\0-\xff]*$/.test(bytesOf(name).toString())))(
    '%s is read right in windows-1252 (J4)',
    async (name, right) => {
      await expectRight(Buffer.from(bytesOf(name).toString(), 'latin1'), right);
    },
  );
});
