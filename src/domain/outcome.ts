import type { Cause, Subject } from './cause.js';
import type { JobStatus, Reach, Settling } from './job.js';
import type { Unmappable } from './order.js';

/**
 * The result of one HTTP call to the POS, with its vendor-specific error code already classified as a `meaning`. Failed
 * calls are values too; nothing is thrown.
 */
export type Answer = Answered | Unanswered;

export interface Answered {
  readonly kind: 'answered';
  readonly meaning: Meaning;
  /** HTTP status */
  readonly status: number;
  /** the POS's error code; null when the body carries none */
  readonly errorCode: string | null;
  /** the POS's error message, without credentials; null when the body carries none */
  readonly message: string | null;
  /** the Retry-After header in ms; null without one */
  readonly retryAfterMs: number | null;
  /** the connection ended before the body was complete */
  readonly broken: boolean;
  /** why the body cannot be read (D24); absent: it could be read */
  readonly unreadable?: string;
  /** what the error is about (O47); absent: the vendor cannot tell */
  readonly subject?: Subject;
}

/** The call ended without an HTTP response. */
export interface Unanswered {
  readonly kind: 'unanswered';
  /** NOT_SENT: the request did not leave; UNKNOWN: it may have arrived (D17) */
  readonly reach: Exclude<Reach, 'ANSWERED'>;
  /** the transport's error code: ECONNREFUSED, ECONNRESET, TIMEOUT, ... */
  readonly code: string;
  readonly message: string;
}

/** The class of an answer; it decides the job's move (D7 to D14). */
export type Meaning =
  /** the POS accepted the order, or the cancel */
  | 'delivered'
  /** the same request may succeed later */
  | 'temporary'
  /** the POS refused the credentials or the token */
  | 'authentication'
  /** the POS has an order of this id already */
  | 'duplicate'
  /** permanent: the same request would be refused again */
  | 'refused';

/** The meanings that a vendor's error code alone can give; see {@link meaningOf}. */
export type ErrorMeaning = Extract<Meaning, 'temporary' | 'authentication' | 'duplicate'>;

const AUTHENTICATION_STATUSES: ReadonlySet<number> = new Set([401, 403]);
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Classifies an answer by HTTP status and error code; the first of the rules D7 to D14 that fits decides.
 * @param status HTTP status
 * @param broken whether the connection ended before the body was complete
 * @param unreadable whether the body cannot be read: it may say anything, also below a 2xx, so only the status counts (D24)
 * @param code the meaning of the vendor's error code; null when the answer has no error code, or its error code has no {@link ErrorMeaning}
 */
export function meaningOf(status: number, broken: boolean, code: ErrorMeaning | null, unreadable = false): Meaning {
  if (code === 'authentication' || AUTHENTICATION_STATUSES.has(status)) return 'authentication';
  if (unreadable) return 'temporary';
  if (status >= 200 && status < 300) return 'delivered';
  if (code === 'temporary' || status >= 500 || TEMPORARY_STATUSES.has(status) || broken) return 'temporary';
  return code === 'duplicate' ? 'duplicate' : 'refused';
}

/** Whether the POS refused the credentials or the token (D8). */
export function isAuthenticationFailure(answer: Answer): boolean {
  return answer.kind === 'answered' && answer.meaning === 'authentication';
}

/** The error code of a sign-in whose answer carries no token; for orders, such a sign-in counts as refused (D16). */
export const NO_TOKEN = 'NO_TOKEN';

/** Why a call failed (O30). @param answer an answer whose meaning is not `delivered` */
export function causeOf(answer: Answer): Cause {
  if (answer.kind === 'unanswered') return 'unanswered';
  const { meaning, status, broken, unreadable, retryAfterMs } = answer;
  if (meaning === 'authentication') return 'sign_in';
  if (meaning !== 'temporary') return 'refused';
  const isThrottled = status === 429 && retryAfterMs !== null;
  const fails = status >= 500 || broken || unreadable !== undefined || (TEMPORARY_STATUSES.has(status) && !isThrottled);
  return fails ? 'failing' : 'busy';
}

/** The statuses with which a POS refuses an order, also without an error code (D13). */
export const REFUSING_STATUSES: readonly number[] = [400, 422];

/**
 * Whether the answer shows that the POS works (O46): it took, found, acknowledged or refused an order, or answered a look-up. A refused sign-in, a POS that asks
 * for another try, and a 3xx or 4xx that a proxy may have sent in its place do not show it.
 */
export function showsPosWorks({ settling, reach, httpStatus, errorCode, cause }: Outcome): boolean {
  // a POS that pulls has acknowledged it
  if (httpStatus === null) return settling === 'deliver' && reach === 'ANSWERED';
  if (cause !== null && cause !== 'refused' && cause !== 'unconfirmed') return false;
  return httpStatus < 300 || errorCode !== null || REFUSING_STATUSES.includes(httpStatus);
}

/** Why a sign-in failed: the POS refused it, or there was an outage, which other credentials would not end (D11, D16). */
export function causeOfSignIn(answer: Answer): Cause {
  const cause = causeOf(answer);
  const isRefused = cause === 'refused' || (answer.kind === 'unanswered' && answer.code === NO_TOKEN);
  return isRefused ? 'sign_in' : cause;
}

/**
 * The result of an attempt: the job's move, and the columns of the attempt. `delivery_attempts.outcome` has the state that
 * `settling` leads to.
 */
export interface Outcome {
  readonly settling: Settling;
  readonly reach: Reach;
  /** null when there was no answer */
  readonly httpStatus: number | null;
  /** the POS's error code, or the transport's error code when there was no answer */
  readonly errorCode: string | null;
  /** null on success */
  readonly cause: Cause | null;
  /** becomes `lastError`; on success null or a note */
  readonly error: string | null;
  /** the POS's Retry-After in ms; null without one */
  readonly retryAfterMs: number | null;
  /** ms until a retry, in place of the backoff; absent: the backoff (O14) */
  readonly retryInMs?: number;
  /** true: a parked job that needs nobody, so it is settled at once (M16); absent: it waits for somebody */
  readonly resolved?: true;
  /** what the POS refused for good is about (O47); absent unless the cause is `refused` */
  readonly subject?: Subject;
  /** true: the order was delivered to a POS that says later whether it accepts it (Q15); absent: it says nothing more */
  readonly isUnheard?: true;
  /** the JSON body of the request that may have arrived (O19); absent when there was no body. The body is never logged (H10). */
  readonly sentBody?: string;
}

/** The outcome of an attempt that ended before a request was sent. */
export function notSent(settling: 'retry' | 'park', cause: Cause, error: string): Outcome {
  return { settling, reach: 'NOT_SENT', httpStatus: null, errorCode: null, cause, error, retryAfterMs: null };
}

/** The outcome of a sale that cannot be mapped (M10). A refund whose amount is known is settled at once (M16). */
export function cannotBeMapped({ unmappable, refund, recorded }: Unmappable): Outcome {
  const outcome = notSent('park', refund ? 'refund' : 'unmappable', `cannot be mapped: ${unmappable}`);
  return recorded ? { ...outcome, resolved: true } : outcome;
}

/** The outcome of an attempt whose sign-in failed: a retry, since credentials can be corrected while the job waits (D16). */
export function signInFailed(answer: Answer): Outcome {
  const error = `POS sign-in failed: ${answerLine(answer)}`;
  return { ...recorded(answer, 'retry', error), reach: 'NOT_SENT', cause: causeOfSignIn(answer) };
}

/**
 * The outcome of an attempt whose order, or cancel, was sent (D7 to D14).
 * @param arrivedBefore whether an earlier attempt may have arrived; a duplicate is then that attempt's order, so it counts
 *   as delivered (D12)
 */
export function outcomeOf(answer: Answer, arrivedBefore: boolean): Outcome {
  const error = answerLine(answer);
  if (answer.kind === 'unanswered') return recorded(answer, 'retry', error);
  switch (answer.meaning) {
    case 'delivered':
      return recorded(answer, 'deliver', null);
    case 'temporary':
      return recorded(answer, 'retry', error);
    case 'authentication':
      return recorded(answer, 'retry', `POS authentication failed: ${error}`);
    case 'duplicate':
      return arrivedBefore ? recorded(answer, 'deliver', null) : recorded(answer, 'park', error);
    case 'refused':
      return recorded(answer, 'park', error);
  }
}

/** The CREATE job of the order to cancel, read after its withdrawal; a SENT or PROCESSING job is not withdrawn. */
export interface CreateToCancel {
  readonly status: JobStatus;
  /** whether an attempt of this job may have arrived at the POS */
  readonly mayHaveArrived: boolean;
  /** whether that was another POS than the present one of its restaurant, and nobody has decided since (Q30) */
  readonly isElsewhere: boolean;
}

/**
 * The next step of a CANCEL job by the state of its CREATE job (C3 to C7). `wait`: the order is being sent. `end`: the order was withdrawn
 * and cannot have arrived, so that no call is needed. `call`: the POS must cancel the order. `elsewhere`: the present POS does not know it.
 */
export function cancelStep({
  status,
  mayHaveArrived,
  isElsewhere,
}: CreateToCancel): 'wait' | 'end' | 'elsewhere' | 'call' {
  if (status === 'PROCESSING') return 'wait';
  if (isWithdrawn(status) && !mayHaveArrived) return 'end';
  return isElsewhere ? 'elsewhere' : 'call';
}

/** The outcome of a CANCEL job whose order another POS has: parked without a call (Q30). */
export function cancelElsewhere(): Outcome {
  const why =
    'vendor, address or store code of the POS was changed after it got the order: void the order there by hand. If it is the same POS, request the cancel again';
  return notSent('park', 'unconfirmed', why);
}

/** The outcome of a CANCEL job whose order the POS does not have: the job becomes SENT without a cancel call (C6). */
export function nothingToCancel(): Outcome {
  const nothing = { httpStatus: null, errorCode: null, cause: null, error: null, retryAfterMs: null };
  return { settling: 'deliver', reach: 'NOT_SENT', ...nothing };
}

/**
 * The outcome of a cancel call. When the CREATE was withdrawn, a 4xx that would park the job means that the POS has no such
 * order, so the CANCEL job becomes SENT (C7).
 * @param called the outcome that {@link outcomeOf} gave the call
 * @param isThere a look-up has found the order just before: a 4xx refuses the cancel, and the order is in the kitchen (C13)
 */
export function outcomeOfCancel(called: Outcome, { status }: Pick<CreateToCancel, 'status'>, isThere = false): Outcome {
  const { settling, httpStatus } = called;
  const refused = settling === 'park' && httpStatus !== null && httpStatus >= 400 && httpStatus < 500;
  if (!refused || !isWithdrawn(status) || isThere) return called;
  const { subject: _, ...withoutSubject } = called;
  return { ...withoutSubject, settling: 'deliver', cause: null, error: null };
}

/** A CREATE job in DLQ was just withdrawn by its cancel, so its order is never sent again (C5). */
function isWithdrawn(status: JobStatus): boolean {
  return status === 'DLQ';
}

/** Turns a retry after the last allowed attempt into parking (O16) and keeps the cause; returns any other outcome unchanged. */
export function limitAttempts(outcome: Outcome, attempt: number, maxAttempts: number): Outcome {
  if (outcome.settling !== 'retry' || attempt < maxAttempts) return outcome;
  return { ...outcome, settling: 'park', error: `gave up after ${attempt} attempts: ${outcome.error}` };
}

/** Formats an answer as one line for logs and `lastError`: `HTTP 422, POS error 12: unknown product`. */
export function answerLine(answer: Answer): string {
  if (answer.kind === 'unanswered') return `no answer from the POS: ${answer.code}: ${answer.message}`;
  const code = answer.errorCode === null ? '' : `, POS error ${answer.errorCode}`;
  const unreadable = answer.unreadable === undefined ? '' : ` (the body cannot be read: ${answer.unreadable})`;
  const message = answer.message === null ? '' : `: ${answer.message}`;
  return `HTTP ${answer.status}${code}${message}${answer.broken ? ' (the body broke off)' : ''}${unreadable}`;
}

function recorded(answer: Answer, settling: Settling, error: string | null): Outcome {
  const cause = settling === 'deliver' ? null : causeOf(answer);
  if (answer.kind === 'unanswered')
    return {
      settling,
      reach: answer.reach,
      httpStatus: null,
      errorCode: answer.code,
      cause,
      error,
      retryAfterMs: null,
    };
  const { status: httpStatus, errorCode, retryAfterMs, broken, unreadable } = answer;
  // neither an incomplete body nor a 2xx with an unreadable one shows whether the POS accepted the order
  const isUnclear = broken || (unreadable !== undefined && httpStatus >= 200 && httpStatus < 300);
  const reach = isUnclear && settling !== 'deliver' ? 'UNKNOWN' : 'ANSWERED';
  const subject = cause === 'refused' ? { subject: answer.subject ?? 'other' } : {};
  return { settling, reach, httpStatus, errorCode, cause, error, retryAfterMs, ...subject };
}
