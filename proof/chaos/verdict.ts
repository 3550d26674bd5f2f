import { casesOf, cookings, type OrderCase, standing } from './cases.js';
import { type Double, doublesOf } from './doubles.js';
import {
  acceptedAt,
  type BystanderCall,
  type ClientCall,
  cancelAcceptedAt,
  type History,
  isAccepted,
  PULLED,
} from './history.js';
import { movesOf } from './moves.js';
import type { Rule, Violation } from './rules.js';
import { statementsOf } from './statements.js';

/** What became of the orders of a run. */
export interface Verdict {
  readonly sent: number;
  readonly accepted: number;
  /** of them, those whose 200 was lost: the terminal got 400 DUPLICATE_TRANSACTION for a repetition */
  readonly answeredAsDuplicate: number;
  readonly delivered: number;
  readonly cancelsAccepted: number;
  readonly doubles: readonly Double[];
  readonly violations: readonly Violation[];
  /** ms that the slowest job took to its end, of those that were not at it when the last fault was over; see {@link slowestMs} */
  readonly slowestMs: number;
}

/** Judges a history that is at its end: no fault lasts, and nothing waits that could move. */
export function judge(history: History): Verdict {
  const { orders, strayCalls, strayJobs, storedTwice } = casesOf(history);
  const accepted = orders.filter(({ order }) => acceptedAt(order) !== null);
  const doubles = orders.flatMap((one) => doublesOf(one, history));
  const violations: Violation[] = [
    ...orders.flatMap((one) => violationsOf(one, history)),
    ...doubles.filter(({ reason }) => reason === null).map(unexplained),
    ...strayCalls.map(({ orderId, kind, store }) => ({
      rule: 'unexpected' as const,
      key: orderId,
      text: `the POS got ${kind === 'order' ? 'an order' : `a ${kind}`} that no terminal sent, for store ${store}`,
    })),
    ...strayJobs.map(({ sourceKey, action }) => ({
      rule: 'unexpected' as const,
      key: sourceKey,
      text: `the relay has a ${action} job that was not requested`,
    })),
    ...storedTwice.map(({ sourceKey, eventKey }) => ({
      rule: 'unexpected' as const,
      key: sourceKey,
      text: `it was stored once more, as ${eventKey}`,
    })),
    ...history.bystanders.flatMap(answerToBystander),
    ...orders.flatMap((one) => skippedOf(one, history)),
  ];
  return {
    sent: orders.length,
    accepted: accepted.length,
    answeredAsDuplicate: accepted.filter(({ order }) => order.posts.find(isAccepted)?.status === 400).length,
    delivered: accepted.filter((one) => cookings(one).length > 0 && one.create?.status === 'SENT').length,
    cancelsAccepted: orders.filter(({ order }) => cancelAcceptedAt(order) !== null).length,
    doubles,
    violations,
    slowestMs: slowestMs(history),
  };
}

/**
 * How long jobs took when nothing was broken any more and no backoff was to be waited for: to their last SENT, from the last
 * fault, from when they were stored, or from when an operator reset them, whichever came last. In ms.
 */
function slowestMs({ moves, quietAt }: History): number {
  const beganAt = new Map<string, number>();
  let slowest = 0;
  for (const { jobId, from, to, at } of moves) {
    // a sale is claimed by the statement that stores it (O32)
    if (from === null || (to === 'PENDING' && from !== 'PROCESSING')) beganAt.set(jobId, at);
    if (to === 'SENT') slowest = Math.max(slowest, at - Math.max(quietAt, beganAt.get(jobId) ?? 0));
  }
  return slowest;
}

/** Answers that each may get besides 503 and none: others at once may be too many, and a file of nothing may be refused. */
const FIT = {
  viewer: [200],
  // 404 and 422: an order that cannot be read, or confirmed, any more; 429: many POSs at once
  'POS that pulls': [200, 202, 204, 404, 422, 429],
  'reader of receipts': [200, 429],
  'reader of files': [200, 201, 404, 409, 422, 429],
} as const;

/** A report is read, or there is no database for it; a sale whose row the database refuses is accepted by nobody. */
function answerToBystander({ who, path, status, code }: BystanderCall): Violation[] {
  const text = `a ${who} was answered ${status} ${code ?? ''}`;
  if (who === 'tenant with refused rows')
    return status === 200 ? [{ rule: 'lost', key: path, text: `${text}, although its row was refused` }] : [];
  const fit: readonly (number | null)[] = [null, 503, ...FIT[who]];
  return fit.includes(status) ? [] : [{ rule: 'wrong answer', key: path, text }];
}

/** Who only reads receipts gets one for each sale that was stored, for each job that became SENT, and for what a POS has confirmed. */
function skippedOf({ order, create, cancel, recorded }: OrderCase, { receipts }: History): Violation[] {
  if (!create) return [];
  const seen = receipts.get(create.id);
  const wanted = [
    'order.stored',
    ...(create.status === 'SENT' && !create.withdrawn ? ['order.delivered'] : []),
    ...(cancel?.status === 'SENT' ? ['order.cancelled'] : []),
    ...(recorded.some(({ state }) => state === 'ACCEPTED') ? ['order.accepted'] : []),
  ];
  return wanted
    .filter((type) => !seen?.has(type))
    .map((type) => ({ rule: 'receipt skipped', key: order.key, text: `no list of receipts had its ${type}` }));
}

function unexplained({ key, text }: Double): Violation {
  return { rule: 'doubled without a reason', key, text };
}

function violationsOf(one: OrderCase, history: History): Violation[] {
  const violation = (rule: Rule, text: string): Violation => ({ rule, key: one.order.key, text });
  return [
    ...lossesOf(one).map(([rule, text]) => violation(rule, text)),
    ...contentsOf(one).map((text) => violation('unexpected', text)),
    ...offersOf(one, history).map(([rule, text]) => violation(rule, text)),
    ...cancelsOf(one).map(([rule, text]) => violation(rule, text)),
    ...movesOf(one, history.leaseMs).map(([rule, text]) => violation(rule, text)),
    ...answersOf(one).map(([rule, text]) => violation(rule, text)),
    ...statementsOf(one).map(([rule, text]) => violation(rule, text)),
    ...parkedOf(one).map((text) => violation('parked though delivered', text)),
  ];
}

/** Accepted, and not there; or there, and not at its end. */
function lossesOf(one: OrderCase): [Rule, string][] {
  const { order, create, cancel } = one;
  const found: [Rule, string][] = [];
  if (acceptedAt(order) !== null && !create) found.push(['lost', 'it was accepted, and the relay does not have it']);
  if (cancelAcceptedAt(order) !== null && !cancel)
    found.push(['lost', 'its cancel was accepted, and the relay does not have it']);
  if (create?.status === 'SENT' && cookings(one).length === 0)
    found.push(['lost', 'the relay says that it was delivered, and the POS never took it']);
  else if (create?.status === 'SENT' && standing(one).length === 0)
    found.push(['lost', 'the relay says that it was delivered, and the POS has refused it and not taken it again']);
  for (const job of [create, cancel])
    if (job && job.status !== 'SENT' && !job.withdrawn)
      found.push(['stuck', `its ${job.action} is ${job.status} at the end: ${job.lastError}`]);
  const waits = (calls: readonly ClientCall[], at: number | null) => calls.length > 0 && at === null;
  if (waits(order.posts, acceptedAt(order)))
    found.push(['stuck', 'it was never accepted, although it was sent repeatedly']);
  if (waits(order.cancels, cancelAcceptedAt(order)))
    found.push(['stuck', 'its cancel was never accepted, although it was sent repeatedly']);
  if (create?.withdrawn && !cancel) found.push(['lost', 'it was withdrawn without a cancel']);
  return found;
}

/** What the POS took is what was sent, for a sale that was sent. */
function contentsOf(one: OrderCase): string[] {
  const wrong = cookings(one).filter(({ content }) => content !== one.order.content);
  const ids = new Set(cookings(one).map(({ orderId }) => orderId));
  return [
    ...wrong.map(({ content }) => `the POS took ${content}, the terminal sent ${one.order.content}`),
    ...(ids.size > 1 ? [`the POS took it under several ids: ${[...ids].join(', ')}`] : []),
  ];
}

/** An order of a POS that pulls is offered to it alone, by one claim at a time, and not after its cancel was accepted. */
function offersOf({ order, offers, moves, calls }: OrderCase, { pullingStores }: History): [Rule, string][] {
  const found: [Rule, string][] = [];
  const since = cancelAcceptedAt(order);
  for (const { at, store, eventType } of offers) {
    if (store !== order.store) found.push(['offered to two', `a poll of ${store} had it`]);
    if (eventType === 'CREATED' && since !== null && at > since)
      found.push([
        'offered after its cancel',
        `a poll had it that was sent ${at - since} ms after its cancel was accepted`,
      ]);
  }
  if (!pullingStores.has(order.store)) return found;
  for (const { to, from, toLock } of moves)
    if (to === 'PROCESSING' && from !== to && !toLock?.startsWith('pos/'))
      found.push(['offered to two', `${toLock} claimed it, and its POS pulls`]);
  if (calls.some(({ pid }) => pid !== PULLED)) found.push(['offered to two', 'the relay sent it, and its POS pulls']);
  return found;
}

/** An accepted cancel: no claim begins after it, nothing is cooked after its call, and in the end it is carried out. */
function cancelsOf(one: OrderCase): [Rule, string][] {
  const since = cancelAcceptedAt(one.order);
  if (since === null) return [];
  const found: [Rule, string][] = [];
  for (const { to, action, at } of one.moves)
    if (action === 'CREATE' && to === 'PROCESSING' && at > since)
      found.push(['sent after its cancel', `it was locked ${Math.round(at - since)} ms after its cancel was accepted`]);
  const asked = one.calls.find(({ kind, doneAt }) => kind === 'cancel' && doneAt !== null)?.doneAt ?? null;
  for (const { doneAt } of cookings(one))
    if (asked !== null && doneAt > asked)
      found.push(['sent after its cancel', `the POS took it ${doneAt - asked} ms after it was asked to cancel it`]);
  const isCooked = standing(one).length > 0;
  const isCancelled = one.calls.some(({ effect }) => effect === 'cancelled');
  if (one.cancel?.status === 'SENT' && isCooked && !isCancelled)
    found.push(['not cancelled', 'its cancel is SENT, and the POS still has it']);
  return found;
}

/** One 200 for one sale, the same job in every answer, and no answer that a terminal cannot act on. */
function answersOf({ order: { posts, cancels, testMode }, create }: OrderCase): [Rule, string][] {
  const found: [Rule, string][] = [];
  const accepted = posts.filter(({ status }) => status === 200);
  if (accepted.length > 1 && !testMode) found.push(['accepted twice', `it was answered 200 ${accepted.length} times`]);
  const jobIds = new Set(posts.filter(isAccepted).map(({ jobId }) => jobId));
  if (jobIds.size > 1 || (create && jobIds.size === 1 && !jobIds.has(create.id)))
    found.push(['accepted twice', `its answers name the jobs ${[...jobIds].join(', ')}, it is ${create?.id}`]);
  const isWrong = (call: ClientCall, expected: readonly number[]) =>
    // an outage is a 503; a 500 is a bug
    call.status !== null && ![503, ...expected].includes(call.status);
  for (const call of posts)
    if (isWrong(call, [200]) && !isAccepted(call))
      found.push(['wrong answer', `a sale was answered ${call.status} ${call.code}`]);
  for (const call of cancels)
    if (isWrong(call, [200, 202])) found.push(['wrong answer', `a cancel was answered ${call.status} ${call.code}`]);
  return found;
}

/** "The POS has it already", and the relay gave it up all the same (D12). */
function parkedOf(one: OrderCase): string[] {
  return one.attempts
    .filter(({ outcome, errorCode, jobId }) => outcome === 'DLQ' && errorCode === '904' && jobId === one.create?.id)
    .filter(({ startedAt }) => cookings(one).some(({ at }) => at < startedAt))
    .map(({ number }) => `attempt ${number} was parked as a duplicate of what an earlier attempt had delivered`);
}
