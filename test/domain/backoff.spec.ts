import { backoffMs, MAX_RETRY_AFTER_MS, RETRY_LADDER_MS } from '../../src/domain/backoff.js';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** the largest number Math.random returns */
const MOST = 1 - Number.EPSILON / 2;

const LADDER = [
  { attempt: 1, step: '30 s', ms: 30 * SECOND },
  { attempt: 2, step: '2 min', ms: 2 * MINUTE },
  { attempt: 3, step: '5 min', ms: 5 * MINUTE },
  { attempt: 4, step: '15 min', ms: 15 * MINUTE },
  { attempt: 5, step: '30 min', ms: 30 * MINUTE },
  { attempt: 6, step: '60 min', ms: 60 * MINUTE },
  { attempt: 7, step: '60 min again', ms: 60 * MINUTE },
  { attempt: 8, step: '60 min again', ms: 60 * MINUTE },
  { attempt: 29, step: '60 min again', ms: 60 * MINUTE },
  { attempt: 1_000_000, step: '60 min again', ms: 60 * MINUTE },
];

describe('the retry ladder', () => {
  test.each(LADDER)('after attempt $attempt: $step', ({ attempt, ms }) => {
    expect(backoffMs(attempt, 0)).toBe(ms);
  });

  test('has the six steps of O14', () => {
    expect(RETRY_LADDER_MS.map((ms) => ms / SECOND)).toEqual([30, 120, 300, 900, 1800, 3600]);
  });
});

describe('jitter', () => {
  test.each(LADDER)('is added to $step, never taken from it', ({ attempt, ms }) => {
    for (const random of [0, 0.001, 0.25, 0.5, 0.75, 0.999, MOST]) {
      expect(backoffMs(attempt, random)).toBeGreaterThanOrEqual(ms);
    }
  });

  test.each(LADDER)('is at most 10 % of $step, and reaches it', ({ attempt, ms }) => {
    expect(backoffMs(attempt, MOST)).toBe((ms * 11) / 10);
    expect(backoffMs(attempt, 0.5)).toBe((ms * 105) / 100);
  });

  test('the wait is whole milliseconds', () => {
    for (const random of [1 / 3, 1 / 7, Math.PI / 10]) {
      expect(Number.isInteger(backoffMs(1, random))).toBe(true);
    }
  });
});

describe('Retry-After (O15, L14)', () => {
  test.each([
    { title: 'longer than the step is honoured', attempt: 1, after: 45 * SECOND, wait: 45 * SECOND },
    { title: 'shorter than the step is not: the step stands', attempt: 3, after: 10 * SECOND, wait: 5 * MINUTE },
    { title: 'as long as the step changes nothing', attempt: 2, after: 2 * MINUTE, wait: 2 * MINUTE },
    { title: 'of exactly one hour is honoured', attempt: 1, after: HOUR, wait: HOUR },
    { title: 'above one hour is cut to one hour', attempt: 1, after: HOUR + 1, wait: HOUR },
    { title: 'of a day is cut to one hour', attempt: 5, after: 24 * HOUR, wait: HOUR },
    { title: 'of zero leaves the step', attempt: 1, after: 0, wait: 30 * SECOND },
    { title: 'in the past leaves the step', attempt: 1, after: -HOUR, wait: 30 * SECOND },
  ])('$title', ({ attempt, after, wait }) => {
    expect(backoffMs(attempt, 0, after)).toBe(wait);
  });

  test('is not undercut by the jitter: the POS is never asked before the time it named', () => {
    expect(backoffMs(1, 0.5, 10 * MINUTE)).toBe(10.5 * MINUTE);
  });

  test('its limit is one hour', () => {
    expect(MAX_RETRY_AFTER_MS).toBe(HOUR);
  });
});
