/** The months (`YYYY-MM`) up to that of a day, the latest first. @param count how many */
export function monthsBefore(day: string, count: number): string[] {
  const [year = 0, month = 1] = day.split('-').map(Number);
  return Array.from({ length: count }, (_, back) =>
    new Date(Date.UTC(year, month - 1 - back, 1)).toISOString().slice(0, 7),
  );
}

/** The last day of a month (`YYYY-MM`). */
export function lastDayOf(month: string): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}
