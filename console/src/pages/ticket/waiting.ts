import { answerOf, api, type View } from '../../api/client.js';
import { readOrder, readState } from '../../api/orders.js';
import { Problem } from '../../api/problem.js';
import { isRefund, type Order, standingOf } from './reading.js';

/** The most tickets of one page; more would be a roll of paper that nobody reads. */
export const MAX_TICKETS = 50;
/** A page of the list. */
const LISTED = 100;
/** How many orders are read at once. */
const AT_ONCE = 4;

/** What the kitchen needs on paper. */
export interface Waiting {
  /** the oldest first */
  readonly orders: readonly Order[];
  /** whether there are orders beyond {@link MAX_TICKETS} */
  readonly hasMore: boolean;
  /** the database's clock, ISO 8601 */
  readonly now: string;
}

/** Reads the orders of the current business day that wait or are parked; without tests and refunds, which are nothing to cook (K1). */
export async function readWaiting(restaurantId: string, signal: AbortSignal): Promise<Waiting> {
  const { now, today } = await readState(restaurantId, signal);
  const pages = await Promise.all(
    (['waiting', 'parked'] as const).map((state) => list(restaurantId, state, today.from, signal)),
  );
  const listed = pages
    .flatMap(({ data }) => data)
    .filter(({ test, cause }) => !test && cause !== 'refund')
    .toSorted((a, b) => b.receivedAt.localeCompare(a.receivedAt));
  // an order may be in both lists if it is parked between the two
  const keys = [...new Set(listed.map(({ transactionKey }) => transactionKey))];
  const read = await readAll(restaurantId, keys.slice(0, MAX_TICKETS), signal);
  return {
    // meanwhile the POS may have taken an order
    orders: read
      .filter((order) => standingOf(order, today.from) === 'needed' && !order.test && !isRefund(order))
      .toReversed(),
    hasMore: keys.length > MAX_TICKETS || pages.some(({ meta }) => meta.next !== null),
    now,
  };
}

function list(
  restaurantId: string,
  state: 'waiting' | 'parked',
  from: string,
  signal: AbortSignal,
): Promise<View<'OrderPageView'>> {
  const query = { state, from, limit: LISTED };
  return answerOf(api.GET('/restaurants/{restaurantId}/orders', { params: { path: { restaurantId }, query }, signal }));
}

/** Reads orders, a few at a time. One that was removed meanwhile is left out. */
async function readAll(restaurantId: string, keys: readonly string[], signal: AbortSignal): Promise<Order[]> {
  const found: Order[] = [];
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    const some = keys.slice(at, at + AT_ONCE).map((key) => readOrder(restaurantId, key, signal).catch(unlessGone));
    found.push(...(await Promise.all(some)).filter((order) => order !== undefined));
  }
  return found;
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof Problem) || error.status !== 404) throw error;
}
