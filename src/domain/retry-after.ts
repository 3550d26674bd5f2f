import { MAX_RETRY_AFTER_MS } from './backoff.js';

const SECONDS = /^\s*\d+\s*$/;

/**
 * The Retry-After header of an answer. A date is turned into seconds by the Date header of the same answer, which is of the same clock: this machine's
 * clock may be wrong (O15).
 * @param headers names in lower case
 * @returns undefined: the answer has none
 */
export function retryAfterOf(headers: Readonly<Record<string, unknown>>): string | undefined {
  const { 'retry-after': text, date } = headers;
  if (typeof text !== 'string') return undefined;
  const ms = Date.parse(text) - Date.parse(String(date));
  // a number of seconds may be read as a year
  return Number.isNaN(ms) || SECONDS.test(text) ? text : String(Math.max(0, Math.ceil(ms / 1_000)));
}

/**
 * Parses a Retry-After header, which has seconds or an HTTP date.
 * @param now epoch ms
 * @returns ms, at most MAX_RETRY_AFTER_MS (O15), since a header may have any number of digits; null for any other text and for a time in the past
 */
export function retryAfterMs(header: string, now: number): number | null {
  const ms = SECONDS.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : null;
}
