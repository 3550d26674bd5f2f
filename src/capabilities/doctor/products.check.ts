import { type CodedItem, namedItems } from '../../domain/named-items.js';
import { itemsInError } from '../../outbox/named-items.sql.js';
import { PARKED } from '../../outbox/parked.sql.js';
import { type Check, count, warning } from './check.js';
import type { Connection } from './connection.js';

const NAME = 'unknown products';
/** The restaurants that are named, the orders of each whose errors are read, and the products of each that are named. */
const RESTAURANTS = 20;
const ORDERS = 10;
const PRODUCTS = 5;

interface Row {
  readonly label: string;
  readonly orders: number;
  readonly refusals: readonly { readonly lastError: string; readonly items: readonly CodedItem[] }[];
  readonly [column: string]: unknown;
}

/** The orders that are parked because the POS does not know a product, by restaurant, and the products that it named (I12). None: no check. */
export async function productsCheck(database: Connection): Promise<Check[]> {
  const rows = await database.query<Row>(
    `SELECT format('%s (%s)', name, slug) AS label, orders, CASE WHEN place <= ${RESTAURANTS} THEN
            (SELECT coalesce(json_agg(json_build_object('lastError', job.last_error, 'items', ${itemsInError('sale.payload', 'job.last_error', 'restaurants.id')})), '[]')
             FROM (SELECT event_key, last_error FROM outbox_jobs
                   WHERE restaurant_id = restaurants.id AND ${PARKED.sql} AND action = 'CREATE' AND cause = 'refused' AND subject = 'product' AND last_error IS NOT NULL
                   ORDER BY updated_at DESC LIMIT ${ORDERS}) AS job,
                  LATERAL (SELECT payload FROM terminal_events WHERE transaction_key = job.event_key AND restaurant_id = restaurants.id OFFSET 0) AS sale) ELSE '[]' END AS refusals
     FROM (SELECT restaurant_id, count(*)::int AS orders, row_number() OVER (ORDER BY count(*) DESC, restaurant_id) AS place FROM outbox_jobs
           WHERE ${PARKED.sql} AND action = 'CREATE' AND cause = 'refused' AND subject = 'product' GROUP BY 1) AS refused
     JOIN restaurants ON id = restaurant_id AND deleted_at IS NULL
     ORDER BY place`,
  );
  if (rows.length === 0) return [];
  const orders = rows.reduce((sum, row) => sum + row.orders, 0);
  const shown = rows.slice(0, RESTAURANTS);
  const more = rows.length - shown.length;
  return [
    {
      name: NAME,
      ...warning(`${count(orders, 'order is', 'orders are')} parked: the POS does not know a product`, {
        details: [
          ...shown.map(({ label, orders, refusals }) => `${label}: ${count(orders, 'order')}${namedIn(refusals)}`),
          ...(more > 0 ? [`and ${count(more, 'more restaurant')}`] : []),
        ],
        hint: 'the staff of the restaurant say what the POS calls them (map and send again), or enter them in the POS; docs/specification/integration-codes.md',
      }),
    },
  ];
}

function namedIn(refusals: Row['refusals']): string {
  const named = namedItems(refusals, PRODUCTS);
  if (named.length === 0) return '; the POS names no product';
  const shown = named.map(({ code, name, posCode }) => {
    const sent = posCode === code ? '' : `, sent as ${posCode}`;
    return `${code}${name === null ? '' : ` “${name}”`}${sent}`;
  });
  return `; ${shown.join('; ')}`;
}
