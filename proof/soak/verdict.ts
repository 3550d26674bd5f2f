import { median } from '../load/statistics.mjs';

/** What was measured at one time. */
export interface Sample {
  /** ms since the start of the load */
  readonly atMs: number;
  /** name of a measure -> value */
  readonly values: Readonly<Record<string, number>>;
}

/** How a measure is shown, and when it counts as grown: above `times` that of the first third, plus `plus`. */
export interface Measure {
  readonly unit: string;
  readonly times: number;
  readonly plus: number;
  /** settles only after several rounds of retention, of the server's vacuum, of full garbage collections */
  readonly isSlow?: boolean;
}

const MB = 1_048_576;
/** The share of a run that is warm-up: caches, pools and the first rounds of retention. */
const WARM_UP = 1 / 6;
const BYTES: Omit<Measure, 'plus'> = { unit: 'MB', times: 1.3 };
const ON_DISK: Measure = { ...BYTES, plus: 8 * MB, isSlow: true };
/** The least duration of a run for a verdict on slow measures; ms. */
export const SLOW_NEEDS_MS = 15 * 60_000;

/** Every measure that must not grow. Sizes come in pages and vacuums in their own time: the thresholds leave room for both. */
export const MEASURES: Readonly<Record<string, Measure>> = {
  rss: { ...BYTES, times: 1.15, plus: 20 * MB },
  heap: { ...BYTES, plus: 20 * MB, isSlow: true },
  events: ON_DISK,
  'events idx': ON_DISK,
  jobs: ON_DISK,
  'jobs idx': ON_DISK,
  attempts: ON_DISK,
  'attempts idx': ON_DISK,
  'dead rows': { unit: '', times: 1.5, plus: 20_000, isSlow: true },
  'p99 ms': { unit: 'ms', times: 1.5, plus: 10 },
  'claim ms': { unit: 'ms', times: 1.5, plus: 1 },
  waiting: { unit: '', times: 1.5, plus: 200 },
};

export interface Growth {
  readonly measure: string;
  /** median of the first third after the warm-up, and of the last */
  readonly first: number;
  readonly last: number;
  readonly limit: number;
  /** undefined: the run was too short to tell */
  readonly hasGrown: boolean | undefined;
}

/** Compares the last third of the samples with the first. @param durationMs of the run; its first sixth is left out */
export function growthOf(samples: readonly Sample[], durationMs: number): Growth[] {
  const counted = samples.filter(({ atMs }) => atMs >= durationMs * WARM_UP);
  const third = Math.max(1, Math.floor(counted.length / 3));
  return Object.entries(MEASURES).map(([measure, { times, plus, isSlow }]) => {
    const medianOf = (part: readonly Sample[]) => median(part.map(({ values }) => values[measure] ?? 0));
    const [first, last] = [medianOf(counted.slice(0, third)), medianOf(counted.slice(-third))];
    const limit = first * times + plus;
    const isTooShort = isSlow && durationMs < SLOW_NEEDS_MS;
    return { measure, first, last, limit, hasGrown: isTooShort ? undefined : last > limit };
  });
}

/** A value as a person reads it: bytes in MB, times with one decimal. */
export function shown(value: number, unit: string): string {
  if (unit === 'MB') return (value / MB).toFixed(0);
  return unit === 'ms' ? value.toFixed(1) : value.toFixed(0);
}
