import type { JobAction } from '../domain/job.js';
import type { OrderState } from '../domain/order-state.js';
import { IS_REFUND, REFUNDS, SALE_KIND, SIGNED_CENTS } from '../outbox/sale-kind.sql.js';
import { FEW, idsInState } from '../outbox/state-filter.js';
import { Prisma } from '../platform/database/generated/client.js';
import { preparedStatement } from '../platform/database/prepared.js';
import type { PrismaService } from '../platform/database/prisma.service.js';
import { type Page, pageOf, sqlAfterCursor } from '../platform/http/fields/cursor-page.js';
import { RECEIVED_ON_ANOTHER_DAY } from './another-day.sql.js';
import type { OrderPageMetaView } from './order-page.dto.js';
import { FOUND_BY, isFoundBy, type LabelPath, labelOf } from './order-search.js';
import { LISTED_WARNINGS, type OrderView, type QueryOrdersDto } from './orders.dto.js';
import { keysFound } from './searched-keys.js';

/** A time before every order. */
const EPOCH = new Date(0);
/** A time after every order. */
const END = new Date('9999-12-31');

/** A row of the list: the CREATE or CANCEL job of an order, with its sort key: the time, then the key of the event as `id`. */
export interface ListedOrder extends OrderView {
  readonly id: string;
  readonly createdAt: Date;
}

type Query = Omit<QueryOrdersDto, 'limit'> & { readonly limit: number };

/**
 * Reads one page of a restaurant's orders, or of their cancels (R3), in one statement, because open consoles poll the newest page.
 * @throws 400 VALIDATION_FAILED when `after` is not a cursor
 */
export async function listOrders(
  prisma: PrismaService,
  restaurantId: string,
  query: Query,
  labelPath: LabelPath = [],
): Promise<Page<ListedOrder> & { readonly meta: OrderPageMetaView }> {
  const { limit, action, sort, from, to, after } = query;
  const { filters, ids, keys, searchedFrom } = await filtersOf(prisma, restaurantId, query, labelPath);
  const direction = sort === 'receivedAt' ? Prisma.sql`ASC` : Prisma.sql`DESC`;
  const { jobs, at, key } = sourceOf(restaurantId, action, ids, keys);
  // always two conditions on the time: the index of the list requires one, and without statistics a planner expects few rows of a span,
  // and then walks the index in place of sorting the history
  const span = [Prisma.sql`${at} >= ${from ?? EPOCH}::timestamptz AND ${at} < ${to ?? END}::timestamptz`];
  if (after) span.push(sqlAfterCursor(after, [at, key], 'text', sort === 'receivedAt'));
  const { text, values } = Prisma.sql`
    SELECT job.event_key AS id, job.at AS "createdAt", job.action::text, job.status::text, job.withdrawn, job.attempts,
           job.next_run_at AS "nextRunAt", job.cause, job.subject, job.last_error AS "lastError", event.*,
           cancel.status::text AS cancellation,
           coalesce(job.resolved_at, cancel.resolved_at) AS "resolvedAt",
           order_state(${ofCreate(restaurantId, action, 'status')}, ${ofCreate(restaurantId, action, 'withdrawn')}, cancel.status,
             event.kind = 'REFUND', NOT ${isOpen(restaurantId, action)}) AS state
    FROM (SELECT timezone, day_closes_at, currency FROM restaurants WHERE id = ${restaurantId}::uuid OFFSET 0) AS restaurant, (
      SELECT job.*, ${at} AS at FROM ${jobs}
      WHERE job.restaurant_id = ${restaurantId}::uuid AND job.action = ${ACTIONS[action]}
        AND ${Prisma.join([...span, ...filters], ' AND ')}
      ORDER BY ${at} ${direction}, ${key} ${direction}
      LIMIT ${limit + 1}::int
    ) AS job,
    -- OFFSET 0 makes this a look-up by key, with any statistics (decisions/032)
    LATERAL (
      SELECT transaction_key AS "transactionKey", left(transaction_number, 255) AS "transactionNumber", test_mode AS test,
             received_at AS "receivedAt", transaction_date AS "transactionDate",
             ${RECEIVED_ON_ANOTHER_DAY} AS "receivedOnAnotherDay", paid_cents::float8 AS "paidCents",
             ${SALE_KIND} AS kind, (${SIGNED_CENTS})::float8 AS "netCents", restaurant.currency,
             entered_at AS "enteredAt", entered_by AS "enteredBy", entered_note AS "enteredNote",
             warnings[1:${LISTED_WARNINGS}] AS warnings, ${labelOf(labelPath)} AS label
      FROM terminal_events WHERE transaction_key = job.event_key AND restaurant_id = ${restaurantId}::uuid OFFSET 0
    ) AS event
    LEFT JOIN LATERAL (
      SELECT status, resolved_at FROM outbox_jobs
      WHERE event_key = job.event_key AND restaurant_id = ${restaurantId}::uuid AND action = 'CANCEL' OFFSET 0
    ) AS cancel ON true
    ORDER BY job.at ${direction}, job.event_key ${direction}`;
  // a filtered page is not prepared: it is planned for its values, and sessions keep every prepared statement
  const isFiltered = after !== undefined || filters.length > 0 || ids !== undefined || keys !== undefined;
  const rows = await (isFiltered
    ? runnerOf(prisma, query)<ListedOrder>(text, values)
    : prisma.prepared<ListedOrder>(preparedStatement('orders', text), values));
  const page = pageOf(rows, limit, ({ createdAt }) => createdAt);
  return searchedFrom === undefined ? page : { data: page.data, meta: { ...page.meta, searchedFrom } };
}

/** All statements of a search use the connections of reports (R43). */
const runnerOf = (prisma: PrismaService, { q = '' }: Query): typeof prisma.unprepared =>
  q.trim() === '' ? (text, values) => prisma.unprepared(text, values) : (text, values) => prisma.report(text, values);

/** SQL: a column of the CREATE or CANCEL job of the same event as `job`, looked up by key; null when there is no such job (C9). */
function ofJob(restaurantId: string, action: JobAction, column: 'status' | 'withdrawn' = 'status'): Prisma.Sql {
  return Prisma.sql`(
    SELECT other.${Prisma.raw(column)} FROM outbox_jobs other
    WHERE other.event_key = job.event_key AND other.restaurant_id = ${restaurantId}::uuid AND other.action = ${action}::job_action)`;
}

/** SQL: a column of the CREATE job of the order of `job`. @param action the action of the listed jobs */
function ofCreate(restaurantId: string, action: JobAction, column: 'status' | 'withdrawn'): Prisma.Sql {
  return action === 'CREATE' ? Prisma.raw(`job.${column}`) : ofJob(restaurantId, 'CREATE', column);
}

/** SQL: whether the event of `job` is a refund (M15). OFFSET 0 makes this a look-up by key (decisions/032). */
const isRefund = (
  restaurantId: string,
) => Prisma.sql`EXISTS (SELECT 1 FROM terminal_events WHERE transaction_key = job.event_key
      AND restaurant_id = ${restaurantId}::uuid AND ${IS_REFUND} OFFSET 0)`;

/**
 * SQL: the conditions of an order whose state (R33) is this one; `job` is its CREATE or CANCEL job.
 * @param action the action of the listed jobs
 */
function inState(state: OrderState, restaurantId: string, action: JobAction): Prisma.Sql[] {
  if (state === 'refund') return [isRefund(restaurantId)];
  const byJobs = state === 'resolved' ? 'parked' : state;
  const conditions = [
    Prisma.sql`order_state(${ofCreate(restaurantId, action, 'status')}, ${ofCreate(restaurantId, action, 'withdrawn')},
      ${ofJob(restaurantId, 'CANCEL')}) = ${byJobs}`,
  ];
  if (state === 'parked') conditions.push(isOpen(restaurantId, action));
  if (state === 'resolved') conditions.push(Prisma.sql`NOT ${isOpen(restaurantId, action)}`);
  // a refund is never delivered, and parked only until the relay settles it
  if (state !== 'parked' && state !== 'delivered') conditions.push(Prisma.sql`NOT ${isRefund(restaurantId)}`);
  // these conditions follow from the state: for most rows they save the look-up of the cancel
  if (state === 'waiting' && action === 'CREATE') conditions.push(Prisma.sql`job.status NOT IN ('SENT', 'DLQ')`);
  if (state === 'delivered' && action === 'CREATE') conditions.push(Prisma.sql`job.status = 'SENT'`);
  return conditions;
}

/** SQL: whether nobody has settled the parked job of the order of `job` by hand (R40): `job` itself, or else the other job of the event. */
function isOpen(restaurantId: string, action: JobAction): Prisma.Sql {
  const other = action === 'CREATE' ? ACTIONS.CANCEL : ACTIONS.CREATE;
  return Prisma.sql`CASE WHEN job.status = 'DLQ' THEN job.resolved_at IS NULL ELSE coalesce((
    SELECT other.resolved_at IS NULL FROM outbox_jobs other
    WHERE other.event_key = job.event_key AND other.restaurant_id = ${restaurantId}::uuid AND other.action = ${other}), true) END`;
}

/** The conditions besides the span of time. When only few jobs can match, `ids` has their ids, or `keys` has the keys of their events. */
interface Filters {
  readonly filters: readonly Prisma.Sql[];
  readonly ids: readonly string[] | undefined;
  readonly keys: readonly string[] | undefined;
  /** see OrderPageMetaView; undefined: no search */
  readonly searchedFrom?: Date | null | undefined;
}

/** Literals: the planner does not use a partial index for a parameter. */
const ACTIONS = { CREATE: Prisma.sql`'CREATE'`, CANCEL: Prisma.sql`'CANCEL'` } as const;

/**
 * SQL: the jobs of a list as `job`, and the time and the key that the list is sorted by. When only few jobs can match, they are looked up by key: a
 * planner that underestimates the table would scan the table in the order of the list (R30). Otherwise a list of orders walks the events,
 * whose CREATE jobs have the same time, and a list of cancels walks the index of cancels.
 */
function sourceOf(
  restaurantId: string,
  action: JobAction,
  ids?: readonly string[],
  keys?: readonly string[],
): { jobs: Prisma.Sql; at: Prisma.Sql; key: Prisma.Sql } {
  const ofEvent = (key: Prisma.Sql) => Prisma.sql`LATERAL (SELECT * FROM outbox_jobs WHERE event_key = ${key}
        AND restaurant_id = ${restaurantId}::uuid AND action = ${ACTIONS[action]} OFFSET 0) AS job`;
  const ofJob = { at: Prisma.sql`job.created_at`, key: Prisma.sql`job.event_key` };
  if (keys) return { jobs: Prisma.sql`unnest(${keys}::text[]) AS few(key), ${ofEvent(Prisma.sql`few.key`)}`, ...ofJob };
  if (ids)
    return {
      jobs: Prisma.sql`unnest(${ids}::uuid[]) AS few(id), LATERAL (SELECT * FROM outbox_jobs WHERE id = few.id OFFSET 0) AS job`,
      ...ofJob,
    };
  if (action === 'CANCEL') return { jobs: Prisma.sql`outbox_jobs job`, ...ofJob };
  return {
    jobs: Prisma.sql`(
        SELECT transaction_key, received_at FROM terminal_events WHERE restaurant_id = ${restaurantId}::uuid
      ) AS walked, ${ofEvent(Prisma.sql`walked.transaction_key`)}`,
    at: Prisma.sql`walked.received_at`,
    key: Prisma.sql`walked.transaction_key`,
  };
}

async function filtersOf(
  prisma: PrismaService,
  restaurantId: string,
  query: Query,
  labelPath: LabelPath,
): Promise<Filters> {
  const { action, status, state, test, cancelled, search = '', q = '' } = query;
  let searchedFrom: Date | null | undefined;
  const filters: Prisma.Sql[] = [];
  const keys: (readonly string[] | undefined)[] = [];
  const ids: (readonly string[] | undefined)[] = [];
  const cancellation = ofJob(restaurantId, 'CANCEL');
  if (status) {
    filters.push(Prisma.sql`job.status = ${status}::job_status`);
    // withdrawn jobs are not parked (O23), and nobody waits for those that were settled by hand (R40)
    if (status === 'DLQ') filters.push(Prisma.sql`NOT job.withdrawn AND job.resolved_at IS NULL`);
    ids.push(await idsInState(prisma, status, restaurantId));
  }
  if (state) {
    filters.push(...inState(state, restaurantId, action));
    if (action === 'CREATE') ids.push(await idsInState(prisma, state, restaurantId));
    if (state === 'refund') keys.push(await keysOfFewEvents(runnerOf(prisma, query), [refundsOf(restaurantId)]));
  }
  if (cancelled !== undefined)
    filters.push(Prisma.sql`${cancellation} IS ${cancelled ? Prisma.sql`NOT NULL` : Prisma.sql`NULL`}`);
  if (cancelled || state === 'cancelled' || (state && action === 'CANCEL'))
    keys.push(await keysOfFewCancels(prisma, restaurantId));
  const ofEvent: Prisma.Sql[] = [];
  if (test !== undefined) ofEvent.push(Prisma.sql`test_mode = ${test}`);
  if (search !== '') ofEvent.push(isFoundBy(search));
  // OFFSET 0 makes this a look-up by key; a join would read every event (decisions/032)
  if (ofEvent.length > 0)
    filters.push(Prisma.sql`EXISTS (SELECT 1 FROM terminal_events WHERE transaction_key = job.event_key
      AND restaurant_id = ${restaurantId}::uuid AND ${Prisma.join(ofEvent, ' AND ')} OFFSET 0)`);
  if (search !== '')
    keys.push(
      await keysOfFewEvents(
        runnerOf(prisma, query),
        FOUND_BY.map((way) => way(restaurantId, search)),
      ),
    );
  else if (test) keys.push(await keysOfFewEvents(runnerOf(prisma, query), [testsOf(restaurantId)]));
  const text = q.trim();
  if (text !== '') {
    const exactly = await keysOfFewEvents(
      runnerOf(prisma, query),
      FOUND_BY.map((way) => way(restaurantId, text)),
    );
    const found = await keysFound(prisma, { restaurantId, text, labelPath });
    keys.push([...new Set([...(exactly ?? []), ...found.keys])]);
    searchedFrom = found.from;
  }
  return { filters, ids: inAll(ids), keys: inAll(keys), searchedFrom };
}

/** The intersection of the lists that are not undefined; undefined when all lists are undefined. */
function inAll(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const [first, ...others] = lists.filter((list) => list !== undefined).map((list) => new Set(list));
  return first && [...first].filter((each) => others.every((other) => other.has(each)));
}

const refundsOf = (restaurantId: string) => Prisma.sql`restaurant_id = ${restaurantId}::uuid AND ${REFUNDS}`;
const testsOf = (restaurantId: string) => Prisma.sql`restaurant_id = ${restaurantId}::uuid AND test_mode`;

/** As {@link idsInState}, but the keys of the events for which one of the conditions holds. @returns undefined when they are many */
async function keysOfFewEvents(
  run: PrismaService['unprepared'],
  conditions: readonly Prisma.Sql[],
): Promise<string[] | undefined> {
  const few = conditions.map(
    (condition) => Prisma.sql`(SELECT transaction_key AS key FROM terminal_events WHERE ${condition} LIMIT ${FEW + 1})`,
  );
  const { text, values } = Prisma.join(few, ' UNION ');
  const rows = await run<{ key: string }>(text, values);
  return rows.length > FEW ? undefined : rows.map(({ key }) => key);
}

/** As {@link idsInState}, but the keys of the events whose cancel was requested. @returns undefined when they are many */
async function keysOfFewCancels(prisma: PrismaService, restaurantId: string): Promise<string[] | undefined> {
  const { text, values } = Prisma.sql`
    SELECT event_key AS key FROM outbox_jobs
    WHERE restaurant_id = ${restaurantId}::uuid AND action = 'CANCEL' AND created_at >= ${EPOCH}::timestamptz LIMIT ${FEW + 1}`;
  const rows = await prisma.unprepared<{ key: string }>(text, values);
  return rows.length > FEW ? undefined : rows.map(({ key }) => key);
}
