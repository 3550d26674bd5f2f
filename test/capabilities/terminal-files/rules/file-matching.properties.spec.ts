import fc from 'fast-check';
import { Matching } from '../../../../src/capabilities/terminal-files/rules/file-matching.js';
import type { MatchRow, MatchSale } from '../../../../src/capabilities/terminal-files/rules/match-rows.js';

const RUNS = Math.min(Number(process.env.PROPERTY_RUNS ?? 200), 2_000);
const DAY = '2026-11-20';
const DAYS = { from: DAY, to: DAY };
const START = Date.parse(`${DAY}T18:00:00Z`);

const saleOf = (n: number, cents: number): MatchSale => ({
  ...{
    key: `K${n}`,
    number: String(n),
    isRefund: false,
    cents: BigInt(cents),
    otherCents: [],
    day: DAY,
    taken: null,
  },
  // further apart than a suggestion
  at: new Date(START + n * 120_000),
});
const rowOf = ({ key, cents, at }: MatchSale, line: number): MatchRow => ({
  ...{
    line,
    problem: null,
    reference: key,
    authorisation: null,
    terminal: null,
    instalment: null,
    cents,
    kind: 'SALE',
    at,
    isDateOnly: false,
  },
  ...{ tender: null, day: DAY, refused: [], isEntered: false },
});

/** What is wrong with a sale of the evening, or its row. */
const FAULTS = ['none', 'lost', 'cent', 'double', 'unlisted'] as const;

describe('matching', () => {
  test('of any evening it names exactly what was injected, each row and each sale once (J9, J10)', () => {
    const evening = fc.array(fc.record({ cents: fc.integer({ min: 2, max: 50 }), fault: fc.constantFrom(...FAULTS) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(evening, fc.infiniteStream(fc.nat()), (given, order) => {
        const sales = given.map(({ cents }, n) => saleOf(n, cents));
        const known = sales.filter((_, n) => given[n]?.fault !== 'lost');
        const listed = sales.flatMap((sale, n) => {
          const fault = given[n]?.fault;
          if (fault === 'unlisted') return [];
          const changed = fault === 'cent' ? { ...sale, cents: sale.cents - 1n } : sale;
          return fault === 'double' ? [changed, changed] : [changed];
        });
        const shuffled = listed
          .map((sale) => ({ sale, by: order.next().value as number }))
          .toSorted((a, b) => a.by - b.by);
        const rows = shuffled.map(({ sale }, i) => rowOf(sale, i + 2));
        const { rows: answers, missingThere } = new Matching(rows, known, DAYS, new Map()).answers();

        const named = (answer: string) =>
          answers
            .filter((one) => one.answer === answer)
            .map(({ row }) => row.reference)
            .toSorted();
        const injected = (fault: string) =>
          sales
            .filter((_, n) => given[n]?.fault === fault)
            .map(({ key }) => key)
            .toSorted();
        expect(named('MISSING_HERE')).toEqual(injected('lost'));
        expect(named('AMOUNT_DIFFERS')).toEqual(injected('cent'));
        expect(named('DUPLICATE')).toEqual(injected('double'));
        expect(missingThere.map(({ key }) => key).toSorted()).toEqual(injected('unlisted'));
        expect(named('MATCHED')).toEqual([...injected('none'), ...injected('double')].toSorted());
        expect(answers.map(({ row }) => row)).toEqual(rows);
      }),
      { numRuns: RUNS },
    );
  });

  test('by amount and time alone nothing is decided: each sale is suggested for one row at most, and within a minute (J9)', () => {
    const events = fc.array(
      fc.record({ at: fc.integer({ min: 0, max: 600 }), cents: fc.integer({ min: 1, max: 3 }) }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(events, events, (ofSales, ofRows) => {
        const sales = ofSales.map(({ at, cents }, n) => ({ ...saleOf(n, cents), at: new Date(START + at * 1_000) }));
        const rows = ofRows.map(({ at, cents }, n) => ({
          ...rowOf({ ...saleOf(n, cents), at: new Date(START + at * 1_000) }, n + 2),
          reference: null,
        }));
        const { rows: answers, missingThere } = new Matching(rows, sales, DAYS, new Map()).answers();
        const suggested = answers.flatMap(({ sale }) => sale ?? []);
        expect(new Set(suggested).size).toBe(suggested.length);
        expect(answers.filter(({ answer }) => !['SUGGESTED', 'MISSING_HERE'].includes(answer))).toEqual([]);
        for (const { row, sale } of answers)
          if (sale) {
            expect(sale.cents).toBe(row.cents);
            expect(Math.abs(sale.at.getTime() - (row.at as Date).getTime())).toBeLessThanOrEqual(60_000);
          }
        expect(new Set([...suggested, ...missingThere]).size).toBe(sales.length);
      }),
      { numRuns: RUNS },
    );
  });
});
