import { matchAuthorisations } from '../../../src/capabilities/terminal-files/matching/authorisations.js';
import type { Ask, Questions } from '../../../src/capabilities/terminal-files/matching/file-questions.js';
import { Matching } from '../../../src/capabilities/terminal-files/rules/file-matching.js';
import type { MatchRow, MatchSale } from '../../../src/capabilities/terminal-files/rules/match-rows.js';

const DAY = '2026-11-20';
const NOON = Date.parse(`${DAY}T12:00:00Z`);
const at = (n: number) => new Date(NOON + n * 1_000);
const saleOf = (n: number): MatchSale => ({
  ...{ key: `K${n}`, number: null, isRefund: false, cents: 1_000n, otherCents: [], at: at(n), day: DAY, taken: null },
});
/** A row of the sale with this number, by its authorisation; with `reference` by its key, too. */
const rowOf = (n: number, reference: string | null = null): MatchRow => ({
  ...{
    line: n + 2,
    problem: null,
    reference,
    authorisation: `AUTH-${n}`,
    terminal: null,
    instalment: null,
    cents: 1_000n,
  },
  ...{ kind: 'SALE', at: at(n), isDateOnly: false, tender: null, day: DAY, refused: [], isEntered: false },
});

/** Answers as the relay does, where each sale has its code in one of both places; and the keys that were asked for. */
function asked(hasEvidence: (key: string) => boolean) {
  const keys = { evidence: [] as string[][], texts: [] as string[][] };
  const codeOf = (key: string) => `AUTH-${key.slice(1)}`;
  const answers: Pick<Questions, 'evidence' | 'texts'> = {
    evidence: async (some) => {
      keys.evidence.push([...some]);
      return some.filter(hasEvidence).map((key) => [key, [codeOf(key)]] as const);
    },
    texts: async (some, texts) => {
      keys.texts.push([...some]);
      return some.filter((key) => texts.includes(codeOf(key))).map((key) => [key, [codeOf(key)]] as const);
    },
  };
  return { keys, ask: ((name: keyof typeof answers, ...args: [string[], string[]]) => answers[name](...args)) as Ask };
}

const SALES = Array.from({ length: 2_500 }, (_, n) => saleOf(n));
async function matched(rows: readonly MatchRow[], hasEvidence: (key: string) => boolean, sales = SALES) {
  const { keys, ask } = asked(hasEvidence);
  const matching = new Matching(rows, sales, { from: DAY, to: DAY }, new Map());
  await matchAuthorisations(matching, sales, ask);
  return { keys, answers: matching.answers().rows.map(({ answer, sale }) => [answer, sale?.key]) };
}
const found = (...of: number[]) => of.map((n) => ['MATCHED', `K${n}`]);

describe('where the authorisations of rows are looked for', () => {
  test('J22: sales that rows pay up and name by their evidence are not searched, also if a reference found them', async () => {
    // of the payloads only those of sales without evidence are searched, and of those without a row
    const { keys, answers } = await matched([rowOf(1), rowOf(2, 'K2'), rowOf(3)], (key) => !['K3', 'K4'].includes(key));
    expect(answers).toEqual(found(1, 2, 3));
    expect(keys.evidence.flat()).toHaveLength(SALES.length);
    const searched = new Set(keys.texts.flat());
    expect([searched.has('K1'), searched.has('K2'), searched.has('K3'), searched.has('K5')]).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test('J22: no payload is searched when the evidence answers all rows, nor anything when references do', async () => {
    const { keys, answers } = await matched([rowOf(1), rowOf(2_499)], () => true);
    expect([answers, keys.texts]).toEqual([found(1, 2_499), []]);
    expect((await matched([rowOf(1, 'K1')], () => true)).keys).toEqual({ evidence: [], texts: [] });
  });

  test('J22: the evidence of sales that other rows have is not read: a comparison of what is missing costs what it did', async () => {
    const taken = SALES.map((sale, n) => (n < 2 ? sale : { ...sale, taken: { fileId: null, cents: 1_000n } }));
    const { keys, answers } = await matched([rowOf(1)], () => true, taken);
    expect([answers, keys.evidence, keys.texts]).toEqual([found(1), [['K0', 'K1']], []]);
  });

  test('L223: terminals that send no evidence cost a look at the first sales only', async () => {
    const { keys, answers } = await matched([rowOf(1), rowOf(2_499)], () => false);
    expect(answers).toEqual(found(1, 2_499));
    expect(keys.evidence.map(({ length }) => length)).toEqual([1_000]);
    expect(keys.texts.flat()).toHaveLength(SALES.length);
  });
});
