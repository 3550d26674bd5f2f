import type { Job } from './reading.js';

type Attempt = Pick<Job['history'][number], 'outcome' | 'httpStatus' | 'errorCode'>;

/** What the POS said by the attempt that settled a job. */
export type Ending =
  | 'delivered'
  /** an earlier attempt had arrived, as the POS said when it got the order again */
  | 'duplicate'
  /** an earlier attempt had arrived, as the POS said when it was asked */
  | 'found'
  | 'cancelDelivered'
  /** the POS has no such order (C7, C13) */
  | 'cancelAbsent';

/** @param attempt one whose outcome is SENT */
export function endingOf(action: Job['action'], { httpStatus, errorCode }: Attempt): Ending {
  const isRefusal = httpStatus !== null && httpStatus >= 400;
  if (action === 'CANCEL') return isRefusal || errorCode === 'ASKED_NOT_FOUND' ? 'cancelAbsent' : 'cancelDelivered';
  if (errorCode?.startsWith('ASKED_')) return 'found';
  return isRefusal ? 'duplicate' : 'delivered';
}

/** Of a cancelled order: when the POS took it back, ISO 8601; undefined: it never had the order. */
export function takenBackAt(
  jobs: readonly (Pick<Job, 'action' | 'updatedAt'> & { readonly history: readonly Attempt[] })[],
): string | undefined {
  const cancel = jobs.find(({ action }) => action === 'CANCEL');
  const last = cancel?.history.findLast(({ outcome }) => outcome === 'SENT');
  return cancel && last && endingOf('CANCEL', last) === 'cancelDelivered' ? cancel.updatedAt : undefined;
}
