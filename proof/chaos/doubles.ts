import { type Cooking, cookings, type OrderCase } from './cases.js';
import { type AttemptRow, CLUSTER_FAULTS, claimOf, type History, pidOf } from './history.js';
import { refusals } from './statements.js';

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
 * instance or its database. Of a POS that refuses duplicates, or can be asked, no double is explained. An order that its POS has refused
 * since is offered to it again when somebody sends it again (Q16): that is no double.
 */
export function doublesOf(one: OrderCase, history: History): Double[] {
  const all = byAttempt(one);
  const { key, store } = one.order;
  const refused = refusals(one);
  const isRefusedBetween = ({ cooking }: Ordered, { cooking: next }: Ordered) =>
    refused.some(({ at }) => at > cooking.doneAt && at < next.doneAt);
  return all.slice(0, -1).flatMap((ordered, index) => {
    const next = all[index + 1] as Ordered;
    if (isRefusedBetween(ordered, next)) return [];
    const strict = history.strictStores.has(store);
    const found = explanationOf(ordered, next, one, history);
    const text = `cooked at ${time(ordered)} and again at ${time(next)}: ${found.text}`;
    return { key, reason: strict ? null : found.reason, text: strict ? `${text} (a POS that knows its orders)` : text };
  });
}

function explanationOf(
  { cooking, claim }: Ordered,
  next: Ordered,
  one: OrderCase,
  history: History,
): { reason: string | null; text: string } {
  if (!claim) return { reason: null, text: `no claim of process ${cooking.pid} is behind it` };
  if (claim === next.claim) return { reason: null, text: 'one claim ordered it twice' };
  const attempt = one.attempts.find(({ id }) => id === claim);
  if (!attempt) return { reason: null, text: `claim ${claim} left no attempt` };
  if (!mayHaveArrived(attempt))
    return { reason: null, text: `attempt ${attempt.number} is recorded as ${attempt.outcome}, ${attempt.reach}` };
  const reason = reasonOf(cooking, attempt, history);
  return { reason, text: reason ?? `attempt ${attempt.number} was lost, and no fault explains it` };
}

/** A cooking, and the claim that ordered it. */
interface Ordered {
  readonly cooking: Cooking;
  readonly claim: string | undefined;
}

/** The cookings in the order of the attempts that ordered them: on a slow machine a call may arrive after that of the next attempt. */
function byAttempt(one: OrderCase): Ordered[] {
  const used = new Set<string>();
  const ordered = cookings(one).map((cooking): Ordered => {
    const claim = claimBehind(cooking, one, used);
    if (claim) used.add(claim);
    return { cooking, claim };
  });
  const startOf = ({ cooking, claim }: Ordered) => one.attempts.find(({ id }) => id === claim)?.startedAt ?? cooking.at;
  return ordered.toSorted((some, other) => startOf(some) - startOf(other));
}

/**
 * The claim of the order's job for which this process called: the last one that it held, and that no other cooking is of. A call whose answer nobody
 * got may be that of an earlier attempt without an outcome.
 */
function claimBehind(
  { pid, at, answeredAt }: Cooking,
  { moves, attempts }: OrderCase,
  used: ReadonlySet<string>,
): string | undefined {
  const held = moves.flatMap(({ action, toLock, at: claimedAt }) =>
    action === 'CREATE' && toLock !== null && pidOf(toLock) === pid && claimedAt <= at ? [claimOf(toLock)] : [],
  );
  const free = held.filter((claim) => !used.has(claim));
  const isUnknown = (claim: string) => attempts.some((attempt) => attempt.id === claim && mayHaveArrived(attempt));
  return (answeredAt === null ? free.find(isUnknown) : undefined) ?? free.at(-1) ?? held.at(-1);
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
  if (met.some(({ kind }) => kind === 'stall')) return 'the machine stood still';
  return attempt.outcome === 'LOST'
    ? null
    : `its answer came to nothing on the way: ${attempt.errorCode ?? attempt.error}`;
}

function time({ cooking }: Ordered): string {
  return new Date(cooking.at).toISOString().slice(11, 23);
}
