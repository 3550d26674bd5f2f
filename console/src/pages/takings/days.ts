/** A business day of a restaurant, `YYYY-MM-DD`. */
export type Day = string;

const DAY_MS = 86_400_000;
const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

/** The date `count` days later; a negative number goes back. */
export function daysAfter(day: Day, count: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);
}

/** `count` days in a row; `day` is the last. */
export function daysUntil(day: Day, count: number): Day[] {
  return Array.from({ length: count }, (_, i) => daysAfter(day, i - count + 1));
}

/** Whether a text is a date that exists. */
export function isDay(text: string | null): text is Day {
  if (!text || !DAY_PATTERN.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && time > 0 && daysAfter(text, 0) === text;
}

/**
 * The current business day: before the closing time, the day before.
 * @param dayClosesAt `HH:MM`
 */
export function currentDay(timezone: string, dayClosesAt: string, now: number): Day {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
    hourCycle: 'h23',
  }).formatToParts(now);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const date = `${part('year')}-${part('month')}-${part('day')}`;
  return `${part('hour')}:${part('minute')}` < dayClosesAt ? daysAfter(date, -1) : date;
}
