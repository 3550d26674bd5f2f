import type { Day } from '../../../domain/business-day.js';

/** Offsets change on a quarter of an hour. */
const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
/** The most offsets that are kept for a zone: a year of quarters. */
const MOST_KEPT = 40_000;

interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly offsets: Map<number, number>;
}
const zones = new Map<string, Zone>();

/** The offset of a zone from UTC at a time, in ms. @param at epoch ms */
export function offsetAt(at: number, zone: string): number {
  let known = zones.get(zone);
  if (!known) {
    const numeric = {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    } as const;
    known = {
      format: new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...numeric }),
      offsets: new Map(),
    };
    zones.set(zone, known);
  }
  const quarter = Math.floor(at / QUARTER_MS);
  const kept = known.offsets.get(quarter);
  if (kept !== undefined) return kept;
  const parts = Object.fromEntries(
    known.format.formatToParts(quarter * QUARTER_MS).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const offset = Date.UTC(year, month - 1, day, hour, minute, second) - quarter * QUARTER_MS;
  if (known.offsets.size >= MOST_KEPT) known.offsets.clear();
  known.offsets.set(quarter, offset);
  return offset;
}

/**
 * The time that a clock shows. Of a time that it shows twice the first; a time that it skips counts as it would have gone on.
 * @param local the time of the clock as if it were UTC, epoch ms
 */
export function localTime(local: number, zone: string): Date {
  const candidates = [offsetAt(local - DAY_MS, zone), offsetAt(local + DAY_MS, zone)].map((offset) => local - offset);
  const real = candidates.filter((at) => at + offsetAt(at, zone) === local);
  return new Date(real.length > 0 ? Math.min(...real) : (candidates[0] as number));
}

/** The business day of a time (R15), as `business_day()` of the database computes it. @param closes `HH:MM` */
export function businessDayOf(at: Date, zone: string, closes: string): Day {
  const [hours = 0, minutes = 0] = closes.split(':').map(Number);
  const closesMs = (hours * 60 + minutes) * 60_000;
  const shifted = at.getTime() + offsetAt(at.getTime(), zone) - closesMs;
  const midnight = Math.floor(shifted / DAY_MS) * DAY_MS;
  const day = at < localTime(midnight + closesMs, zone) ? midnight - DAY_MS : midnight;
  return new Date(day).toISOString().slice(0, 10);
}
