import { RefusedFileError } from '../../../platform/files/csv-records.js';
import { type Clock, DaysOf, dayOf } from '../reading/file-preview.js';
import { unpacked } from '../reading/packed-records.js';
import { claimOf, type FileClaim } from '../rules/file-claim.js';
import { Matching } from '../rules/file-matching.js';
import { type RowRules, readFileRows } from '../rules/file-row.js';
import { type KeptDecision, KeptDecisions } from '../rules/kept-decisions.js';
import type { Matched, MatchRow, MatchSale } from '../rules/match-rows.js';
import { type EarlierRow, identityOf, oldIdentityOf } from '../rules/row-identity.js';
import {
  type Answer,
  daysOf,
  type FileDays,
  type FileRow,
  MOST_DAYS,
  MOST_SALES,
  PREVIEW_ROWS,
} from '../rules/terminal-file.js';
import { matchAuthorisations } from './authorisations.js';
import type { Ask } from './file-questions.js';

/** The most sales without a row that are kept (L97). */
const MOST_MISSING_THERE = 10_000;
/** Keys, or identities, of one question. */
const ASKED = 1_000;
/** Rows of one text. */
const BATCH = 2_000;

/** A file that is confirmed now. */
export interface NewInput {
  readonly content: Uint8Array;
  readonly rules: RowRules;
  readonly clock: Clock;
}

/** A confirmed file whose open rows are compared again. */
export interface AgainInput {
  readonly days: FileDays;
}

/** What a comparison has found, besides the answers to the rows: these are given as they are written. */
export interface Compared {
  readonly days: FileDays;
  /** decisions of files that were taken back, and have their row now */
  readonly found: readonly Pick<KeptDecision, 'sha256' | 'line'>[];
  /** the number of rows, and of those that are MISSING_HERE */
  readonly count: number;
  readonly missingHere: number;
}

/** Reads the rows of a file, and compares them with the sales (J8 to J11). @throws RefusedFileError */
export async function compareNew(input: NewInput, ask: Ask): Promise<Compared> {
  const { rows, days, decisions } = await readNew(input, ask);
  return compare(rows, days, { earlier: await earlierOf(rows, ask), found: decisions.found(), written: addedRow }, ask);
}

/** What a confirmation would say of a file. */
export interface Judged {
  /** of its payments (J21) */
  readonly claim: FileClaim;
  /** of its first rows (L92) */
  readonly first: readonly Judgement[];
}

/** What a confirmation would say of a row. */
export interface Judgement {
  readonly line: number;
  readonly answer: Answer;
  readonly sale: Pick<MatchSale, 'key' | 'number' | 'cents' | 'at'> | null;
}

/** What {@link compareNew} would say of a file; null: its payments have no day, or their days are too many or have too many sales. */
export async function judge(input: NewInput, ask: Ask): Promise<Judged | null> {
  const { rows, days } = await readNew(input, ask);
  if (days.from === '' || daysOf(days) > MOST_DAYS) return null;
  try {
    const answers = await answersTo(rows, days, await earlierOf(rows, ask), ask);
    const first = answers.rows
      .slice(0, PREVIEW_ROWS)
      .map(({ row, answer, sale }) => ({ line: row.line, answer, sale }));
    return { claim: claimOf(answers.rows), first };
  } catch (error) {
    if (error instanceof RefusedFileError) return null;
    throw error;
  }
}

async function readNew({ content, rules, clock }: NewInput, ask: Ask) {
  const own = new DaysOf(clock);
  const decisions = new KeptDecisions(await ask('decisions'));
  const rows: MatchRow[] = [];
  for await (const row of readFileRows(unpacked(content), rules)) {
    own.add(row);
    const read = { ...row, day: dayOf(row, clock), refused: [], isEntered: false };
    const identity = row.problem === null ? identityOf(read) : null;
    rows.push(decided({ ...read, identity }, decisions.of({ ...row, identity })));
  }
  return { rows, days: await ask('days', own.days), decisions };
}

/**
 * Compares the rows of a file that have no sale yet (J12), and those that were REPEATED of a file that does not count any more (J20).
 * @throws RefusedFileError
 */
export async function compareAgain({ days }: AgainInput, ask: Ask): Promise<Compared> {
  const decisions = new KeptDecisions(await ask('decisions'));
  const rows: MatchRow[] = [];
  const repeated: MatchRow[] = [];
  for (let after: number | null = -1; after !== null; ) {
    const page: Awaited<ReturnType<typeof ask<'openRows'>>> = await ask('openRows', after);
    for (const { isRepeated, ...open } of page.items) {
      const { identity = null } = open;
      const row = open.isEntered ? open : decided(open, decisions.of({ ...open, identity }));
      rows.push(row);
      if (isRepeated) repeated.push(row);
    }
    after = page.next;
  }
  const found = decisions.found();
  return compare(rows, days, { earlier: await earlierOf(repeated, ask), found, written: changedRow }, ask);
}

/** A row with what was decided about it before. */
function decided(row: MatchRow, kept: KeptDecision | null): MatchRow {
  if (!kept) return row;
  const refused = [...new Set([...row.refused, ...kept.refused])];
  return { ...row, refused, isEntered: kept.decision === 'ENTERED', kept };
}

/** Rows of confirmed files, by the identities of these rows. */
async function earlierOf(rows: readonly MatchRow[], ask: Ask): Promise<Map<string, EarlierRow>> {
  const identities = [...new Set(rows.flatMap((row) => [row.identity ?? [], oldIdentityOf(row) ?? []].flat()))];
  const earlier = new Map<string, EarlierRow>();
  for (const some of pieces(identities, ASKED))
    for (const [identity, row] of await ask('earlier', some)) earlier.set(identity, row);
  return earlier;
}

interface Known {
  readonly earlier: ReadonlyMap<string, EarlierRow>;
  readonly found: readonly KeptDecision[];
  /** a row as the statements take it */
  readonly written: (row: Matched) => object;
}

async function compare(
  rows: readonly MatchRow[],
  days: FileDays,
  { earlier, found, written }: Known,
  ask: Ask,
): Promise<Compared> {
  const answers = await answersTo(rows, days, earlier, ask);
  await ask('claim', claimOf(answers.rows));
  // piece by piece: all of them at once would need their memory twice
  for (const some of pieces(answers.rows, BATCH)) await ask('rows', JSON.stringify(some.map(written)));
  const missingThere = answers.missingThere
    .slice(0, MOST_MISSING_THERE)
    .map((sale, place) => ({ place, ...eventOf(sale) }));
  for (const some of pieces(missingThere, BATCH)) await ask('missingThere', JSON.stringify(some));
  return {
    days,
    found: found.filter(({ isOwn }) => !isOwn).map(({ sha256, line }) => ({ sha256, line })),
    count: answers.rows.length,
    missingHere: answers.rows.filter(({ answer }) => answer === 'MISSING_HERE').length,
  };
}

async function answersTo(
  rows: readonly MatchRow[],
  days: FileDays,
  earlier: ReadonlyMap<string, EarlierRow>,
  ask: Ask,
): Promise<ReturnType<Matching['answers']>> {
  const sales = await salesOf(rows, ask);
  const matching = new Matching(rows, sales, days, earlier);
  await matchAuthorisations(matching, sales, ask);
  return matching.answers();
}

/** The sales of the days, and those that references name as keys, whenever they were received. */
async function salesOf(rows: readonly MatchRow[], ask: Ask): Promise<MatchSale[]> {
  const found = new Map<string, MatchSale>();
  for (let page = await ask('sales', null); ; page = await ask('sales', page.next)) {
    for (const sale of page.items) found.set(sale.key, sale);
    if (found.size > MOST_SALES)
      throw new RefusedFileError({
        line: null,
        reason: `its days have more than ${MOST_SALES} sales: export fewer days`,
      });
    if (page.next === null) break;
  }
  const named = rows.flatMap(({ reference, kept }) => [reference ?? [], kept?.eventKey ?? []].flat());
  const references = [...new Set(named)].filter((key) => !found.has(key));
  for (const keys of pieces(references, ASKED))
    for (const sale of await ask('salesByKey', keys)) found.set(sale.key, sale);
  return [...found.values()];
}

function addedRow({ row, answer, sale, repeatOf }: Matched): object {
  const { line, kind, problem, reference, authorisation, terminal, cents, at, isDateOnly, tender }: FileRow = row;
  return {
    ...{ line, kind, problem, reference, authorisation, terminal, cents: cents?.toString(), at },
    ...{ is_date_only: isDateOnly, tender, identity: row.identity },
    ...{ answer, repeat_of: repeatOf, ...eventOf(sale), ...decisionOf(row) },
  };
}

function changedRow({ row, answer, sale, repeatOf }: Matched): object {
  return { line: row.line, answer, repeat_of: repeatOf, ...eventOf(sale), ...decisionOf(row) };
}

function decisionOf({ refused, kept }: MatchRow) {
  const { decision = null, note = null, decidedBy = null, decidedAt = null } = kept ?? {};
  return { refused, decision, note, decided_by: decidedBy, decided_at: decidedAt };
}

function eventOf(sale: MatchSale | null) {
  return {
    event_key: sale?.key ?? null,
    event_number: sale?.number ?? null,
    event_cents: sale?.cents.toString() ?? null,
    event_at: sale?.at ?? null,
  };
}

function pieces<Item>(items: readonly Item[], size: number): Item[][] {
  const all: Item[][] = [];
  for (let at = 0; at < items.length; at += size) all.push(items.slice(at, at + size));
  return all;
}
