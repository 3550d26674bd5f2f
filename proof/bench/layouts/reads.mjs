// What staff read: a page of orders, one order, the state, the statistics of a day.
import { listOrders } from '../../../src/orders/order-list.ts';
import { readFigures } from '../../../src/restaurants/reports/figures.sql.ts';
import { periodOf } from '../../../src/restaurants/reports/period.ts';
import { READ_STATE } from '../../../src/restaurants/reports/state.sql.ts';

const LATE_MS = 180_000;
const DAY_MS = 86_400_000;

/** The statements of Prisma for one order with its jobs and attempts. */
const ORDER = {
  today: [
    `SELECT *, ARRAY(SELECT id FROM outbox_jobs WHERE event_key = $1 AND restaurant_id = $2) AS jobs FROM terminal_events
     WHERE transaction_key = $1 AND restaurant_id = $2`,
    'SELECT * FROM outbox_jobs WHERE event_key = $1 AND restaurant_id = $2 ORDER BY created_at',
    `SELECT * FROM delivery_attempts WHERE job_id = ANY (
       SELECT id FROM outbox_jobs WHERE event_key = $1 AND restaurant_id = $2) ORDER BY started_at`,
  ],
};

/** The same where a read must name the part of a table. */
ORDER.restaurant = [
  ...ORDER.today.slice(0, 2),
  `SELECT * FROM delivery_attempts WHERE restaurant_id = $2 AND job_id = ANY (
     SELECT id FROM outbox_jobs WHERE event_key = $1 AND restaurant_id = $2) ORDER BY started_at`,
];
const SOLD_AT = '(SELECT received_at FROM sale_keys WHERE transaction_key = $1 AND restaurant_id = $2)';
ORDER.monthsNamed = [
  `SELECT *, ARRAY(SELECT id FROM outbox_jobs WHERE event_key = $1 AND restaurant_id = $2 AND sale_at = ${SOLD_AT}) AS jobs
   FROM terminal_events WHERE transaction_key = $1 AND restaurant_id = $2 AND received_at = ${SOLD_AT}`,
  `SELECT * FROM outbox_jobs WHERE event_key = $1 AND restaurant_id = $2 AND sale_at = ${SOLD_AT} ORDER BY created_at`,
  `SELECT * FROM delivery_attempts WHERE sale_at = ${SOLD_AT} AND job_id = ANY (
     SELECT id FROM outbox_jobs WHERE event_key = $1 AND restaurant_id = $2 AND sale_at = ${SOLD_AT}) ORDER BY started_at`,
];

/** Look-ups by the key of an order that also name its month. */
export const namingTheMonth = (text) =>
  text
    .replace(/event_key = (event|walked)\.transaction_key/g, '$& AND sale_at = $1.received_at')
    .replace(/transaction_key = job\.event_key/g, '$& AND received_at = job.sale_at')
    .replace(/FROM outbox_jobs\s+WHERE event_key = job\.event_key/g, '$& AND outbox_jobs.sale_at = job.sale_at');

/** @returns name -> a function that reads; `key` and `at`: of an order of the restaurant, in the middle of the past */
export function readsOf(session, orderStatements, { restaurantId, key, at }) {
  const statistics = async () => {
    const from = new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
    const period = await periodOf(session, restaurantId, { from, to: new Date(from.getTime() + DAY_MS) });
    for (let start = period.from; start < period.to; )
      start = new Date((await readFigures(session, period, start, true)).ends);
  };
  return {
    'first page of orders': () =>
      listOrders(session, restaurantId, { limit: 50, action: 'CREATE', sort: '-receivedAt' }),
    'one order by its key': async () => {
      for (const text of orderStatements)
        if (
          (await session.client.query({ name: `bench ${text.length}`, text, values: [key, restaurantId] })).rowCount ===
          0
        )
          throw new Error('the order is not there');
    },
    'state of a restaurant': () => session.prepared(READ_STATE, [restaurantId, LATE_MS, []]),
    'statistics of a day': statistics,
  };
}

export const orderStatementsOf = (layout, namesMonth) => ORDER[namesMonth ? 'monthsNamed' : layout] ?? ORDER.today;
