import { backoffMs, MAX_RETRY_AFTER_MS, probeMs, RETRY_LADDER_MS } from '../../src/domain/backoff.js';
import { retryAfterOf } from '../../src/domain/retry-after.js';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** the largest number Math.random returns */
const MOST = 1 - Number.EPSILON / 2;

const LADDER = [
  [1, '30 s', 30 * SECOND],
  [2, '2 min', 2 * MINUTE],
  [3, '5 min', 5 * MINUTE],
  [4, '15 min', 15 * MINUTE],
  [5, '30 min', 30 * MINUTE],
  [6, '60 min', HOUR],
  [7, '60 min', HOUR],
  [29, '60 min', HOUR],
  [1_000_000, '60 min', HOUR],
] as const;

describe('the backoff (O14)', () => {
  test.each(LADDER)('after attempt %d: %s, and at most 10 % more', (attempt, _, ms) => {
    expect([0, 0.5, MOST].map((random) => backoffMs(attempt, random))).toEqual([ms, (ms * 105) / 100, (ms * 11) / 10]);
    for (const random of [0.001, 0.25, 0.75, 0.999]) expect(backoffMs(attempt, random)).toBeGreaterThanOrEqual(ms);
  });

  test('has six steps', () => {
    expect(RETRY_LADDER_MS.map((ms) => ms / SECOND)).toEqual([30, 120, 300, 900, 1800, 3600]);
  });

  test('is in whole milliseconds', () => {
    for (const random of [1 / 3, 1 / 7, Math.PI / 10]) expect(Number.isInteger(backoffMs(1, random))).toBe(true);
  });
});

describe('Retry-After (O15, L14)', () => {
  test.each([
    ['longer than the step is honoured', 1, 45 * SECOND, 45 * SECOND],
    ['shorter than the step: the step', 3, 10 * SECOND, 5 * MINUTE],
    ['equal to the step: the step', 2, 2 * MINUTE, 2 * MINUTE],
    ['of exactly one hour is honoured', 1, HOUR, HOUR],
    ['above one hour is cut to one hour', 1, HOUR + 1, HOUR],
    ['of a day is cut to one hour', 5, 24 * HOUR, HOUR],
    ['of zero: the step', 1, 0, 30 * SECOND],
    ['in the past: the step', 1, -HOUR, 30 * SECOND],
  ])('%s', (_, attempt, after, wait) => {
    expect(backoffMs(attempt, 0, after)).toBe(wait);
  });

  const AT = 'Sun, 29 Nov 2026 14:00:10 GMT';
  test.each([
    ['a date counts from the Date of the answer', { 'retry-after': AT, date: 'Sun, 29 Nov 2026 14:00:00 GMT' }, '10'],
    ['a date before it', { 'retry-after': AT, date: 'Sun, 29 Nov 2026 15:00:00 GMT' }, '0'],
    ['without a Date the clock of this machine is left', { 'retry-after': AT }, AT],
    ['a Date that is none', { 'retry-after': AT, date: 'today' }, AT],
    ['seconds are no date', { 'retry-after': ' 2026 ', date: AT }, ' 2026 '],
    ['several', { 'retry-after': ['1', '2'], date: AT }, undefined],
    ['none', { date: AT }, undefined],
  ])('%s', (_, headers, text) => {
    expect(retryAfterOf(headers)).toBe(text);
  });

  test('is a lower limit: the jitter is added to it', () => {
    expect(backoffMs(1, 0.5, 10 * MINUTE)).toBe(10.5 * MINUTE);
  });

  test('its limit is one hour', () => {
    expect(MAX_RETRY_AFTER_MS).toBe(HOUR);
  });
});

describe('the time between two probes (O45, L199)', () => {
  test.each([
    ['30 to 60 s', 0, 0, [30 * SECOND, 45 * SECOND, MINUTE]],
    ['a longer Retry-After', 10 * MINUTE, 0, [10 * MINUTE, 10 * MINUTE, 10 * MINUTE]],
    ['at most one hour of it', 2 * HOUR, 0, [HOUR, HOUR, HOUR]],
    ['longer when many POS are away', 0, 2 * MINUTE, [2 * MINUTE, 3 * MINUTE, 4 * MINUTE]],
  ])('%s', (_, retryAfterMs, shareMs, expected) => {
    expect([0, 0.5, MOST].map((random) => probeMs(random, retryAfterMs, shareMs))).toEqual(expected);
  });

  test.each([
    ['5 min', 0, 0, [5 * MINUTE, 5.25 * MINUTE, 5.5 * MINUTE]],
    ['longer when many POS are away', 0, 10 * MINUTE, [10 * MINUTE, 15 * MINUTE, 20 * MINUTE]],
  ])('of a refused sign-in: %s (O48, L209)', (_, retryAfterMs, shareMs, expected) => {
    expect([0, 0.5, MOST].map((random) => probeMs(random, retryAfterMs, shareMs, true))).toEqual(expected);
  });
});
