export const HOUR_MS = 3_600_000;

/** The takings of the hour from `start` (ISO 8601); hours without a sale are left out. */
export interface Hour {
  readonly start: string;
  readonly orders: number;
  readonly cents: number;
}

/** The hours of an answer with what was taken (R61): without cancelled orders. */
export const hoursTaken = (hours: readonly (Hour & { readonly cancelledCents: number })[] | null): Hour[] =>
  (hours ?? []).map(({ start, orders, cents, cancelledCents }) => ({ start, orders, cents: cents - cancelledCents }));

/** The hours of a business day, and its start (ISO 8601). */
export interface DayHours {
  readonly from: string;
  readonly hours: readonly Hour[];
}

/** An hour, and what the same hour of the other day took; null: there is no other day. */
export interface ComparedHour extends Hour {
  readonly beforeCents: number | null;
}

/**
 * All hours from the first to the last of two days, each beside the hour that is as long after the start of its day. So a day of another
 * season is compared by what the clock shows.
 * @param before undefined: not known, or without a sale
 */
export function comparedHours(day: DayHours, before: DayHours | undefined): ComparedHour[] {
  const shiftMs = before ? Date.parse(day.from) - Date.parse(before.from) : 0;
  const own = new Map(day.hours.map((hour) => [Date.parse(hour.start), hour]));
  const other = new Map(before?.hours.map(({ start, cents }) => [Date.parse(start) + shiftMs, cents]));
  const starts = [...own.keys(), ...other.keys()];
  const filled: ComparedHour[] = [];
  for (let at = Math.min(...starts); at <= Math.max(...starts); at += HOUR_MS)
    filled.push({
      ...(own.get(at) ?? { start: new Date(at).toISOString(), orders: 0, cents: 0 }),
      beforeCents: other.size > 0 ? (other.get(at) ?? 0) : null,
    });
  return filled;
}

/** What two days had taken by the end of an hour; null: not yet, or there is no other day. */
export interface RunningHour {
  readonly cents: number | null;
  readonly beforeCents: number | null;
}

/** The sums of the hours so far, of both days; this day has none of hours that have not begun. @param now in ms */
export function runningSums(hours: readonly ComparedHour[], now: number): RunningHour[] {
  let [cents, beforeCents] = [0, 0];
  return hours.map((hour) => {
    cents += hour.cents;
    beforeCents += hour.beforeCents ?? 0;
    return {
      cents: Date.parse(hour.start) > now ? null : cents,
      beforeCents: hour.beforeCents === null ? null : beforeCents,
    };
  });
}

/** How much more a day took than another, and until when. */
export interface Change {
  /** 0.12 for 12 % more; negative for less */
  readonly share: number;
  /** the end of the last hour that counts; epoch ms */
  readonly untilMs: number;
}

/**
 * Compares the hours that are over: the current hour of this day is not yet what the other day's whole hour is.
 * @returns null when the other day had no sale until then
 */
export function changeUntil(hours: readonly ComparedHour[], now: number): Change | null {
  const over = hours.filter(({ start }) => Date.parse(start) + HOUR_MS <= now);
  const before = over.reduce((sum, { beforeCents }) => sum + (beforeCents ?? 0), 0);
  const last = over.at(-1);
  if (!last || before === 0) return null;
  const own = over.reduce((sum, { cents }) => sum + cents, 0);
  return { share: own / before - 1, untilMs: Date.parse(last.start) + HOUR_MS };
}
