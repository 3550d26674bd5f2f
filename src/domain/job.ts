import type { PosAnswer } from './pos-answer.js';

/** Seed, "States and transitions". */
export const JOB_STATUSES = ['PENDING', 'PROCESSING', 'SENT', 'FAILED', 'DLQ'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const JOB_ACTIONS = ['CREATE', 'CANCEL'] as const;
export type JobAction = (typeof JOB_ACTIONS)[number];

/** How far the order of an attempt got. */
export type Reach = 'NOT_SENT' | 'UNKNOWN' | 'ANSWERED';

/** Every legal move by name: from which states, to which. The job store's statements are its only writers. */
export const MOVES = {
  enqueue: { from: [], to: 'PENDING' },
  lock: { from: ['PENDING', 'FAILED'], to: 'PROCESSING' },
  deliver: { from: ['PROCESSING'], to: 'SENT' },
  retry: { from: ['PROCESSING'], to: 'FAILED' },
  park: { from: ['PROCESSING'], to: 'DLQ' },
  /** reaper: the lease expired; the attempt stays counted */
  expire: { from: ['PROCESSING'], to: 'PENDING' },
  /** stopping instance: locked, but not started; the attempt is given back */
  release: { from: ['PROCESSING'], to: 'PENDING' },
  /** the order was cancelled before it was sent: it never will be */
  withdraw: { from: ['PENDING', 'FAILED', 'DLQ'], to: 'DLQ' },
  /** operator, by SQL */
  reset: { from: ['DLQ', 'FAILED'], to: 'PENDING' },
} as const satisfies Record<string, { from: readonly JobStatus[]; to: JobStatus }>;

export type Move = keyof typeof MOVES;

/** The three ways an attempt can settle its job. */
export type Settling = Extract<Move, 'deliver' | 'retry' | 'park'>;

/** What an attempt came to, before the number of attempts is considered. */
export interface Outcome {
  readonly settling: Settling;
  readonly reach: Reach;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  /** null on success */
  readonly error: string | null;
  readonly retryAfterMs: number | null;
}

/** An attempt that ended before its order left us. */
export function notSent(settling: 'retry' | 'park', error: string, errorCode: string | null = null): Outcome {
  return { settling, reach: 'NOT_SENT', httpStatus: null, errorCode, error, retryAfterMs: null };
}

/** An attempt that the POS answered, or that died on the way to it. */
export function outcomeOf(answer: PosAnswer, settling: Settling, error: string | null): Outcome {
  return answer.kind === 'answered'
    ? {
        settling,
        reach: 'ANSWERED',
        httpStatus: answer.status,
        errorCode: answer.errorCode === null ? null : String(answer.errorCode),
        error,
        retryAfterMs: answer.retryAfterMs,
      }
    : { settling, reach: answer.reach, httpStatus: null, errorCode: answer.code, error, retryAfterMs: null };
}

/** A temporary failure on the last attempt allowed parks the job (DECISIONS 3). */
export function withinAttempts(outcome: Outcome, attempt: number, maxAttempts: number): Outcome {
  if (outcome.settling !== 'retry' || attempt < maxAttempts) return outcome;
  return { ...outcome, settling: 'park', error: `gave up after ${attempt} attempts: ${outcome.error}` };
}
