import { Prisma } from '../database/generated/client.js';
import { preparedStatement } from '../database/prepared.js';
import type { PrismaService } from '../database/prisma.service.js';
import { type Page, pageOf, positionOf } from '../http/cursor-page.js';
import { FEW, idsInState, type OrderState } from '../outbox/state-filter.js';
import { RECEIVED_ON_ANOTHER_DAY } from './another-day.sql.js';
import { LISTED_WARNINGS, type OrderView, type QueryOrdersDto } from './orders.dto.js';

/** Before every order. */
const EPOCH = new Date(0);

/** A row of the list: the CREATE or CANCEL job of an order, and its place in the order of the list. */
export interface ListedOrder extends OrderView {
  readonly id: string;
  readonly createdAt: Date;
}

type Query = Omit<QueryOrdersDto, 'limit'> & { readonly limit: number };

/**
 * Reads one page of a restaurant's orders, or of their cancels (R3), in one statement: open consoles ask for the newest every few
 * seconds.
 * @throws 400 VALIDATION_FAILED when `after` is not a cursor
 */
export async function listOrders(
  prisma: PrismaService,
  restaurantId: string,
  query: Query,
): Promise<Page<ListedOrder>> {
  const { limit, action, sort, from, to } = query;
  const filters = await filtersOf(prisma, restaurantId, query);
  const direction = sort === 'receivedAt' ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  // always a span: the index of the list has this condition
  const span = [Prisma.sql`job.created_at >= ${from ?? EPOCH}::timestamptz`];
  if (to) span.push(Prisma.sql`job.created_at < ${to}::timestamptz`);
  const { text, values } = Prisma.sql`
    SELECT job.id::text, job.created_at AS "createdAt", job.action::text, job.status::text, job.withdrawn, job.attempts,
           job.next_run_at AS "nextRunAt", job.last_error AS "lastError", event.*,
           ${statusOfCancel(restaurantId)}::text AS cancellation
    FROM (SELECT timezone, day_closes_at FROM restaurants WHERE id = ${restaurantId}::uuid OFFSET 0) AS restaurant, (
      SELECT * FROM outbox_jobs job
      WHERE job.restaurant_id = ${restaurantId}::uuid AND job.action = ${action}::job_action
        AND ${Prisma.join([...span, ...filters], ' AND ')}
      ORDER BY job.created_at ${direction}, job.id ${direction}
      LIMIT ${limit + 1}::int
    ) AS job,
    -- OFFSET 0: each by its key, whatever the planner knows of the tables (decisions/032)
    LATERAL (
      SELECT transaction_key AS "transactionKey", left(transaction_number, 255) AS "transactionNumber", test_mode AS test,
             received_at AS "receivedAt", transaction_date AS "transactionDate",
             ${RECEIVED_ON_ANOTHER_DAY} AS "receivedOnAnotherDay", paid_cents::float8 AS "paidCents",
             warnings[1:${LISTED_WARNINGS}] AS warnings
      FROM terminal_events WHERE transaction_key = job.event_key AND restaurant_id = ${restaurantId}::uuid OFFSET 0
    ) AS event
    ORDER BY job.created_at ${direction}, job.id ${direction}`;
  // a page that is filtered is planned for its filters, and every session keeps what it has prepared
  const rows = await (filters.length === 0
    ? prisma.prepared<ListedOrder>(preparedStatement('orders', text), values)
    : prisma.unprepared<ListedOrder>(text, values));
  return pageOf(rows, limit);
}

/** The status of the CANCEL job of `job`'s event: null when no cancel was requested (C9). Looked up by its key, job by job. */
function statusOfCancel(restaurantId: string): Prisma.Sql {
  return Prisma.sql`(
    SELECT cancel.status FROM outbox_jobs cancel
    WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = ${restaurantId}::uuid AND cancel.action = 'CANCEL')`;
}

/** What of a query is a condition beside the span of time. */
async function filtersOf(
  prisma: PrismaService,
  restaurantId: string,
  { after, sort, status, state, test, cancelled, search = '' }: Query,
): Promise<Prisma.Sql[]> {
  const filters: Prisma.Sql[] = [];
  if (after) filters.push(isAfter(after, sort));
  if (status) {
    filters.push(Prisma.sql`job.status = ${status}::job_status`);
    // the withdrawn are not parked (O23)
    if (status === 'DLQ') filters.push(Prisma.sql`NOT job.withdrawn`);
    filters.push(...isAmong(await idsInState(prisma, status, restaurantId)));
  }
  if (state) {
    filters.push(isInState(state, statusOfCancel(restaurantId)));
    filters.push(...isAmong(await idsInState(prisma, state, restaurantId)));
  }
  if (cancelled !== undefined)
    filters.push(Prisma.sql`${statusOfCancel(restaurantId)} IS ${cancelled ? Prisma.sql`NOT NULL` : Prisma.sql`NULL`}`);
  if (cancelled || state === 'cancelled') filters.push(...isOneOf(await keysOfFewCancels(prisma, restaurantId)));
  const ofEvent: Prisma.Sql[] = [];
  if (test !== undefined) ofEvent.push(Prisma.sql`test_mode = ${test}`);
  // each alternative has its index; outside test mode the stored key is the key as sent, so transaction_key finds it
  if (search !== '')
    ofEvent.push(Prisma.sql`(transaction_key = ${search} OR (source_key = ${search} AND test_mode)
      OR transaction_number = ${search})`);
  if (ofEvent.length > 0)
    filters.push(Prisma.sql`job.event_key IN (SELECT transaction_key FROM terminal_events
      WHERE restaurant_id = ${restaurantId}::uuid AND ${Prisma.join(ofEvent, ' AND ')})`);
  return filters;
}

/** The rows after a cursor; unlike an offset, it costs the same on every page. */
function isAfter(cursor: string, sort: Query['sort']): Prisma.Sql {
  const { createdAt, id } = positionOf(cursor);
  const beyond = sort === 'receivedAt' ? Prisma.sql`>` : Prisma.sql`<`;
  return Prisma.sql`(job.created_at, job.id) ${beyond} (${createdAt}::timestamptz, ${id}::uuid)`;
}

const isAmong = (ids: readonly string[] | undefined) => (ids ? [Prisma.sql`job.id = ANY(${ids}::uuid[])`] : []);
const isOneOf = (keys: readonly string[] | undefined) => (keys ? [Prisma.sql`job.event_key = ANY(${keys})`] : []);

/** As {@link idsInState}, the events whose cancel was requested. @returns undefined when they are many */
async function keysOfFewCancels(prisma: PrismaService, restaurantId: string): Promise<string[] | undefined> {
  const { text, values } = Prisma.sql`
    SELECT event_key AS key FROM outbox_jobs
    WHERE restaurant_id = ${restaurantId}::uuid AND action = 'CANCEL' AND created_at >= ${EPOCH}::timestamptz LIMIT ${FEW + 1}`;
  const rows = await prisma.unprepared<{ key: string }>(text, values);
  return rows.length > FEW ? undefined : rows.map(({ key }) => key);
}

/** What became of an order (R19). @param cancellation status of its CANCEL */
function isInState(state: OrderState, cancellation: Prisma.Sql): Prisma.Sql {
  switch (state) {
    case 'waiting':
      return Prisma.sql`job.status IN ('PENDING', 'PROCESSING', 'FAILED') AND NOT job.withdrawn AND ${cancellation} IS NULL`;
    case 'delivered':
      return Prisma.sql`job.status = 'SENT' AND NOT job.withdrawn AND ${cancellation} IS NULL`;
    case 'parked':
      return Prisma.sql`NOT job.withdrawn AND coalesce(${cancellation}, 'DLQ') = 'DLQ'
        AND (job.status = 'DLQ' OR ${cancellation} = 'DLQ')`;
    case 'cancelled':
      return Prisma.sql`(job.withdrawn OR ${cancellation} <> 'DLQ')`;
  }
}
