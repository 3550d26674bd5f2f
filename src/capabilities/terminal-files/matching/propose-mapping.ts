import type { FileRecord } from '../../../platform/files/rules/csv.js';
import { type Clock, DaysOf, dayOf } from '../reading/file-preview.js';
import { unpacked } from '../reading/packed-records.js';
import { Matching } from '../rules/file-matching.js';
import { type RowRules, readFileRows } from '../rules/file-row.js';
import { STEPS } from '../rules/mapping-candidates.js';
import type { MatchRow, MatchSale } from '../rules/match-rows.js';
import { daysOf, type FileDays, type Mapping, MOST_DAYS } from '../rules/terminal-file.js';
import type { Ask } from './file-questions.js';

/** The first rows by which a mapping is tried, and the most sales of their days (L92). */
const [MOST_ROWS, MOST_SALES] = [1_000, 20_000];

/** A file whose mapping is tried against the sales. */
export interface TrialInput {
  readonly content: Uint8Array;
  readonly rules: RowRules;
  readonly clock: Clock;
  /** other mappings that are tried, and what may be made of the best of them; null: none is tried */
  readonly others: readonly Mapping[] | null;
}

/** How many sales of the first rows the relay knows, by their reference, or by amount and time. */
export interface MappingScore {
  readonly rows: number;
  readonly known: number;
}

/** The mapping that finds most sales, and how many; null: not known, because its rows have no sale, or their days too many. */
export interface Proposed {
  readonly mapping: Mapping;
  readonly score: MappingScore | null;
}

interface Trial extends MappingScore {
  readonly mapping: Mapping;
  /** by their reference */
  readonly matched: number;
}

/** Tries mappings against the sales of the restaurant (J5). */
export async function proposeMapping({ content, rules, clock, others }: TrialInput, ask: Ask): Promise<Proposed> {
  const records: FileRecord[] = [];
  for await (const record of unpacked(content)) if (records.push(record) === MOST_ROWS) break;
  const ofDays = new Map<string, readonly MatchSale[] | null>();
  const salesOf = async (days: FileDays) => {
    const key = `${days.from}/${days.to}`;
    if (!ofDays.has(key)) ofDays.set(key, await readSales(days, ask));
    return ofDays.get(key) ?? null;
  };
  const first = await trialOf(rules.mapping, records, rules, clock, salesOf);
  let best = first;
  for (const step of others ? [() => others, ...STEPS] : [])
    for (const mapping of step(best?.mapping ?? rules.mapping, records, clock.timezone)) {
      const trial = await trialOf(mapping, records, rules, clock, salesOf);
      if (trial && isBetter(trial, best)) best = trial;
    }
  if (!best) return { mapping: rules.mapping, score: null };
  return { mapping: best.mapping, score: { rows: best.rows, known: best.known } };
}

function isBetter(one: Trial, other: Trial | null): boolean {
  if (!other) return one.known > 0;
  return one.known > other.known || (one.known === other.known && one.matched > other.matched);
}

async function trialOf(
  mapping: Mapping,
  records: readonly FileRecord[],
  rules: RowRules,
  clock: Clock,
  salesOf: (days: FileDays) => Promise<readonly MatchSale[] | null>,
): Promise<Trial | null> {
  const rows: MatchRow[] = [];
  const own = new DaysOf(clock);
  for await (const row of readFileRows(each(records), { ...rules, mapping })) {
    own.add(row);
    rows.push({ ...row, day: dayOf(row, clock), refused: [], isEntered: false });
  }
  const { days } = own;
  if (!days || daysOf(days) > MOST_DAYS) return null;
  const sales = await salesOf(days);
  if (!sales) return null;
  // a sale that another file has is known all the same
  const free = sales.map((sale) => ({ ...sale, taken: null }));
  const answers = new Matching(rows, free, days, new Map()).answers().rows.map(({ answer }) => answer);
  const matched = answers.filter((answer) => answer === 'MATCHED').length;
  const known = matched + answers.filter((answer) => answer === 'SUGGESTED').length;
  return {
    mapping,
    rows: rows.filter(({ kind, problem }) => kind === 'SALE' && problem === null).length,
    known,
    matched,
  };
}

/** Null: too many. */
async function readSales(days: FileDays, ask: Ask): Promise<readonly MatchSale[] | null> {
  await ask('days', days);
  const sales: MatchSale[] = [];
  for (let page = await ask('sales', null); ; page = await ask('sales', page.next)) {
    sales.push(...page.items);
    if (sales.length > MOST_SALES) return null;
    if (page.next === null) return sales;
  }
}

async function* each(records: readonly FileRecord[]): AsyncGenerator<FileRecord> {
  yield* records;
}
