import { REFUSED_LATELY } from '../../outbox/conditions.sql.js';
import { PARKED } from '../../outbox/parked.sql.js';
import { IS_REFUND } from '../../outbox/sale-kind.sql.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { sqlAfterCursor } from '../../platform/http/fields/cursor-page.js';
import type { CountedMoneyView } from './money.dto.js';
import { type MoneySums, moneySums } from './money.js';
import type { RestaurantOverviewView } from './overview.dto.js';

/** A restaurant of a user, with what its light and its line say (R45). */
export interface OverviewRow
  extends Omit<RestaurantOverviewView, 'light' | 'setup' | 'refundCents' | keyof CountedMoneyView> {
  readonly money: MoneySums;
  readonly createdAt: Date;
  /** what the light and the open set-up follow from */
  readonly signs: {
    readonly hasCodeStorePos: boolean;
    /** of a POS of Open Delivery: credentials for it */
    readonly hasCredentials: boolean;
    /** a POS that pulls has polled; true for a POS that the relay calls */
    readonly hasPolled: boolean;
    readonly openDelivery: boolean;
    readonly parkedToday: number;
    readonly isSenderRefused: boolean;
    readonly isPaused: boolean;
    readonly retrying: number;
    readonly late: number;
  };
}

/** Which restaurants of a user. */
export interface OverviewOf {
  readonly userId: string;
  /** part of the name or slug; empty: all */
  readonly search: string;
  readonly after: string | undefined;
  readonly limit: number;
  readonly lateAlarmMs: number;
}

/**
 * One statement for all restaurants of a page (R45). Of each it reads the events of its business day, its open jobs and its newest event by
 * their indexes; events of jobs are looked up by key (decisions/032).
 * @throws 400 VALIDATION_FAILED when `after` is not a cursor
 */
export function overviewOf({ userId, search, after, limit, lateAlarmMs }: OverviewOf): Prisma.Sql {
  // whole ms, because cursors carry it
  const at = Prisma.sql`date_trunc('milliseconds', restaurant.created_at)`;
  const part = `%${search.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return Prisma.sql`
WITH mine AS MATERIALIZED (
  SELECT restaurant.id, ${at} AS created_at, restaurant.name, link.role, timezone, currency, paused_until IS NOT NULL AS is_paused,
         code_store_pos IS NOT NULL OR open_delivery AS has_code, open_delivery,
         CASE WHEN open_delivery THEN EXISTS (SELECT FROM live_pos_credentials live WHERE live.restaurant_id = restaurant.id)
              ELSE pos_id_partner IS NOT NULL AND pos_secret IS NOT NULL END AS has_credentials,
         NOT pulls OR EXISTS (SELECT FROM pos_credentials WHERE restaurant_id = restaurant.id AND polled_at IS NOT NULL) AS has_polled, day,
         (day + day_closes_at::time) AT TIME ZONE timezone AS begins_at,
         (day + 1 + day_closes_at::time) AT TIME ZONE timezone AS ends_at
  FROM (SELECT restaurant_id, role FROM user_restaurants WHERE user_id = ${userId}::uuid OFFSET 0) AS link
  CROSS JOIN LATERAL (SELECT * FROM restaurants WHERE id = link.restaurant_id OFFSET 0) AS restaurant
  CROSS JOIN LATERAL (SELECT business_day(now(), timezone, day_closes_at) AS day, coalesce(pos_vendor, '') = 'open-delivery' AS open_delivery) AS today
  WHERE restaurant.deleted_at IS NULL
    AND (${search === ''} OR restaurant.name ILIKE ${part} OR restaurant.slug ILIKE ${part})
    AND ${after ? sqlAfterCursor(after, [at, Prisma.sql`restaurant.id`], 'uuid', true) : Prisma.sql`true`}
  ORDER BY 2, 1 LIMIT ${limit + 1}::int
)
SELECT mine.id, mine.created_at AS "createdAt", mine.name, mine.role::text, mine.timezone, mine.currency,
       to_char(mine.day, 'YYYY-MM-DD') AS day, sold.orders, sold.money,
       open.orders AS "notInPos", open.cents::float8 AS "notInPosCents", parked_earlier AS "earlierParked", last.received_at AS "lastSaleAt",
       json_build_object('hasCodeStorePos', has_code, 'hasCredentials', has_credentials, 'hasPolled', has_polled, 'openDelivery', open_delivery, 'parkedToday', parked_today,
                         'isSenderRefused', EXISTS (SELECT FROM sender_keys WHERE restaurant_id = mine.id AND ${Prisma.raw(REFUSED_LATELY)}),
                         'retrying', retrying, 'late', late, 'isPaused', is_paused) AS signs
FROM mine
-- a cancel is never older than its order; R17: while it is parked, the POS has the order and its money, unless the order was withdrawn
CROSS JOIN LATERAL (
  SELECT coalesce(jsonb_object_agg(job.event_key, true), '{}') AS keys FROM outbox_jobs job
  WHERE job.restaurant_id = mine.id AND job.action = 'CANCEL' AND job.created_at >= mine.begins_at
    AND (job.status <> 'DLQ' OR (SELECT withdrawn FROM outbox_jobs sent
      WHERE sent.event_key = job.event_key AND sent.restaurant_id = mine.id AND sent.action = 'CREATE'))
) AS cancelled
-- the keys of an object are found by halves: a join would compare every order with every cancel (decisions/032)
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE NOT ${IS_REFUND})::int AS orders, ${moneySums(Prisma.sql`jsonb_exists(cancelled.keys, transaction_key)`)} AS money
  FROM terminal_events
  WHERE restaurant_id = mine.id AND received_at >= mine.begins_at AND received_at < mine.ends_at
) AS sold
CROSS JOIN LATERAL (
  SELECT count(*) FILTER (WHERE is_today AND action = 'CREATE')::int AS orders,
         coalesce(sum(event.cents) FILTER (WHERE is_today AND action = 'CREATE'), 0) AS cents,
         count(*) FILTER (WHERE is_today AND status = 'DLQ')::int AS parked_today,
         count(*) FILTER (WHERE NOT is_today AND status = 'DLQ')::int AS parked_earlier,
         count(*) FILTER (WHERE status <> 'DLQ' AND action = 'CREATE' AND attempts > 0)::int AS retrying,
         count(*) FILTER (WHERE status <> 'DLQ' AND action = 'CREATE'
           AND next_run_at < now() - ${lateAlarmMs}::int * interval '1 millisecond')::int AS late
  FROM (
    SELECT event_key, action, status, attempts, next_run_at FROM outbox_jobs
    WHERE restaurant_id = mine.id AND status IN ('PENDING', 'FAILED')
    UNION ALL
    SELECT event_key, action, status, attempts - 1, NULL FROM outbox_jobs WHERE restaurant_id = mine.id AND status = 'PROCESSING'
    UNION ALL
    SELECT event_key, action, status, attempts, NULL FROM outbox_jobs WHERE restaurant_id = mine.id AND ${PARKED}
  ) AS job, LATERAL (
    SELECT received_at >= mine.begins_at AS is_today, CASE WHEN test_mode THEN 0 ELSE paid_cents END AS cents FROM terminal_events
    WHERE transaction_key = job.event_key AND restaurant_id = mine.id OFFSET 0
  ) AS event
) AS open
LEFT JOIN LATERAL (
  -- a comparison: Postgres drops IS NOT NULL of a column that is never null, and then the index of lists does not serve
  SELECT received_at FROM terminal_events WHERE restaurant_id = mine.id AND received_at > '-infinity' ORDER BY received_at DESC LIMIT 1
) AS last ON true
ORDER BY mine.created_at, mine.id`;
}
