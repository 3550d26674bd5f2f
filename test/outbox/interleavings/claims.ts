import type { Config } from '../../../src/platform/config/config.js';
import type { Call } from './calls.js';
import type { Job, State } from './database.js';
import type { By } from './world.js';

/** The holder of the claims that polls make: `pos/UUID` (Q4). */
export const POS = 'pos/';

/** A claim of a job, from the statement that locked it. */
export interface Claim {
  /** `instance/UUID` */
  readonly lock: string;
  /** the job as it was locked */
  readonly job: Job;
  readonly calls: Call[];
}

/** How long a claim holds (O17, Q4), in ms. */
export const leaseMsOf = ({ outbox }: Config, lock: string) =>
  lock.startsWith(POS) ? outbox.pullLeaseMs : outbox.processingTtlMs;

/** The other job of its event. */
export const other = ({ jobs }: State, { key, restaurant, action }: Job) =>
  jobs.find((job) => job.key === key && job.restaurant === restaurant && job.action !== action);

/** Whether an instance holds the lock: what a POS holds, any instance settles for it. */
export const isOf = (by: By, lock: string | null) =>
  by !== 'operator' && (lock?.startsWith(POS) || lock?.startsWith(`${by.instance.name}/`));

export const newAttempt = (lock: string, before: State, after: State) =>
  after.attempts.find(({ id }) => lock.endsWith(`/${id}`) && !before.attempts.some((known) => known.id === id));

export const isLookup = ({ action }: Call) => action === 'LOOKUP';

export const wasDuplicate = ({ heard }: Call) => heard?.status === 400;

/** Whether this claim was told that the POS has the order, or that there is nothing (left) to cancel. */
export function isDelivered({ job, calls }: Claim, create: Job | undefined): boolean {
  const call = calls.find((each) => !isLookup(each));
  if (!call && job.action === 'CREATE') return calls.some(({ heard }) => heard?.status === 200);
  if (!call) return job.action === 'CANCEL' && create?.withdrawn === true;
  const { status } = call.heard ?? {};
  if (status === undefined) return false;
  if (job.action === 'CANCEL') return status < 300 || (status < 500 && create?.withdrawn === true);
  return status < 300 || wasDuplicate(call);
}
