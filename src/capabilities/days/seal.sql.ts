import { OTHER_TENDERS, TENDER_LENGTH } from '../../domain/tenders.js';
import { SALE_KIND, SIGNED_CENTS } from '../../outbox/sale-kind.sql.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { type MoneySums, moneySums, tipsOfTender } from '../../restaurants/reports/money.js';

/** How long before the last closing a sale, or a cancel, may have begun that was stored after it (L80). */
const LOOK_BACK = Prisma.sql`interval '168 hours'`;
/** The tender types of a closing: the largest; the others are summed as {@link OTHER_TENDERS} (L22). */
const TENDERS = 100;

/** The business day of a restaurant that is closed next. */
export interface NextDay {
  readonly number: number;
  readonly day: string;
  /** the end of the day before */
  readonly beginsAt: Date;
  /** exclusive */
  readonly endsAt: Date;
  /** no sale of before is looked for (L80); a clock that was wrong leaves sales of before the first day, which are looked for */
  readonly floor: Date;
  readonly isOver: boolean;
  readonly previous: string;
  /** of all closings before, in cents */
  readonly perpetual: bigint;
  readonly timezone: string;
  readonly dayClosesAt: string;
  readonly currency: string | null;
  /** by the database's clock */
  readonly now: Date;
}

/** SQL: whether an event is in no closing. Looked up one by one (decisions/032). */
const inNoClosing = (restaurantId: string) => Prisma.sql`(
  SELECT number FROM day_sales sealed
  WHERE sealed.restaurant_id = ${restaurantId}::uuid AND sealed.event_key = transaction_key) IS NULL`;

/**
 * SQL: whether the days of a restaurant are closed since its creation (B3). If they are not, its sales of before the first day are of before the
 * migration that brought closings. needed_for_closing() has the same condition.
 */
const CLOSED_FROM_START = Prisma.sql`days_since <= created_at + interval '1 minute'`;

/**
 * The day that is closed next (B2). Its begin is the end of the day before, so that no time is between two days, whatever becomes of
 * `timezone` and `dayClosesAt`.
 * @returns undefined when there is no such restaurant
 */
export async function nextDay(tx: Prisma.TransactionClient, restaurantId: string): Promise<NextDay | undefined> {
  const [next] = await tx.$queryRaw<NextDay[]>`
    SELECT number, to_char(day, 'YYYY-MM-DD') AS day, begins_at AS "beginsAt", ends_at AS "endsAt",
           CASE WHEN closed_from_start THEN least(begins_at - ${LOOK_BACK}, (
             SELECT min(received_at) FROM terminal_events
             WHERE restaurant_id = ${restaurantId}::uuid AND received_at < first_at AND NOT test_mode AND ${inNoClosing(restaurantId)}))
           ELSE greatest(begins_at - ${LOOK_BACK}, first_at) END AS floor, ends_at <= now() AS "isOver", previous, perpetual::bigint,
           timezone, day_closes_at AS "dayClosesAt", currency, clock_timestamp()::timestamptz(3) AS now
    FROM (
      SELECT next.*, timezone, day_closes_at, currency, ${CLOSED_FROM_START} AS closed_from_start,
             greatest(begins_at, (next.day + 1 + day_closes_at::time) AT TIME ZONE timezone) AS ends_at,
             coalesce((SELECT (content::jsonb ->> 'beginsAt')::timestamptz FROM business_days
                       WHERE restaurant_id = restaurant.id AND number = 1), begins_at) AS first_at
      FROM restaurants restaurant
      LEFT JOIN LATERAL (
        SELECT number, day, hash, content::jsonb AS said FROM business_days
        WHERE restaurant_id = restaurant.id ORDER BY number DESC LIMIT 1
      ) AS last ON true
      CROSS JOIN LATERAL (SELECT coalesce(last.day + 1, business_day(days_since, timezone, day_closes_at)) AS day) AS calendar
      CROSS JOIN LATERAL (
        SELECT coalesce(last.number, 0) + 1 AS number, calendar.day, coalesce(last.hash, '') AS previous,
               coalesce((last.said ->> 'endsAt')::timestamptz, (calendar.day + day_closes_at::time) AT TIME ZONE timezone) AS begins_at,
               coalesce((last.said ->> 'perpetualCents')::numeric, 0) AS perpetual
      ) AS next
      WHERE restaurant.id = ${restaurantId}::uuid AND deleted_at IS NULL
    ) AS next`;
  return next;
}

/** SQL: the job of an event whose key is `event.key`. */
const jobOf = (restaurantId: string, action: 'CREATE' | 'CANCEL') => Prisma.sql`outbox_jobs.event_key = event.key
      AND outbox_jobs.restaurant_id = ${restaurantId}::uuid AND outbox_jobs.action = ${Prisma.raw(`'${action}'`)}`;

/** SQL: the sales that are stored, were received before the end of the day, and are in no closing. */
const unsealed = (restaurantId: string, { floor, endsAt }: Pick<NextDay, 'floor' | 'endsAt'>) => Prisma.sql`
  SELECT transaction_key AS key, received_at, transaction_date, paid_by_tender, tip_cents, service_fee_cents, ${SALE_KIND} AS kind, ${SIGNED_CENTS} AS cents
  FROM terminal_events
  WHERE restaurant_id = ${restaurantId}::uuid AND received_at >= ${floor}::timestamptz AND received_at < ${endsAt}::timestamptz
    AND NOT test_mode AND ${inNoClosing(restaurantId)}`;

/** Number and cents of some sales. */
export interface Figures {
  readonly count: number;
  readonly cents: bigint;
}

/** What is stored of the day that is not closed yet (R61): what its closing would have, and the tests that were received on it. */
export async function openMoney(
  client: Pick<Prisma.TransactionClient, '$queryRaw'>,
  restaurantId: string,
  { floor, beginsAt, endsAt }: NextDay,
): Promise<MoneySums> {
  const [row] = await client.$queryRaw<{ money: MoneySums }[]>`
    SELECT ${moneySums(Prisma.sql`state = 'cancelled'`)} AS money
    FROM (
      SELECT transaction_key AS key, test_mode, paid_cents, amount_mismatch_cents, tip_cents, service_fee_cents FROM terminal_events
      WHERE restaurant_id = ${restaurantId}::uuid AND received_at >= ${floor}::timestamptz AND received_at < ${endsAt}::timestamptz
        AND CASE WHEN test_mode THEN received_at >= ${beginsAt}::timestamptz ELSE ${inNoClosing(restaurantId)} END
      OFFSET 0
    ) AS event
    LEFT JOIN LATERAL (
      SELECT order_state(status, withdrawn, (
        SELECT nullif(status, 'DLQ') FROM outbox_jobs WHERE ${jobOf(restaurantId, 'CANCEL')})) AS state
      FROM outbox_jobs WHERE ${jobOf(restaurantId, 'CREATE')} OFFSET 0
    ) AS created ON true`;
  return (row as { money: MoneySums }).money;
}

/** Figures of a closing by kind and state, and by tender type. */
export interface SealedFigures {
  readonly states: readonly (Figures & { readonly kind: string; readonly state: string })[];
  readonly tenders: readonly (readonly [type: string, count: number, cents: bigint])[];
  /** of sales that are not cancelled (R68) */
  readonly tipCents: bigint;
  readonly serviceFeeCents: bigint;
  /** of sales that were paid with this tender alone (R69); tenders without both are left out */
  readonly tipTenders: readonly (readonly [type: string, tipCents: bigint, serviceFeeCents: bigint])[];
}

/** The row of {@link sealSales}: all as texts, since JSON numbers would lose digits. */
interface FiguresRow {
  readonly states: string[][];
  readonly tenders: string[][];
  readonly tips: string[];
}

/**
 * Seals the sales of a day (B3, B4): all that this statement sees. A sale that is stored later, with an earlier receipt, is sealed by the next
 * closing, which calls it late (B5). Late too is a sale of the day whose own date is of before the day began.
 */
export async function sealSales(
  tx: Prisma.TransactionClient,
  restaurantId: string,
  next: NextDay,
): Promise<SealedFigures> {
  const { number, day, beginsAt, timezone, dayClosesAt } = next;
  const dayOf = (time: Prisma.Sql) =>
    Prisma.sql`closed_day_of(${restaurantId}::uuid, ${time}, business_day(${time}, ${timezone}::text, ${dayClosesAt}::text))`;
  const isCancelled = Prisma.sql`state = 'cancelled'`;
  const [row] = await tx.$queryRaw<{ figures: FiguresRow }[]>`
    WITH event AS MATERIALIZED (${unsealed(restaurantId, next)}), sale AS MATERIALIZED (
      SELECT event.*, CASE WHEN kind = 'REFUND' THEN 'refund'
                        ELSE order_state(created.status, created.withdrawn, nullif(cancel.status, 'DLQ'), false, created.resolved_at IS NOT NULL) END AS state,
             -- whatever becomes of its job, a refund is a refund (B13)
             kind = 'REFUND' OR (created.status = 'SENT' AND cancel.status IS NULL)
               OR coalesce(created.withdrawn, false) OR coalesce(cancel.status = 'SENT', false) AS final,
             CASE WHEN transaction_date BETWEEN received_at - interval '744 hours' AND received_at + interval '24 hours'
                    AND transaction_date < ${beginsAt}::timestamptz THEN ${dayOf(Prisma.sql`transaction_date`)} END AS sold_on,
             CASE WHEN received_at < ${beginsAt}::timestamptz THEN ${dayOf(Prisma.sql`received_at`)} END AS received_on
      FROM event
      LEFT JOIN LATERAL (SELECT status, withdrawn, resolved_at FROM outbox_jobs WHERE ${jobOf(restaurantId, 'CREATE')} OFFSET 0) AS created ON true
      LEFT JOIN LATERAL (SELECT status FROM outbox_jobs WHERE ${jobOf(restaurantId, 'CANCEL')} OFFSET 0) AS cancel ON true
    ), sealed AS (
      INSERT INTO day_sales (restaurant_id, number, line, event_key, kind, cents, state, received_at)
      SELECT ${restaurantId}::uuid, ${number}::int, row_number() OVER (ORDER BY received_at, key), key, kind, cents, state, received_at
      FROM sale
    ), late AS (
      INSERT INTO day_lines (restaurant_id, number, line, on_day, for_day, kind, amount_cents, event_key)
      SELECT ${restaurantId}::uuid, ${number}::int, row_number() OVER (ORDER BY received_at, key), ${day}::date,
             least(sold_on, received_on, ${day}::date - 1), 'LATE', cents, key
      FROM sale WHERE sold_on IS NOT NULL OR received_on IS NOT NULL
    ), pending AS (
      INSERT INTO day_pending (restaurant_id, event_key, state)
      SELECT ${restaurantId}::uuid, key, replace(state, 'resolved', 'settled') FROM sale WHERE final IS NOT TRUE
    ), tender AS (
      SELECT CASE WHEN rank <= ${TENDERS}::int THEN type ELSE ${OTHER_TENDERS}::text END AS type, sum(count) AS count, sum(cents) AS cents,
             sum(tip) AS tip, sum(service_fee) AS service_fee
      FROM (
        SELECT type, count(*) AS count, sum(cents) AS cents, sum(tip) AS tip, sum(service_fee) AS service_fee,
               row_number() OVER (ORDER BY sum(cents) DESC, type) AS rank
        FROM (
          SELECT left(tender.key, ${TENDER_LENGTH}::int) AS type, tender.value::bigint AS cents, ${tipsOfTender(isCancelled)}
          FROM sale CROSS JOIN LATERAL jsonb_each(paid_by_tender) AS tender
        ) AS payment
        GROUP BY type
      ) AS ranked
      GROUP BY 1
    ), outcome AS (
      SELECT kind, state, count(*) AS count, sum(cents) AS cents FROM sale GROUP BY kind, state
    )
    SELECT json_build_object(
      'states', (SELECT coalesce(json_agg(json_build_array(kind, state, count::text, cents::text)), '[]') FROM outcome),
      'tenders', (SELECT coalesce(json_agg(json_build_array(type, count::text, cents::text, tip::text, service_fee::text) ORDER BY cents DESC, type COLLATE "C"), '[]')
                  FROM tender),
      'tips', (SELECT json_build_array(coalesce(sum(tip_cents), 0)::text, coalesce(sum(service_fee_cents), 0)::text)
               FROM sale WHERE kind = 'SALE' AND (${isCancelled}) IS NOT TRUE)) AS figures`;
  const { states, tenders, tips } = (row as { figures: FiguresRow }).figures;
  return {
    states: states.map(([kind = '', state = '', count, cents = '0']) => ({
      ...{ kind, state },
      ...{ count: Number(count), cents: BigInt(cents) },
    })),
    tenders: tenders.map(([type = '', count, cents = '0']) => [type, Number(count), BigInt(cents)] as const),
    ...{ tipCents: BigInt(tips[0] as string), serviceFeeCents: BigInt(tips[1] as string) },
    tipTenders: tenders
      .map(([type = '', , , tip = '0', fee = '0']) => [type, BigInt(tip), BigInt(fee)] as const)
      .filter(([, tip, fee]) => tip !== 0n || fee !== 0n),
  };
}

/**
 * Writes what has happened, before the end of the day, to sales of earlier days since the last closing (B5): the sales whose state could
 * still change, and those with a cancel since. A refund has no other state (B13): what a version before left of it is removed. What happened after the end is left for the day on which it happened.
 */
export async function sealChanges(
  tx: Prisma.TransactionClient,
  restaurantId: string,
  { number, day, beginsAt, endsAt }: NextDay,
): Promise<void> {
  await tx.$executeRaw`
    WITH told AS (
      SELECT event_key, state FROM day_pending WHERE restaurant_id = ${restaurantId}::uuid
    ), candidate AS MATERIALIZED (
      SELECT event_key, max(state) AS state FROM (
        SELECT event_key, state FROM told
        UNION ALL
        SELECT event_key, NULL FROM outbox_jobs
        WHERE restaurant_id = ${restaurantId}::uuid AND action = 'CANCEL' AND created_at IS NOT NULL
          AND created_at >= ${beginsAt}::timestamptz - ${LOOK_BACK}
      ) AS each GROUP BY event_key
    ), change AS MATERIALIZED (
      SELECT candidate.event_key, sealed.cents, sealed.for_day, sealed.kind = 'REFUND' AS is_refund, job.final, job.changed_at < ${endsAt}::timestamptz AS happened, job.state,
             coalesce(candidate.state, (
               SELECT CASE kind WHEN 'DELIVERED' THEN 'delivered' WHEN 'CANCELLED' THEN 'cancelled' WHEN 'NOTE' THEN 'settled' END
               FROM day_lines line
               WHERE line.restaurant_id = ${restaurantId}::uuid AND line.event_key = candidate.event_key AND kind <> 'LATE'
               ORDER BY line.number DESC, line.line DESC LIMIT 1), replace(sealed.state, 'resolved', 'settled')) AS told
      FROM candidate
      CROSS JOIN LATERAL (
        SELECT cents, state, kind, (SELECT closing.day FROM business_days closing
                              WHERE closing.restaurant_id = ${restaurantId}::uuid AND closing.number = sale.number) AS for_day
        FROM day_sales sale
        WHERE sale.restaurant_id = ${restaurantId}::uuid AND sale.event_key = candidate.event_key AND sale.number < ${number}::int OFFSET 0
      ) AS sealed
      CROSS JOIN LATERAL (
        SELECT state, CASE state WHEN 'cancelled' THEN coalesce(cancelled_at, moved_at) WHEN 'settled' THEN resolved_at
                 ELSE greatest(moved_at, CASE WHEN cancel = 'DLQ' THEN cancel_moved_at END) END AS changed_at,
               CASE state WHEN 'delivered' THEN cancel IS NULL WHEN 'cancelled' THEN withdrawn OR cancel = 'SENT' ELSE false END AS final
        FROM (
          SELECT created.updated_at AS moved_at, created.withdrawn, created.resolved_at, cancel.status AS cancel,
                 cancel.created_at AS cancelled_at, cancel.updated_at AS cancel_moved_at,
                 CASE WHEN created.resolved_at IS NOT NULL AND NOT created.withdrawn AND coalesce(cancel.status, 'DLQ') = 'DLQ' THEN 'settled'
                      ELSE order_state(created.status, created.withdrawn, nullif(cancel.status, 'DLQ')) END AS state
          FROM outbox_jobs created
          LEFT JOIN LATERAL (
            SELECT status, created_at, updated_at FROM outbox_jobs
            WHERE event_key = candidate.event_key AND restaurant_id = ${restaurantId}::uuid AND action = 'CANCEL' OFFSET 0
          ) AS cancel ON true
          WHERE created.event_key = candidate.event_key AND created.restaurant_id = ${restaurantId}::uuid AND created.action = 'CREATE'
          OFFSET 0
        ) AS jobs
      ) AS job
    ), line AS (
      INSERT INTO day_lines (restaurant_id, number, line, on_day, for_day, kind, amount_cents, event_key)
      SELECT ${restaurantId}::uuid, ${number}::int,
             (SELECT count(*) FROM day_lines WHERE restaurant_id = ${restaurantId}::uuid AND number = ${number}::int)
               + row_number() OVER (ORDER BY event_key COLLATE "C"),
             ${day}::date, for_day,
             CASE state WHEN 'delivered' THEN 'DELIVERED' WHEN 'cancelled' THEN 'CANCELLED' ELSE 'NOTE' END, cents, event_key
      FROM change WHERE NOT is_refund AND happened AND state <> told AND state IN ('delivered', 'cancelled', 'settled')
    ), ended AS (
      DELETE FROM day_pending USING change
      WHERE restaurant_id = ${restaurantId}::uuid AND day_pending.event_key = change.event_key AND (is_refund OR (happened AND final))
    )
    INSERT INTO day_pending (restaurant_id, event_key, state)
    SELECT ${restaurantId}::uuid, event_key, CASE WHEN happened THEN state ELSE told END FROM change WHERE NOT is_refund AND NOT (happened AND final)
    ON CONFLICT (restaurant_id, event_key) DO UPDATE SET state = excluded.state WHERE day_pending.state <> excluded.state`;
}
