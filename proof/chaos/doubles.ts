import { type Cooking, cookings, type OrderCase } from './cases.js';
import { type AttemptRow, CLUSTER_FAULTS, claimOf, type History, pidOf } from './history.js';

/** An order that the POS cooked once more than it was ordered. */
export interface Double {
  readonly key: string;
  /** why the relay could not know that the POS had it; null: it could, or its POS refuses duplicates or can be asked */
  readonly reason: string | null;
  readonly text: string;
}

/** Faults that keep an instance from learning, or from writing down, what the POS answered. */
const OF_INSTANCE = new Set(['kill', 'stop', 'term', 'ended']);
const OF_DATABASE = new Set<string>([
  ...['restart', 'failover', 'lossy', 'half-open', 'crowd', 'locks', 'disk', 'held'],
  ...CLUSTER_FAULTS,
]);

/**
 * The doubles of an order. Every cooking but the last is explained when the attempt that ordered it is recorded as one that may
 * have arrived (D17), and the reason why its answer counted for nothing is known: the POS withheld it, or a fault met the
 * instance or its database. Of a POS that refuses duplicates, or can be asked, no double is explained.
 */
export function doublesOf(one: OrderCase, history: History): Double[] {
  const all = cookings(one);
  const { key, store } = one.order;
  return all.slice(0, -1).map((cooking, index) => {
    const strict = history.strictStores.has(store);
    const found = explanationOf(cooking, all[index + 1] as Cooking, one, history);
    const text = `cooked at ${time(cooking)} and again at ${time(all[index + 1] as Cooking)}: ${found.text}`;
    return { key, reason: strict ? null : found.reason, text: strict ? `${text} (a POS that knows its orders)` : text };
  });
}

function explanationOf(
  cooking: Cooking,
  next: Cooking,
  one: OrderCase,
  history: History,
): { reason: string | null; text: string } {
  const claim = claimBehind(cooking, one);
  if (!claim) return { reason: null, text: `no claim of process ${cooking.pid} is behind it` };
  if (claim === claimBehind(next, one)) return { reason: null, text: 'one claim ordered it twice' };
  const attempt = one.attempts.find(({ id }) => id === claim);
  if (!attempt) return { reason: null, text: `claim ${claim} left no attempt` };
  if (!mayHaveArrived(attempt))
    return { reason: null, text: `attempt ${attempt.number} is recorded as ${attempt.outcome}, ${attempt.reach}` };
  const reason = reasonOf(cooking, attempt, history);
  return { reason, text: reason ?? `attempt ${attempt.number} was lost, and no fault explains it` };
}

/** The claim of the order's job that this process held last when it called. */
function claimBehind({ pid, at }: Cooking, { moves }: OrderCase): string | undefined {
  const lock = moves.findLast(
    (move) => move.action === 'CREATE' && move.toLock !== null && pidOf(move.toLock) === pid && move.at <= at,
  );
  return lock?.toLock ? claimOf(lock.toLock) : undefined;
}

/** D17, as the relay's record has it. */
function mayHaveArrived({ reach, httpStatus }: AttemptRow): boolean {
  return reach === 'UNKNOWN' || (reach === 'ANSWERED' && (httpStatus ?? 0) >= 500);
}

function reasonOf(cooking: Cooking, attempt: AttemptRow, history: History): string | null {
  const { faults, processes, leaseMs, posTimeoutMs } = history;
  if (cooking.answeredAt === null) return 'the POS gave no answer';
  if ((cooking.status ?? 0) >= 500) return `the POS cooked, and answered ${cooking.status}`;
  if (cooking.answeredAt - cooking.at > posTimeoutMs) return 'the POS answered after the deadline';
  const from = attempt.startedAt;
  const until = Math.max(cooking.answeredAt, from + leaseMs) + leaseMs;
  const met = faults.filter((fault) => fault.at <= until && fault.until >= from - posTimeoutMs);
  const ofInstance = met.find((fault) => OF_INSTANCE.has(fault.kind) && fault.pid === cooking.pid);
  if (ofInstance) return `its instance met: ${ofInstance.kind}`;
  const number = processes.get(cooking.pid) ?? null;
  const ofDatabase = met.find(
    ({ kind, instance }) => OF_DATABASE.has(kind) && (instance === null || instance === number),
  );
  if (ofDatabase) return `its answer could not be written down: ${ofDatabase.kind}`;
  if (attempt.outcome !== 'LOST') return `its answer came to nothing on the way: ${attempt.errorCode ?? attempt.error}`;
  return met.some(({ kind }) => kind === 'stall') ? 'the machine stood still' : null;
}

function time({ at }: Cooking): string {
  return new Date(at).toISOString().slice(11, 23);
}
