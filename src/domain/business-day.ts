import { readTime } from './time.js';

/** A calendar date, `YYYY-MM-DD`, that names a restaurant's business day (R15). */
export type Day = string;

/** `HH:MM` from 00:00 to 11:59: when a business day ends, on the morning after it began (R15). */
export const CLOSING_TIME = /^(0\d|1[01]):[0-5]\d$/;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** Only names with an area, and UTC: Postgres reads an offset with the opposite sign, and `CET` as an offset without summer time. */
const ZONE_NAME = /^(UTC|[A-Za-z_]+(\/[\w+-]+)+)$/;

/** Whether a text is an existing date, of the years 1970 to 9999. */
export function isDay(text: string): text is Day {
  return DAY.test(text) && readTime(text) !== null;
}

/** Whether a text is the IANA name of a time zone: `UTC`, or an area and a place, such as `America/Sao_Paulo`. */
export function isTimeZone(text: string): boolean {
  if (!ZONE_NAME.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/** The day after. */
export function dayAfter(day: Day): Day {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}
