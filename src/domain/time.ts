const ISO_8601 = /^(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/;
/** The basic format, with a time of day. */
const BASIC = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(?:(\d{2})(\.\d+)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * Parses an ISO 8601 date or time from 1970 to 9999, also as Postgres writes it (`2026-11-20 18:30:00+00`); null for any other text. A time without a zone is read
 * as UTC (W15), not in the time zone of the instance.
 */
export function readTime(text: string): Date | null {
  const extended = text.replace(
    BASIC,
    (_, year, month, date, hour, minute, second = '00', fraction = '', zone = '') =>
      `${year}-${month}-${date}T${hour}:${minute}:${second}${fraction}${zone}`,
  );
  const [, day, time = 'T00:00:00', zone = 'Z'] = ISO_8601.exec(extended) ?? [];
  if (!day) return null;
  const midnight = dateInRange(new Date(`${day}T00:00:00Z`));
  // JavaScript reads 30 February as 2 March
  if (midnight?.getUTCDate() !== Number(day.slice(8))) return null;
  return dateInRange(
    new Date(
      `${day}${time.replace(' ', 'T')}${zone.replace(/^([+-]\d{2}):?(\d{2})?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`)}`,
    ),
  );
}

/** The date when it is valid and from 1970 to 9999, else null. */
export function dateInRange(date: Date): Date | null {
  return date.getTime() >= 0 && date.getUTCFullYear() <= 9999 ? date : null;
}

/**
 * A time as ISO 8601 with the offset of a clock, for example `2026-11-20T19:00:00-03:00`.
 * @param offsetMinutes offset of that clock from UTC at this time
 */
export function timeWithOffset(time: Date, offsetMinutes: number): string {
  const shown = new Date(time.getTime() + offsetMinutes * 60_000).toISOString().replace(/(\.000)?Z$/, '');
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${shown}${offsetMinutes < 0 ? '-' : '+'}${hours}:${minutes}`;
}
