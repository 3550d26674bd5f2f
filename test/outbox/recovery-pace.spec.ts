import { Pace } from '../../src/outbox/pace.js';

const CLAIM_MS = 50;
/** The most that one claim takes. */
const ROOM = 20;

/** A POS that takes at most `capacity(second)` orders in a second, and refuses the rest at once. */
function run(capacity: (second: number) => number, seconds: number) {
  const pace = new Pace(0);
  const counts = { taken: 0, refused: 0, freeAt: Number.POSITIVE_INFINITY };
  let inThisSecond = 0;
  for (let now = 0; now < seconds * 1_000; now += CLAIM_MS) {
    if (now % 1_000 === 0) inThisSecond = 0;
    const allowed = pace.allowed(now);
    if (allowed === Number.POSITIVE_INFINITY) counts.freeAt = Math.min(counts.freeAt, now);
    for (let calls = Math.min(ROOM, allowed); calls > 0; calls--) {
      pace.spend();
      if (inThisSecond++ < capacity(Math.floor(now / 1_000))) {
        counts.taken++;
        pace.took(now);
      } else {
        counts.refused++;
        pace.refused(now);
      }
    }
  }
  return counts;
}

describe('the pace after an outage (O34)', () => {
  test.each([5, 10, 40, 100])(
    'a POS that takes %i orders a second gets nine tenths of that, and refuses few',
    (rate) => {
      const { taken, refused } = run(() => rate, 100);
      expect(taken / (100 * rate)).toBeGreaterThan(0.9);
      expect(refused / taken).toBeLessThan(0.2);
    },
  );

  test('a healthy POS is not slowed: within two seconds nothing is held back', () => {
    const { freeAt, refused } = run(() => Number.POSITIVE_INFINITY, 100);
    expect([freeAt < 2_000, refused]).toEqual([true, 0]);
  });

  test('a POS that takes nothing is asked about once a second', () => {
    expect(run(() => 0, 100).refused).toBeLessThan(120);
  });

  test.each([100, 100_000])('a POS that is up for 3 s in 10, and then takes %i a second, gets most of it', (rate) => {
    const { taken, refused } = run((second) => (second % 10 < 3 ? rate : 0), 100);
    expect(taken / (30 * Math.min(rate, (ROOM * 1_000) / CLAIM_MS))).toBeGreaterThan(0.6);
    expect(refused / taken).toBeLessThan(0.2);
  });

  test('it is over after a minute without a call, and a minute after the last refusal', () => {
    const idle = new Pace(0);
    expect([idle.isOver(59_000), idle.isOver(61_000)]).toEqual([false, true]);
    const healthy = new Pace(0);
    for (let n = 0; n < 70_000; n += 100) healthy.took(n);
    expect([healthy.isOver(59_000), healthy.isOver(70_000)]).toEqual([false, true]);
  });
});
