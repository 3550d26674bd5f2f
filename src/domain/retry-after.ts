import { MAX_RETRY_AFTER_MS } from './backoff.js';

/**
 * Parses a Retry-After header, which has seconds or an HTTP date.
 * @param now epoch ms
 * @returns ms, at most MAX_RETRY_AFTER_MS (O15), since a header may have any number of digits; null for any other text and for a time in the past
 */
export function retryAfterMs(header: string, now: number): number | null {
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : null;
}
