const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Seed, retry backoff for FAILED jobs after attempt 1..6, in ms; later attempts wait as long as the sixth. */
export const RETRY_LADDER_MS = [30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, 60 * MINUTE] as const;

/** A longer Retry-After is honoured up to this. */
export const LONGEST_RETRY_AFTER_MS = 60 * MINUTE;

/** Up to this share of the step is added, so that an outage does not end in a stampede. */
const JITTER = 0.1;

/**
 * How long a job waits after its attempt `attempt` (from 1) failed, in ms.
 * @param random from [0, 1)
 * @param retryAfterMs what the POS asked for, if it did
 */
export function backoffMs(attempt: number, random: number, retryAfterMs = 0): number {
  const last = RETRY_LADDER_MS.length - 1;
  const step = RETRY_LADDER_MS[Math.min(Math.max(attempt - 1, 0), last)] as number;
  const wait = Math.max(step, Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS));
  return Math.round(wait * (1 + JITTER * random));
}
