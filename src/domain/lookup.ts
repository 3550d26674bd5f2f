import type { Cause } from './cause.js';
import { type Answer, answerLine, causeOf, type Outcome } from './outcome.js';

/** What the answer to a look-up says about the order (D20); `unclear`: nothing certain. */
export type Sighting = 'found' | 'not-found' | 'in-progress' | 'unclear';

/**
 * The `error_code` of an attempt whose look-up was answered. Such an attempt did not send the order (reach NOT_SENT). Later attempts of
 * any instance read this code (O24).
 */
export const ASKED = {
  found: 'ASKED_FOUND',
  'not-found': 'ASKED_NOT_FOUND',
  'in-progress': 'ASKED_IN_PROGRESS',
} as const satisfies Partial<Record<Sighting, string>>;

/** What the recorded attempts to create and to cancel an order show about the order, by the database's clock. */
export interface Traces {
  /** whether an attempt to create the order may have arrived (D17) */
  readonly mayHaveArrived: boolean;
  /** ms until the deadline of the last call that sent the order or its cancel; 0: it has passed */
  readonly deadlineInMs: number;
  /** ms since the first 404 that counts (D21); null: there was no such 404 */
  readonly notFoundForMs: number | null;
  /** whether that may have been another POS than the present one, and nobody has decided since (Q31) */
  readonly isElsewhere: boolean;
}

/** The result of a look-up: the POS has the order, does not have it (D21), or nothing certain is known yet (null). */
export type Arrival =
  | { readonly found: true; readonly outcome: Outcome }
  | { readonly found: false }
  | { readonly found: null; readonly outcome: Outcome };

/**
 * The result of a look-up (D19 to D21). The second 404 that counts means that the order has not arrived. Before that, any answer except
 * `found` leads to a retry: after a 404, when the settle time has passed; after any other answer, with the backoff.
 * @param settleMs POS_LOOKUP_SETTLE_MS
 */
export function arrivalOf(answer: Answer, sighting: Sighting, traces: Traces, settleMs: number): Arrival {
  switch (sighting) {
    case 'found':
      return {
        found: true,
        outcome: { ...lookedUp(answer, null, FOUND), settling: 'deliver', errorCode: ASKED.found },
      };
    case 'not-found':
      return absence(answer, traces, settleMs);
    case 'in-progress': {
      const error = `the POS is still working on the order: ${answerLine(answer)}`;
      return { found: null, outcome: { ...lookedUp(answer, 'unconfirmed', error), errorCode: ASKED['in-progress'] } };
    }
    case 'unclear':
      return { found: null, outcome: notLookedUp(causeOfUnclear(answer), answerLine(answer), answer) };
  }
}

/** Why an answer does not say whether the POS has the order: an outage, a refused sign-in, or an answer that does not mention the order. */
function causeOfUnclear(answer: Answer): Cause {
  const isUnclear = answer.kind === 'answered' && (answer.meaning === 'delivered' || causeOf(answer) === 'refused');
  return isUnclear ? 'unconfirmed' : causeOf(answer);
}

/** The note in `error` of a successful attempt that found its order at the POS (D20). */
const FOUND = 'found at the POS';

/** The present POS knows nothing of an order that another one may have (Q31). */
const ELSEWHERE =
  'the order may have arrived at the store or POS of before a change of the set-up, and the present one does not know it: look there, and send it again only if it is not there';

function absence(answer: Answer, { notFoundForMs, deadlineInMs, isElsewhere }: Traces, settleMs: number): Arrival {
  if (notFoundForMs !== null && notFoundForMs >= settleMs && deadlineInMs === 0)
    return isElsewhere
      ? { found: null, outcome: { ...lookedUp(answer, 'unconfirmed', ELSEWHERE), settling: 'park' } }
      : { found: false };
  const waitMs = notFoundForMs === null ? Math.max(settleMs, deadlineInMs) : settleMs - notFoundForMs;
  const error = `the order may have arrived, though the POS does not know it yet (${answerLine(answer)}); it is asked again`;
  const outcome = {
    ...lookedUp(answer, 'unconfirmed', error),
    errorCode: ASKED['not-found'],
    retryInMs: Math.max(0, Math.ceil(waitMs)),
  };
  return { found: null, outcome };
}

/**
 * The outcome of an attempt whose look-up failed (D20).
 * @param cause why the look-up failed; a missing setting keeps its cause, so that a PATCH of the setting makes the job due (R32)
 * @param answer null: no call was made
 */
export function notLookedUp(cause: Cause, why: string, answer: Answer | null = null): Outcome {
  return lookedUp(answer, cause, `the order may have arrived, and the POS could not be asked: ${why}`);
}

/** With POS_AFTER_UNKNOWN=ask, adds to the error that the order may have arrived, if it may (O25). */
export function withArrivalNote(outcome: Outcome): Outcome {
  const { settling, reach, httpStatus, error } = outcome;
  const unknown = reach === 'UNKNOWN' || (reach === 'ANSWERED' && (httpStatus ?? 0) >= 500);
  if (settling === 'deliver' || !unknown) return outcome;
  return { ...outcome, error: `${error}; the order may have arrived: the POS is asked before it is sent again` };
}

/** The outcome of an attempt that looked up its order, or tried to, and did not send the order. */
function lookedUp(answer: Answer | null, cause: Cause | null, error: string): Outcome {
  const known = { settling: 'retry', reach: 'NOT_SENT', cause, error } as const;
  if (answer === null) return { ...known, httpStatus: null, errorCode: null, retryAfterMs: null };
  if (answer.kind === 'unanswered') return { ...known, httpStatus: null, errorCode: answer.code, retryAfterMs: null };
  return { ...known, httpStatus: answer.status, errorCode: answer.errorCode, retryAfterMs: answer.retryAfterMs };
}
