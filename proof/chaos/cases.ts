import type { AttemptRow, AttemptWrite, ClientOrder, History, JobRow, MoveRow, Offer, PosCall } from './history.js';
import type { Recorded, Statement } from './statements.js';

/** All that is known of one order. */
export interface OrderCase {
  readonly order: ClientOrder;
  readonly create: JobRow | undefined;
  readonly cancel: JobRow | undefined;
  readonly moves: MoveRow[];
  readonly attempts: AttemptRow[];
  readonly attemptWrites: AttemptWrite[];
  readonly calls: PosCall[];
  readonly offers: Offer[];
  readonly statements: Statement[];
  readonly recorded: Recorded[];
}

/** The orders of a history, and what belongs to none of them. */
export interface Cases {
  readonly orders: readonly OrderCase[];
  readonly strayCalls: readonly PosCall[];
  readonly strayJobs: readonly JobRow[];
  /** more than one stored event for one sale, of a test transaction whose keys differ */
  readonly storedTwice: readonly JobRow[];
}

const TEST_SUFFIX = /-\d{13}$/;

/** Sorts a history by orders. */
export function casesOf(history: History): Cases {
  const byKey = new Map<string, Writable>();
  for (const order of history.orders)
    byKey.set(order.key, {
      order,
      create: undefined,
      cancel: undefined,
      moves: [],
      attempts: [],
      attemptWrites: [],
      calls: [],
      offers: [],
      statements: [],
      recorded: [],
    });
  const byJob = new Map<string, Writable>();
  const strayJobs: JobRow[] = [];
  const storedTwice: JobRow[] = [];
  for (const job of history.jobs) {
    const found = byKey.get(job.sourceKey);
    if (!found) {
      strayJobs.push(job);
      continue;
    }
    byJob.set(job.id, found);
    const place = job.action === 'CREATE' ? 'create' : 'cancel';
    if (found[place]) storedTwice.push(job);
    else found[place] = job;
  }
  for (const move of history.moves) byJob.get(move.jobId)?.moves.push(move);
  for (const attempt of history.attempts) byJob.get(attempt.jobId)?.attempts.push(attempt);
  for (const write of history.attemptWrites) byJob.get(write.jobId)?.attemptWrites.push(write);
  for (const offer of history.offers) byJob.get(offer.orderId)?.offers.push(offer);
  for (const statement of history.statements) byJob.get(statement.orderId)?.statements.push(statement);
  for (const row of history.recorded) byJob.get(row.jobId)?.recorded.push(row);
  const strayCalls: PosCall[] = [];
  for (const call of history.pos) {
    const found = byKey.get(call.orderId) ?? testSale(byKey.get(call.orderId.replace(TEST_SUFFIX, '')));
    if (found) found.calls.push(call);
    else strayCalls.push(call);
  }
  return { orders: [...byKey.values()], strayCalls, strayJobs, storedTwice };
}

type Writable = { -readonly [Field in keyof OrderCase]: OrderCase[Field] };

function testSale(found: Writable | undefined): Writable | undefined {
  return found?.order.testMode ? found : undefined;
}

/** A call that the POS carried out, and when. */
export type Cooking = PosCall & { readonly doneAt: number };

/** Every time the POS cooked the order, by time. */
export function cookings({ calls }: OrderCase): Cooking[] {
  const cooked = calls.filter((call): call is Cooking => call.effect === 'cooked' && call.doneAt !== null);
  return cooked.toSorted((one, other) => one.doneAt - other.doneAt);
}

/** Those that its POS has not refused since (Q16). */
export function standing(one: OrderCase): Cooking[] {
  const refusedAt = Math.max(...one.recorded.filter(({ state }) => state === 'REFUSED').map(({ at }) => at));
  return cookings(one).filter(({ doneAt }) => doneAt > refusedAt);
}
