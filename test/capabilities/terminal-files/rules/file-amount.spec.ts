import fc from 'fast-check';
import { businessDayOf, localTime } from '../../../../src/capabilities/terminal-files/rules/clock.js';
import { guessDecimal, readFileAmount } from '../../../../src/platform/files/rules/file-amount.js';

/** Cents as a file writes them. */
function written(cents: number, group: string, decimal: string): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const whole = digits.slice(0, -2).replaceAll(/\B(?=(\d{3})+$)/g, group);
  return `${cents < 0 ? '-' : ''}${whole}${decimal}${digits.slice(-2)}`;
}

describe("amounts of a terminal's file", () => {
  test('what a file writes in either manner is read to the cent, whatever the mapping says (J7)', () => {
    const cents = fc.integer({ min: -99_999_999_999, max: 99_999_999_999 });
    const manners = fc.constantFrom(['.', ','], [',', '.'], ['', ','], ['', '.'], [' ', ','], ["'", '.']);
    fc.assert(
      fc.property(
        cents,
        manners,
        fc.constantFrom('point' as const, 'comma' as const),
        (amount, [group = '', sign = ''], mapping) => {
          expect(readFileAmount(written(amount, group, sign), mapping)).toBe(BigInt(amount));
        },
      ),
    );
  });

  test.each([
    ['1.234', 'comma', 123_400n],
    ['1,234', 'point', 123_400n],
    ['1.230', 'point', 123n],
    ['1.234', 'point', expect.stringContaining('more than two decimals')],
    ['0.123', 'comma', expect.stringContaining('more than two decimals')],
    ['0,123', 'point', expect.stringContaining('more than two decimals')],
    ['0.120', 'comma', 12n],
    ['R$ -0,500', 'point', -50n],
    ['0.123,45', 'comma', expect.stringContaining('contradict')],
    ['0,123,456', 'point', expect.stringContaining('contradict')],
    ['100.123', 'comma', 10_012_300n],
    ['9.999.999.999,99', 'comma', 999_999_999_999n],
    ['10000000000', 'comma', expect.stringContaining('10000000000')],
    ['--1', 'point', expect.any(String)],
    ['(-1)', 'point', expect.any(String)],
    ['.', 'point', expect.any(String)],
    ['12.34.5', 'comma', expect.any(String)],
    ['USD 12.50', 'comma', 1_250n],
    ['12,50 €', 'point', 1_250n],
    ['3,00-', 'comma', -300n],
    // as countries and providers write it
    ['12,-', 'comma', 1_200n],
    ['12.-', 'point', 1_200n],
    ['CHF 12.–', 'point', 1_200n],
    ['1.234,-- €', 'comma', 123_400n],
    ['12,50-', 'comma', -1_250n],
    ['-12,-', 'comma', -1_200n],
    ['12,50 kr', 'comma', 1_250n],
    ['kr. 12,50', 'comma', 1_250n],
    ['Rs. 500.00', 'point', 50_000n],
    ['Rs.500', 'point', 50_000n],
    ['Rs. 1,23,456.00', 'point', 12_345_600n],
    ['$(5.00)', 'point', -500n],
    ['($5.00)', 'point', -500n],
    ['-$5.00', 'point', -500n],
    ['US$ -5.00', 'point', -500n],
    ['5,00- €', 'comma', -500n],
    ['S/ 12.50', 'point', 1_250n],
    ['12,50 Euro', 'comma', 1_250n],
    ['12,50 zł', 'comma', 1_250n],
    ["1'234.50", 'point', 123_450n],
    ['1’234.50', 'point', 123_450n],
    ['1\u2009234,50', 'comma', 123_450n],
    ['1\u202f234,50\u00a0€', 'comma', 123_450n],
    ['R$1.234,56', 'comma', 123_456n],
    ['.50', 'point', 50n],
    ['500.', 'point', 50_000n],
    ['+12,50', 'comma', 1_250n],
    ['12 50', 'comma', expect.stringContaining('is no amount')],
    ['12,50 D', 'comma', expect.stringContaining('is no amount')],
    ['Tisch 12', 'comma', expect.stringContaining('is no amount')],
    ['2026-02-12', 'comma', expect.stringContaining('is no amount')],
    ['(5.00', 'point', expect.stringContaining('is no amount')],
    ['-5.00-', 'point', expect.stringContaining('is no amount')],
  ] as const)('%s with the mapping %s (J7)', (text, decimal, expected) => {
    expect(readFileAmount(text, decimal)).toEqual(expected);
  });

  test('the decimal sign is guessed from the whole column (J7)', () => {
    expect(guessDecimal(['1.234', '5.678', '9,90'])).toBe('comma');
    expect(guessDecimal(['1,234', '5,678', '9.90'])).toBe('point');
    expect(guessDecimal(['1.234', '0.500'])).toBe('point');
    expect(guessDecimal(['1.234', '5.678'])).toBeNull();
  });

  test('a clock that goes back or forward, and a day that ends after midnight (R15)', () => {
    const at = (text: string) => localTime(Date.parse(`${text}Z`), 'Europe/Berlin').toISOString();
    expect(at('2026-10-25T02:30:00')).toBe('2026-10-25T00:30:00.000Z');
    expect(at('2026-10-25T03:30:00')).toBe('2026-10-25T02:30:00.000Z');
    expect(businessDayOf(new Date('2026-11-21T06:59:59Z'), 'America/Sao_Paulo', '04:00')).toBe('2026-11-20');
    expect(businessDayOf(new Date('2026-11-21T07:00:00Z'), 'America/Sao_Paulo', '04:00')).toBe('2026-11-21');
  });
});
