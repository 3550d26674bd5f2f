import type { Recorded, Statement } from './statements.js';

/**
 * What a run leaves behind, as the verdict reads it: the terminals' view, the POS's, the database's, and the faults. Every time
 * is epoch ms by the machine's real clock; the instances' shifted clocks write none of it.
 */
export interface History {
  readonly orders: readonly ClientOrder[];
  /** in the order in which they happened */
  readonly pos: readonly PosCall[];
  readonly jobs: readonly JobRow[];
  readonly attempts: readonly AttemptRow[];
  /** every change of a job's status, in order */
  readonly moves: readonly MoveRow[];
  readonly attemptWrites: readonly AttemptWrite[];
  /** what those were answered who send no sale of the run */
  readonly bystanders: readonly BystanderCall[];
  /** the types of the receipts that the list had for each job id; see {@link ReceiptReader} */
  readonly receipts: ReadonlyMap<string, ReadonlySet<string>>;
  /** the events that polls have returned */
  readonly offers: readonly Offer[];
  /** what POSs that pull have said of their orders, and what the relay has recorded of it */
  readonly statements: readonly Statement[];
  readonly recorded: readonly Recorded[];
  /** stores whose POS pulls */
  readonly pullingStores: ReadonlySet<string>;
  readonly faults: readonly Fault[];
  /** process ids of the run, and the number of the instance that each was */
  readonly processes: ReadonlyMap<number, number>;
  /** when the last fault was over */
  readonly quietAt: number;
  /** PROCESSING_TTL_MS */
  readonly leaseMs: number;
  /** POS_TIMEOUT_MS */
  readonly posTimeoutMs: number;
  /** stores whose POS refuses duplicates, or can be asked: nothing of theirs is cooked twice */
  readonly strictStores: ReadonlySet<string>;
}

/** A request of a terminal, or of staff, and what became of it. */
export interface ClientCall {
  readonly at: number;
  readonly until: number;
  /** number of the instance that was called */
  readonly instance: number;
  /** HTTP status; null: no answer */
  readonly status: number | null;
  /** `code` of the answer, or the error of the transport */
  readonly code: string | null;
  readonly jobId: string | null;
}

/** A request that belongs to no order of the run. */
export interface BystanderCall {
  readonly who: 'viewer' | 'reader of files' | 'reader of receipts' | 'tenant with refused rows' | 'POS that pulls';
  readonly path: string;
  /** HTTP status; null: no answer */
  readonly status: number | null;
  readonly code: string | null;
}

/** An event that a poll has returned, also when the POS has lost the answer. */
export interface Offer {
  /** when the poll was sent */
  readonly at: number;
  /** of the POS that has polled */
  readonly store: string;
  readonly eventId: string;
  /** id of the CREATE job */
  readonly orderId: string;
  readonly eventType: string;
}

/** A sale as a terminal sent it, and everything that was answered. */
export interface ClientOrder {
  /** as sent; in test mode the order_id carries a suffix */
  readonly key: string;
  readonly testMode: boolean;
  /** what the POS must get, see {@link contentOf} */
  readonly content: string;
  readonly store: string;
  readonly posts: ClientCall[];
  readonly cancels: ClientCall[];
}

/** Stands for a process id in what a POS that pulls has fetched. */
export const PULLED = 0;

/** A call that the POS read. */
export interface PosCall {
  readonly at: number;
  readonly kind: 'order' | 'cancel' | 'lookup';
  readonly orderId: string;
  readonly store: string;
  /** process id of the instance that called; {@link PULLED}: the POS has asked */
  readonly pid: number;
  /** how the POS treated the call */
  readonly treatment: string;
  /** what it did; null: nothing, or not yet */
  effect: 'cooked' | 'cancelled' | 'refused' | 'found' | null;
  /** when it did that */
  doneAt: number | null;
  /** of an order, see {@link contentOf} */
  readonly content: string | null;
  /** HTTP status that went out; null: none */
  status: number | null;
  /** when the whole answer had been handed to the connection; null: never */
  answeredAt: number | null;
}

export interface JobRow {
  readonly id: string;
  readonly eventKey: string;
  readonly sourceKey: string;
  readonly testMode: boolean;
  readonly action: 'CREATE' | 'CANCEL';
  readonly status: string;
  readonly attempts: number;
  readonly withdrawn: boolean;
  readonly lastError: string | null;
}

export interface AttemptRow {
  /** the UUID of its claim */
  readonly id: string;
  readonly jobId: string;
  readonly number: number;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly outcome: string;
  readonly reach: string;
  readonly error: string | null;
}

/** A change of a job's status, written by the audit trigger in the transaction that made it. */
export interface MoveRow {
  readonly id: number;
  readonly at: number;
  readonly tx: string;
  readonly jobId: string;
  readonly eventKey: string;
  readonly action: 'CREATE' | 'CANCEL';
  /** null: the job was stored */
  readonly from: string | null;
  readonly to: string;
  readonly fromLock: string | null;
  readonly toLock: string | null;
  readonly fromAttempts: number;
  readonly toAttempts: number;
  readonly withdrawn: boolean;
  /** ms from the lock to the start of this transaction; null without a lock */
  readonly heldMs: number | null;
}

/** A write of `delivery_attempts`, by the same means. */
export interface AttemptWrite {
  readonly at: number;
  readonly tx: string;
  readonly attemptId: string;
  readonly jobId: string;
  /** outcome before an update; null: inserted */
  readonly was: string | null;
  readonly outcome: string;
}

/** What was done to the deployment; `instance` is its number, null where it met all of them. */
export interface Fault {
  readonly at: number;
  until: number;
  readonly kind: FaultKind;
  readonly instance: number | null;
  readonly text: string;
  /** process id of the instance it was done to */
  readonly pid?: number | undefined;
}

/** What is done to a cluster under Patroni; see `cluster/plan.ts`. */
export const CLUSTER_FAULTS = [
  'leader',
  'pause',
  'switchover',
  'quorum',
  'standby',
  'standbys',
  'haproxy',
  'pgbouncer',
] as const;
export type ClusterFaultKind = (typeof CLUSTER_FAULTS)[number];

export type FaultKind =
  | 'kill'
  | 'stop'
  | 'term'
  | 'ended'
  | 'restart'
  | 'failover'
  | 'lossy'
  | 'half-open'
  | 'crowd'
  | 'locks'
  | 'pos'
  | 'reset'
  | 'held'
  | 'role'
  | 'settings'
  | 'disk'
  | 'descriptors'
  | 'refused'
  | 'viewers'
  | 'bodies'
  | 'files'
  | ClusterFaultKind
  | 'stall';

/** An item of an order, as terminal and POS name it alike. */
export interface ContentItem {
  readonly code: string;
  readonly quantity: number;
  /** currency units */
  readonly price: number;
}

/** What an order is about, as a text to compare: its store, its amount and its items. */
export function contentOf(store: string, totalCents: number, items: readonly ContentItem[]): string {
  return JSON.stringify([store, totalCents, ...items.map(({ code, quantity, price }) => [code, quantity, price])]);
}

/** When the terminal knew that the relay has its sale: a 200, or the refusal that names the job it was stored as (W20). */
export function acceptedAt({ posts }: ClientOrder): number | null {
  return posts.find(isAccepted)?.until ?? null;
}

/** A 200, or the refusal of a duplicate. */
export function isAccepted({ status, code }: ClientCall): boolean {
  return status === 200 || (status === 400 && code === 'DUPLICATE_TRANSACTION');
}

/** When staff knew that the cancel will be carried out; null: never, or never asked for. */
export function cancelAcceptedAt({ cancels }: ClientOrder): number | null {
  return cancels.find(({ status }) => status === 202 || status === 200)?.until ?? null;
}

/** The UUID in a lock `host:pid/UUID`, which becomes the id of its attempt. */
export function claimOf(lock: string): string {
  return lock.slice(lock.lastIndexOf('/') + 1);
}

/** The process id in a lock `host:pid/UUID`. */
export function pidOf(lock: string): number {
  return Number(/:(\d+)\/[^/]+$/.exec(lock)?.[1]);
}
