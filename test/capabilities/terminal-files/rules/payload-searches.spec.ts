import type { MatchRow, MatchSale } from '../../../../src/capabilities/terminal-files/rules/match-rows.js';
import { searches } from '../../../../src/capabilities/terminal-files/rules/payload-searches.js';

const HOUR_MS = 3_600_000;
const NOON = Date.parse('2026-11-20T12:00:00Z');
const sale = (key: string, hours: number) => ({ key, at: new Date(NOON + hours * HOUR_MS) }) as unknown as MatchSale;
const row = (authorisation: string | null, hours: number | null, terminal: string | null = null) =>
  ({ authorisation, terminal, at: hours === null ? null : new Date(NOON + hours * HOUR_MS) }) as unknown as MatchRow;

describe('which payloads are searched for authorisations', () => {
  test('those of sales within a day of a row, each for the texts of the rows within a day of it (J9, J17)', () => {
    const sales = [sale('far', -80), sale('a', -20), sale('b', 3), sale('between', 40), sale('c', 100)];
    const rows = [row('AAA', 0, 'T-1'), row('BBB', 101), row('CC', 1), row('DDD', null)];
    expect(searches(rows, sales, 10)).toEqual([{ keys: ['a', 'b', 'c'], texts: ['AAA', 'T-1', 'BBB'] }]);
    expect(searches(rows, sales, 2)).toEqual([
      { keys: ['a', 'b'], texts: ['AAA', 'T-1'] },
      { keys: ['c'], texts: ['BBB'] },
    ]);
  });

  test('no row, or none with a text that is long enough, searches nothing (J9)', () => {
    expect(searches([], [sale('a', 0)], 10)).toEqual([]);
    expect(searches([row('12', 0)], [sale('a', 0)], 10)).toEqual([]);
  });
});
