/** Milliseconds of a clock that all processes of a machine share. */
export const now = () => Number(process.hrtime.bigint()) / 1e6;

/** @returns the value below which this share of the sorted numbers lies; NaN of none */
export function quantile(sorted, share) {
  return sorted.length > 0 ? sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] : Number.NaN;
}

/** p50, p99 and the largest of these times, in the unit they have. */
export function percentiles(times) {
  const sorted = Float64Array.from(times).sort();
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: sorted.at(-1) ?? Number.NaN };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Rounds to this many significant digits, so that figures of any size can be read: 3 -> 1.23, 45.6, 7890. */
export function significant(value, digits = 3) {
  if (!Number.isFinite(value) || value === 0) return value;
  const scale = 10 ** Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return Math.round(value * scale) / scale;
}
