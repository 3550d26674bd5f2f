/** The states of a job (O1). */
export const JOB_STATUSES = ['PENDING', 'PROCESSING', 'SENT', 'FAILED', 'DLQ'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** CREATE delivers an order to the POS, CANCEL takes it back. */
export const JOB_ACTIONS = ['CREATE', 'CANCEL'] as const;
export type JobAction = (typeof JOB_ACTIONS)[number];

/** How far the request of an attempt got: not sent, perhaps arrived, or answered by the POS (D17). */
export type Reach = 'NOT_SENT' | 'UNKNOWN' | 'ANSWERED';

/** The legal moves between states (O2). Only the SQL statements of the job store write a job's status. */
export const MOVES = {
  enqueue: { from: [], to: 'PENDING' },
  /** by the statement that stores a sale, for room that the worker has reserved (O32) */
  enqueueClaimed: { from: [], to: 'PROCESSING' },
  claim: { from: ['PENDING', 'FAILED'], to: 'PROCESSING' },
  deliver: { from: ['PROCESSING'], to: 'SENT' },
  /** the POS accepted the last attempt, which was recorded as LOST, and no worker has claimed the job since (O12) */
  deliverLate: { from: ['PENDING'], to: 'SENT' },
  retry: { from: ['PROCESSING'], to: 'FAILED' },
  park: { from: ['PROCESSING'], to: 'DLQ' },
  /** by the reaper, when the lease expired; the attempt is counted */
  expire: { from: ['PROCESSING'], to: 'PENDING' },
  /** claimed but not sent: the instance stops, or the order of a CANCEL is still being sent; the attempt is not counted */
  release: { from: ['PROCESSING'], to: 'PENDING' },
  /** by a cancel, so that the order is never sent; a PROCESSING job is withdrawn in place of the moves `expire` and `release` */
  withdraw: { from: ['PENDING', 'FAILED', 'DLQ', 'PROCESSING'], to: 'DLQ' },
  /** a parked CANCEL is requested again (C12) */
  requestAgain: { from: ['DLQ'], to: 'PENDING' },
  /** somebody entered the order in the till by hand (R65): parked, and settled; a PROCESSING job only if a POS that pulls was silent before */
  settleByHand: { from: ['PENDING', 'FAILED', 'DLQ', 'PROCESSING'], to: 'DLQ' },
  /** by the POS, which refuses an order after it was delivered (Q16): parked */
  refuse: { from: ['SENT', 'DLQ'], to: 'DLQ' },
  /** a CANCEL that the POS of before has not taken when the vendor is changed (Q14) */
  parkCancel: { from: ['PENDING', 'FAILED'], to: 'DLQ' },
  /** by an operator, in SQL or over the API (R9 to R11) */
  reset: { from: ['DLQ', 'FAILED'], to: 'PENDING' },
} as const satisfies Record<string, { from: readonly JobStatus[]; to: JobStatus }>;

export type Move = keyof typeof MOVES;

/** The three ways an attempt can settle its job. */
export type Settling = Extract<Move, 'deliver' | 'retry' | 'park'>;
