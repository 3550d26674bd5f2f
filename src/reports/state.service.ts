import { HttpStatus, Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { PrismaService } from '../database/prisma.service.js';
import { problem } from '../http/problem.js';
import type { StateView } from './state.dto.js';

/** The waiting orders whose attempts are looked at: the oldest, since they have failed for longest. */
const EXAMINED = 50;
/** The orders among which the last delivery is looked for: orders that were received last are not delivered last after an outage. */
const LAST_DELIVERED = 100;
const EXAMINED_PARKED = 1_000;
const MAX_CAUSES = 5;

interface Today {
  readonly now: Date;
  readonly timezone: string;
  readonly dayClosesAt: string;
  readonly day: string;
  readonly from: Date;
  readonly to: Date;
}

/** Reads how a restaurant's orders fare at this moment (R19): from indexes alone, whatever the length of the history. */
@Injectable()
export class StateService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /** @throws 404 when there is no such restaurant */
  async read(restaurantId: string): Promise<StateView> {
    const { now, timezone, dayClosesAt, ...today } = await this.today(restaurantId);
    const [counts, waiting, parked] = await Promise.all([
      this.counts(restaurantId, today),
      this.waiting(restaurantId),
      this.parked(restaurantId),
    ]);
    return { restaurantId, now, timezone, dayClosesAt, today: { ...today, ...counts }, waiting, parked };
  }

  /** The current business day; as in R15, a closing time that the clock shows twice is the second. */
  private async today(restaurantId: string): Promise<Today> {
    const [today] = await this.prisma.$queryRaw<Today[]>`
      SELECT now() AS now, timezone, "dayClosesAt", to_char(day, 'YYYY-MM-DD') AS day,
             (day + closes) AT TIME ZONE timezone AS "from", (day + 1 + closes) AT TIME ZONE timezone AS "to"
      FROM (
        SELECT timezone, "dayClosesAt", closes,
               CASE WHEN now() < (shown + closes) AT TIME ZONE timezone THEN shown - 1 ELSE shown END AS day
        FROM (
          SELECT timezone, day_closes_at AS "dayClosesAt", day_closes_at::time AS closes,
                 ((now() AT TIME ZONE timezone) - day_closes_at::time)::date AS shown
          FROM restaurants WHERE id = ${restaurantId}::uuid
        ) AS restaurant
      ) AS current`;
    if (!today) throw problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'there is no such restaurant');
    return today;
  }

  /** The orders of a business day by what became of them; each is counted once. */
  private async counts(
    restaurantId: string,
    { from, to }: Pick<Today, 'from' | 'to'>,
  ): Promise<Omit<StateView['today'], 'day' | 'from' | 'to'>> {
    // a cancel is never older than its order
    const [counts] = await this.prisma.$queryRaw<Omit<StateView['today'], 'day' | 'from' | 'to'>[]>`
      SELECT count(*)::int AS orders,
             count(*) FILTER (WHERE state = 'delivered')::int AS delivered,
             count(*) FILTER (WHERE state = 'waiting')::int AS waiting,
             count(*) FILTER (WHERE state = 'parked')::int AS parked,
             count(*) FILTER (WHERE state = 'cancelled')::int AS cancelled
      FROM (
        SELECT CASE WHEN job.withdrawn OR cancel.status <> 'DLQ' THEN 'cancelled'
                    WHEN job.status = 'DLQ' OR cancel.status = 'DLQ' THEN 'parked'
                    WHEN job.status = 'SENT' THEN 'delivered'
                    ELSE 'waiting' END AS state
        FROM outbox_jobs job
        LEFT JOIN outbox_jobs cancel ON cancel.restaurant_id = ${restaurantId}::uuid AND cancel.action = 'CANCEL'
          AND cancel.event_key = job.event_key AND cancel.created_at >= ${from}::timestamptz
        WHERE job.restaurant_id = ${restaurantId}::uuid AND job.action = 'CREATE'
          AND job.created_at >= ${from}::timestamptz AND job.created_at < ${to}::timestamptz
      ) AS today`;
    return counts as NonNullable<typeof counts>;
  }

  private async waiting(restaurantId: string): Promise<StateView['waiting']> {
    const { lateAlarmMs } = this.config.outbox;
    // two halves, because the partial indexes are two
    const [row] = await this.prisma.$queryRaw<(Omit<StateView['waiting'], 'failing'> & Failing)[]>`
      WITH waiting AS MATERIALIZED (
        SELECT id, action, attempts, created_at, next_run_at FROM outbox_jobs
        WHERE restaurant_id = ${restaurantId}::uuid AND status IN ('PENDING', 'FAILED')
        UNION ALL
        SELECT id, action, attempts, created_at, next_run_at FROM outbox_jobs
        WHERE restaurant_id = ${restaurantId}::uuid AND status = 'PROCESSING'
      ), failed AS MATERIALIZED (
        SELECT attempt.started_at, attempt.http_status, attempt.error_code, attempt.error
        FROM (SELECT id FROM waiting WHERE action = 'CREATE' AND attempts > 0 ORDER BY created_at LIMIT ${EXAMINED}) AS oldest
        JOIN delivery_attempts attempt ON attempt.job_id = oldest.id
        WHERE attempt.outcome IN ('FAILED', 'LOST') AND attempt.started_at > coalesce((
          SELECT max(updated_at) FROM (
            SELECT updated_at FROM outbox_jobs
            WHERE restaurant_id = ${restaurantId}::uuid AND action = 'CREATE' AND status = 'SENT' AND created_at IS NOT NULL
            ORDER BY created_at DESC LIMIT ${LAST_DELIVERED}
          ) AS delivered), '-infinity')
      )
      SELECT orders, cancels, late, "oldestReceivedAt", "nextTryAt", since, "httpStatus", "errorCode", error
      FROM (
        SELECT count(*) FILTER (WHERE action = 'CREATE')::int AS orders,
               count(*) FILTER (WHERE action = 'CANCEL')::int AS cancels,
               count(*) FILTER (WHERE action = 'CREATE'
                 AND next_run_at < now() - ${lateAlarmMs}::int * interval '1 millisecond')::int AS late,
               min(created_at) FILTER (WHERE action = 'CREATE') AS "oldestReceivedAt",
               min(next_run_at) FILTER (WHERE action = 'CREATE') AS "nextTryAt",
               (SELECT min(started_at) FROM failed) AS since
        FROM waiting
      ) AS counted
      LEFT JOIN (
        SELECT http_status AS "httpStatus", error_code AS "errorCode", error FROM failed ORDER BY started_at DESC LIMIT 1
      ) AS last ON true`;
    const { since, httpStatus, errorCode, error, ...waiting } = row as NonNullable<typeof row>;
    return { ...waiting, failing: since && { since, httpStatus, errorCode, error } };
  }

  private async parked(restaurantId: string): Promise<StateView['parked']> {
    const [[counted], causes] = await Promise.all([
      this.prisma.$queryRaw<{ orders: number; cancels: number }[]>`
        SELECT count(*) FILTER (WHERE action = 'CREATE')::int AS orders,
               count(*) FILTER (WHERE action = 'CANCEL')::int AS cancels
        FROM parked_jobs WHERE restaurant_id = ${restaurantId}::uuid`,
      this.prisma.$queryRaw<StateView['parked']['causes']>`
        SELECT cause, action::text AS action, count, "newestAt", "transactionKey",
               event.transaction_number AS "transactionNumber"
        FROM (
          SELECT last_error AS cause, action, count(*)::int AS count, max(updated_at) AS "newestAt",
                 (array_agg(event_key ORDER BY updated_at DESC))[1] AS "transactionKey"
          FROM (SELECT * FROM parked_jobs WHERE restaurant_id = ${restaurantId}::uuid
                ORDER BY updated_at DESC LIMIT ${EXAMINED_PARKED}) AS newest
          GROUP BY 1, 2 ORDER BY 3 DESC, 4 DESC LIMIT ${MAX_CAUSES}
        ) AS causes
        JOIN terminal_events event ON event.transaction_key = "transactionKey"
          AND event.restaurant_id = ${restaurantId}::uuid
        ORDER BY count DESC, "newestAt" DESC`,
    ]);
    return { orders: counted?.orders ?? 0, cancels: counted?.cancels ?? 0, causes };
  }
}

/** The last failed attempt, beside the first: {@link StateView}'s `failing` as columns. */
type Failing = Omit<NonNullable<StateView['waiting']['failing']>, 'since'> & { readonly since: Date | null };
