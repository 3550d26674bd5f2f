import type { Job } from './reading.js';

type AttemptAnswer = Pick<Job['history'][number], 'outcome' | 'httpStatus' | 'errorCode'>;

/** The POS's answer to the attempt that settled a job. */
export type Ending =
  | 'delivered'
  /** a POS that fetches its orders has acknowledged it: there is no answer (Q5) */
  | 'fetched'
  /** the POS refused a second copy: an earlier attempt had arrived */
  | 'duplicate'
  /** a look-up found it: an earlier attempt had arrived */
  | 'found'
  | 'cancelDelivered'
  /** the POS has no such order (C7, C13) */
  | 'cancelAbsent';

/** @param attempt one whose outcome is SENT */
export function endingOf(action: Job['action'], { httpStatus, errorCode }: AttemptAnswer): Ending {
  const isRefusal = httpStatus !== null && httpStatus >= 400;
  if (action === 'CANCEL') return isRefusal || errorCode === 'ASKED_NOT_FOUND' ? 'cancelAbsent' : 'cancelDelivered';
  if (errorCode?.startsWith('ASKED_')) return 'found';
  if (isRefusal) return 'duplicate';
  return httpStatus === null ? 'fetched' : 'delivered';
}

/** When the POS took a cancelled order back, ISO 8601; undefined: it never had the order. */
export function takenBackAt(
  jobs: readonly (Pick<Job, 'action' | 'updatedAt'> & { readonly history: readonly AttemptAnswer[] })[],
): string | undefined {
  const cancel = jobs.find(({ action }) => action === 'CANCEL');
  const last = cancel?.history.findLast(({ outcome }) => outcome === 'SENT');
  return cancel && last && endingOf('CANCEL', last) === 'cancelDelivered' ? cancel.updatedAt : undefined;
}
