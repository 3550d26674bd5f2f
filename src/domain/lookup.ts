import type { Cause } from './cause.js';
import { type Answer, answerLine, causeOf, type Outcome } from './outcome.js';

/** What the POS says when it is asked for an order (D20); `unclear`: anything that does not say it. */
export type Sighting = 'found' | 'not-found' | 'in-progress' | 'unclear';

/**
 * The `error_code` of an attempt that asked and was told: its order was not sent by it (reach NOT_SENT). The next attempts, of
 * any instance, go by it (O24).
 */
export const ASKED = {
  found: 'ASKED_FOUND',
  'not-found': 'ASKED_NOT_FOUND',
  'in-progress': 'ASKED_IN_PROGRESS',
} as const satisfies Partial<Record<Sighting, string>>;

/** What the attempts of an order, and of its cancel, tell of it; times are the database's. */
export interface Traces {
  /** whether an attempt to create it may have arrived (D17) */
  readonly mayHaveArrived: boolean;
  /** ms until the deadline of the last call that sent something of it has passed; 0: it has */
  readonly deadlineInMs: number;
  /** ms since the first "no such order" that counts (D21); null: there is none */
  readonly notFoundForMs: number | null;
}

/** An order that the POS was asked for: it has it, it has it not (D21), or that is not known yet. */
export type Arrival =
  | { readonly found: true; readonly outcome: Outcome }
  | { readonly found: false }
  | { readonly found: null; readonly outcome: Outcome };

/**
 * What follows from the POS's answer (D19 to D21). Only the second "no such order" that counts says that the order did not
 * arrive: until then the outcome is a retry, at the first one after the settle time, else with the backoff.
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

/** What an attempt says that found its order (D20). */
const FOUND = 'found at the POS';

function absence(answer: Answer, { notFoundForMs, deadlineInMs }: Traces, settleMs: number): Arrival {
  if (notFoundForMs !== null && notFoundForMs >= settleMs && deadlineInMs === 0) return { found: false };
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
 * The outcome of an attempt that could not ask, or got no answer to its question (D20).
 * @param cause what prevented the look-up: a missing setting keeps its own word, so that a PATCH makes the job due (R32)
 * @param answer null: no call was made
 */
export function notLookedUp(cause: Cause, why: string, answer: Answer | null = null): Outcome {
  return lookedUp(answer, cause, `the order may have arrived, and the POS could not be asked: ${why}`);
}

/** What `lastError` of an attempt says whose order may have arrived, where the POS is asked (O25). */
export function withArrivalNote(outcome: Outcome): Outcome {
  const { settling, reach, httpStatus, error } = outcome;
  const unknown = reach === 'UNKNOWN' || (reach === 'ANSWERED' && (httpStatus ?? 0) >= 500);
  if (settling === 'deliver' || !unknown) return outcome;
  return { ...outcome, error: `${error}; the order may have arrived: the POS is asked before it is sent again` };
}

/** An attempt that sent nothing of its order. */
function lookedUp(answer: Answer | null, cause: Cause | null, error: string): Outcome {
  const known = { settling: 'retry', reach: 'NOT_SENT', cause, error } as const;
  if (answer === null) return { ...known, httpStatus: null, errorCode: null, retryAfterMs: null };
  if (answer.kind === 'unanswered') return { ...known, httpStatus: null, errorCode: answer.code, retryAfterMs: null };
  return { ...known, httpStatus: answer.status, errorCode: answer.errorCode, retryAfterMs: answer.retryAfterMs };
}
