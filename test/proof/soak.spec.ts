import { readOptions } from '../../proof/soak/options.js';
import { growthOf, MEASURES, type Sample, SLOW_NEEDS_MS } from '../../proof/soak/verdict.js';

const LONG_MS = 2 * SLOW_NEEDS_MS;

/** A run of 60 samples. @param valueAt the value of every measure at a part of the run, 0 to 1 */
const run = (durationMs: number, valueAt: (passed: number) => number): Sample[] =>
  Array.from({ length: 60 }, (_, i) => {
    const passed = (i + 1) / 60;
    const values = Object.fromEntries(Object.keys(MEASURES).map((name) => [name, valueAt(passed)]));
    return { atMs: passed * durationMs, values };
  });
/** The measures that have grown in a long run. */
const grown = (valueAt: (passed: number) => number) =>
  growthOf(run(LONG_MS, valueAt), LONG_MS)
    .filter(({ hasGrown }) => hasGrown)
    .map(({ measure }) => measure);

const GB = 2 ** 30;

describe('the verdict of a soak', () => {
  test.each<[string, (passed: number) => number, string[]]>([
    ['constant: no', () => GB, []],
    ['rising in the warm-up only: no', (passed) => (passed < 1 / 6 ? passed * 6 * GB : GB), []],
    ['with a few peaks: no', (passed) => (Math.round(passed * 60) % 5 === 0 && passed > 0.7 ? 9 * GB : GB), []],
    ['rising steadily: every measure', (passed) => passed * GB, Object.keys(MEASURES)],
  ])('grown: %s', (_, valueAt, measures) => {
    expect(grown(valueAt)).toEqual(measures);
  });

  test('a short run does not judge tables and heap', () => {
    const growth = growthOf(
      run(SLOW_NEEDS_MS / 2, (passed) => passed * GB),
      SLOW_NEEDS_MS / 2,
    );
    const of = (measure: string) => growth.find((each) => each.measure === measure)?.hasGrown;
    expect([of('jobs'), of('dead rows'), of('heap'), of('rss')]).toEqual([undefined, undefined, undefined, true]);
  });
});

describe('its options', () => {
  test('default to half an hour at a measured rate, on a server of its own', () => {
    expect(readOptions([], {})).toEqual({ help: false, durationMs: 1_800_000, rate: undefined, server: undefined });
    const given = readOptions(['--minutes', '4', '--rate', '50'], { DATABASE_URL: 'postgresql://x/y' });
    expect(given).toEqual({ help: false, durationMs: 240_000, rate: 50, server: 'postgresql://x/y' });
  });

  test.each([
    [['--minutes', '0'], /--minutes must be a number/],
    [['--rate=-1'], /--rate must be/],
    [['--other'], /--other.*--help/],
  ])('%j is refused with an error that names it', (args, message) => {
    expect(() => readOptions(args, {})).toThrow(message);
  });
});
