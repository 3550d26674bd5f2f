/** The instant at which a date, `YYYY-MM-DD`, begins in a time zone; undefined for an invalid date. */
export function beginningOf(day: string | null, timezone: string): string | undefined {
  if (day === null || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight)) return undefined;
  // twice: the offset may change between the first guess and the result
  const guess = midnight - offsetOf(midnight, timezone);
  return new Date(midnight - offsetOf(guess, timezone)).toISOString();
}

/** As {@link beginningOf}, for the next date. */
export function endOf(day: string | null, timezone: string): string | undefined {
  const next = day === null ? Number.NaN : Date.parse(`${day}T00:00:00Z`) + 86_400_000;
  return Number.isNaN(next) ? undefined : beginningOf(new Date(next).toISOString().slice(0, 10), timezone);
}

/** The offset of a time zone from UTC at an instant, in ms. */
function offsetOf(instant: number, timeZone: string): number {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return Date.parse(`${shown.format(instant).replace(' ', 'T')}Z`) - Math.floor(instant / 1_000) * 1_000;
}
