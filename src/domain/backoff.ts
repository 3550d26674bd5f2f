const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The backoff after failed attempts 1 to 6, in ms (O14); after later attempts the backoff is the last value. */
export const RETRY_LADDER_MS = [30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, 60 * MINUTE] as const;

/** The longest Retry-After that is honoured, in ms; a longer one is shortened to this time (O15). */
export const MAX_RETRY_AFTER_MS = 60 * MINUTE;

/** Up to this fraction of the wait is added at random, so that jobs do not all retry at once after an outage. */
const JITTER = 0.1;

/**
 * The delay before the next attempt of a failed job, in ms (O14, O15).
 * @param attempt number of the attempt that failed, from 1
 * @param random random number in [0, 1), for the jitter
 * @param retryAfterMs the POS's Retry-After, in ms; 0 when it sent none
 */
export function backoffMs(attempt: number, random: number, retryAfterMs = 0): number {
  const last = RETRY_LADDER_MS.length - 1;
  const step = RETRY_LADDER_MS[Math.min(Math.max(attempt - 1, 0), last)] as number;
  const wait = Math.max(step, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
  return Math.round(wait * (1 + JITTER * random));
}

/** The shortest wait until a probe, in ms; the longest is twice as long (L199). */
export const PROBE_MS = 30 * SECOND;

/** The shortest wait until a probe of a refused sign-in, in ms (L209): only a person can end it, and new credentials make the orders due at once. */
export const SIGN_IN_PROBE_MS = 5 * MINUTE;

/**
 * The wait until an order of an outage is sent before its time, to learn whether the POS works (O45, O48), in ms.
 * @param random random number in [0, 1), for the jitter
 * @param retryAfterMs the POS's Retry-After, in ms; 0 when it sent none
 * @param shareMs the wait that the probes of all outages need, so that together they keep to their part of the slots, in ms
 * @param isSignIn whether the POS refused the sign-in
 */
export function probeMs(random: number, retryAfterMs = 0, shareMs = 0, isSignIn = false): number {
  const wait = Math.max(PROBE_MS, shareMs) * (1 + random);
  const least = isSignIn ? SIGN_IN_PROBE_MS * (1 + JITTER * random) : 0;
  return Math.round(Math.max(wait, least, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)));
}
