import { Injectable } from '@nestjs/common';
import { Alarms } from '../outbox/alarms.js';
import { Config } from '../platform/config/config.js';
import { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import type { BacklogView, QueryThroughputDto, ThroughputBucketView, ThroughputView } from './operations.dto.js';

/** Late jobs are counted up to this number. */
const MAX_LATE = 10_000;

/** The length of a bucket, by the longest span that uses this length: a chart has about a hundred buckets. */
const BUCKETS: readonly [upToMinutes: number, seconds: number][] = [
  [120, 60],
  [720, 300],
  [1_440, 900],
];

/** A bucket as the database counts it. `settled` is the number of jobs that became SENT or DLQ. */
type CountedBucket = Omit<ThroughputBucketView, 'waiting'> & { readonly created: number; readonly settled: number };

/** Sales, deliveries and failures over time, and the current backlog, for platform administrators (R22). */
@Injectable()
export class ThroughputService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly alarms: Alarms,
    private readonly config: Config,
  ) {}

  async read({ minutes }: QueryThroughputDto): Promise<ThroughputView> {
    const bucketSeconds = BUCKETS.find(([upTo]) => minutes <= upTo)?.[1] ?? 900;
    const [backlog, buckets] = await Promise.all([
      this.backlog(),
      this.count(bucketSeconds, Math.ceil((minutes * 60) / bucketSeconds)),
    ]);
    return { bucketSeconds, backlog, data: withWaiting(buckets, backlog.waiting) };
  }

  /** Reads partial indexes only. */
  private async backlog(): Promise<BacklogView> {
    const { lateAlarmMs } = this.config.outbox;
    const [rows, oldestDueSeconds] = await Promise.all([
      this.prisma.reports.$queryRaw<Omit<BacklogView, 'oldestDueSeconds'>[]>`
        SELECT (SELECT count(*)::int FROM outbox_jobs WHERE status IN ('PENDING', 'FAILED')) AS waiting,
               (SELECT count(*)::int FROM outbox_jobs WHERE status = 'PROCESSING') AS processing,
               (SELECT count(*)::int FROM parked_jobs) AS parked,
               late.jobs AS late, late.after_failure AS "lateAfterFailure"
        FROM (SELECT count(*)::int AS jobs, (count(*) FILTER (WHERE attempts > 0))::int AS after_failure FROM (
                SELECT attempts FROM late_jobs(${lateAlarmMs}::int * interval '1 millisecond') LIMIT ${MAX_LATE}) AS job) AS late`,
      this.alarms.oldestDueSeconds(),
    ]);
    return { ...(rows[0] as Omit<BacklogView, 'oldestDueSeconds'>), oldestDueSeconds };
  }

  /** Counts by the indexes of events, cancels and attempts by time. */
  private count(seconds: number, buckets: number): Promise<CountedBucket[]> {
    const step = Prisma.sql`(${seconds}::int * interval '1 second')`;
    const bucketOf = (time: Prisma.Sql) => Prisma.sql`date_bin(${step}, ${time}, TIMESTAMPTZ 'epoch')`;
    // an expression instead of a sub-select: the planner must know how short the span is
    const begins = Prisma.sql`${bucketOf(Prisma.sql`now()`)} - ${buckets - 1}::int * ${step}`;
    return this.prisma.reports.$queryRaw<CountedBucket[]>`
      WITH created AS (
        SELECT ${bucketOf(Prisma.sql`stored.at`)} AS at, count(*) AS created, count(*) FILTER (WHERE is_order) AS accepted
        FROM (
          SELECT received_at AS at, true AS is_order FROM terminal_events WHERE received_at >= ${begins}
          UNION ALL
          SELECT created_at, false FROM outbox_jobs WHERE action = 'CANCEL' AND created_at >= ${begins}
        ) AS stored GROUP BY 1
      ), attempted AS (
        SELECT ${bucketOf(Prisma.sql`started_at`)} AS at,
               count(*) FILTER (WHERE outcome = 'SENT' AND action = 'CREATE') AS delivered,
               count(*) FILTER (WHERE outcome IN ('FAILED', 'LOST')) AS failed,
               count(*) FILTER (WHERE outcome = 'DLQ') AS parked,
               count(*) FILTER (WHERE outcome IN ('SENT', 'DLQ')) AS settled,
               percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (
                 ORDER BY extract(epoch FROM started_at - created_at)::float8 * 1000 + duration_ms
               ) FILTER (WHERE outcome = 'SENT' AND action = 'CREATE') AS ms
        FROM delivery_attempts JOIN outbox_jobs ON outbox_jobs.id = job_id
        WHERE started_at >= ${begins} GROUP BY 1
      )
      SELECT at, coalesce(created, 0)::int AS created, coalesce(accepted, 0)::int AS accepted,
             coalesce(delivered, 0)::int AS delivered, coalesce(failed, 0)::int AS failed, coalesce(parked, 0)::int AS parked,
             coalesce(settled, 0)::int AS settled, ms[1] AS "medianMs", ms[2] AS "p95Ms"
      FROM generate_series(${begins}, now(), ${step}) AS at
      LEFT JOIN created USING (at) LEFT JOIN attempted USING (at)
      ORDER BY at`;
  }
}

/**
 * Computes the number of waiting jobs at the end of each bucket, backwards from the current number. Resets and withdrawals within the
 * span are not seen.
 */
function withWaiting(buckets: readonly CountedBucket[], now: number): ThroughputBucketView[] {
  let waiting = now;
  return buckets
    .toReversed()
    .map(({ created, settled, ...bucket }) => {
      const atItsEnd = waiting;
      waiting = Math.max(0, waiting - created + settled);
      return { ...bucket, waiting: atItsEnd };
    })
    .reverse();
}
