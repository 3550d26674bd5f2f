/** A time without a zone is read as UTC, not in the zone of whichever instance reads it. */
const ISO_8601 = /^(\d{4}-\d{2}-\d{2})([T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** Reads an ISO 8601 time between 1970 and 9999; null for anything else, rather than a guess. */
export function readTime(text: string): Date | null {
  const [, day, time = 'T00:00:00', zone = 'Z'] = ISO_8601.exec(text) ?? [];
  if (!day) return null;
  const midnight = validTime(new Date(`${day}T00:00:00Z`));
  // JavaScript reads 30 February as 2 March
  if (!midnight?.toISOString().startsWith(day)) return null;
  return validTime(new Date(`${day}${time.replace(' ', 'T')}${zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')}`));
}

export function validTime(date: Date): Date | null {
  return date.getTime() >= 0 && date.getUTCFullYear() <= 9999 ? date : null;
}
