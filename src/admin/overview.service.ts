import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { JOB_STATUSES, type JobStatus } from '../domain/job.js';
import { Alarms } from '../outbox/alarms.js';
import { AHEAD, DatabaseClock } from '../platform/database/clock.js';
import { within } from '../platform/database/deadline.js';
import { isDatabaseAway } from '../platform/database/errors.js';
import { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import type { MetricsView, RecentView } from './admin.dto.js';

/** The states whose jobs partial indexes count. A count of SENT jobs reads the whole history. */
const UNSENT = JOB_STATUSES.filter((status) => status !== 'SENT');
const TOP_RESTAURANTS = 10;
/** Time limit of the database reads of a scrape; ms. If they take longer, the scrape has only the metrics of the process. */
const SCRAPE_LIMIT_MS = 2_000;

/** Reads metrics of the deployment from the database, and registers them as gauges of Prometheus (R6). */
@Injectable()
export class OverviewService {
  /** whether the database could store a webhook at the last scrape */
  private databaseUp = true;

  constructor(
    private readonly prisma: PrismaService,
    private readonly metrics: Metrics,
    private readonly alarms: Alarms,
    private readonly clock: DatabaseClock,
  ) {
    this.gauge(
      'relay_jobs',
      'Jobs by state, DLQ: parked; delivered and withdrawn ones are not counted',
      ['status'],
      async (gauge) => {
        const unsent = await this.countUnsentJobs();
        for (const status of UNSENT) gauge.set({ status }, unsent[status]);
      },
    );
    this.gauge(
      'relay_oldest_due_seconds',
      'For how many seconds the oldest due job has been waiting',
      [],
      async (gauge) => {
        gauge.set(await this.alarms.oldestDueSeconds());
      },
    );
    this.gauge(
      'relay_refusing_restaurants',
      'Restaurants whose POS accepted none of their orders within ALARM_REFUSING_MS',
      [],
      async (gauge) => {
        gauge.set((await this.alarms.refusingRestaurants()).length);
      },
    );
    this.gauge(
      'relay_clock_difference_seconds',
      "By how many seconds the database's clock is ahead of this instance's",
      [],
      async (gauge) => {
        gauge.set((await this.clock.aheadMs()) / 1_000);
      },
    );
    const { registry } = this.metrics;
    const up: Gauge = new Gauge({
      name: 'relay_database_up',
      help: 'Whether this instance could store a webhook: 1 or 0',
      registers: [registry],
      collect: () => up.set(Number(this.databaseUp)),
    });
    const seconds: Gauge = new Gauge({
      name: 'relay_database_seconds',
      help: 'How long the last check whether this instance could store a webhook took',
      registers: [registry],
      collect: () => {
        const { answeredInMs } = this.prisma;
        if (answeredInMs !== undefined) seconds.set(answeredInMs / 1_000);
      },
    });
  }

  /**
   * @returns this instance's metrics in the Prometheus text format; while the database is away, `relay_database_up` is 0 and the gauges
   *   that are read from the database are missing
   */
  async prometheus(): Promise<{ contentType: string; text: string }> {
    const { registry } = this.metrics;
    this.databaseUp = await within(SCRAPE_LIMIT_MS, this.prisma.canWrite()).catch(() => false);
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  /** @returns the metrics of `GET /admin/metrics` */
  async read(): Promise<MetricsView> {
    const [unsent, sent, oldestDueSeconds, lastMinute, lastHour, attemptsByAnswer, parked, amountMismatches] =
      await Promise.all([
        this.countUnsentJobs(),
        this.prisma.reports.outboxJob.count({ where: { status: 'SENT' } }),
        this.alarms.oldestDueSeconds(),
        this.recent(60),
        this.recent(3_600),
        this.countAttemptsByAnswer(3_600),
        this.parkedByRestaurant(),
        this.prisma.reports.terminalEvent.count({
          // without refunds (M16)
          where: { amountMismatchCents: { not: null }, NOT: { paidCents: 0, amountMismatchCents: { lt: 0 } } },
        }),
      ]);
    return {
      jobs: { ...unsent, SENT: sent },
      oldestDueSeconds,
      lastMinute,
      lastHour,
      attemptsByAnswer,
      parkedByRestaurant: parked,
      amountMismatches,
    };
  }

  private async countUnsentJobs(): Promise<Record<Exclude<JobStatus, 'SENT'>, number>> {
    const [row] = await this.prisma.reports.$queryRaw<Record<Exclude<JobStatus, 'SENT'>, number>[]>`
      SELECT (SELECT count(*)::int FROM outbox_jobs WHERE status = 'PENDING') AS "PENDING",
             (SELECT count(*)::int FROM outbox_jobs WHERE status = 'PROCESSING') AS "PROCESSING",
             (SELECT count(*)::int FROM outbox_jobs WHERE status = 'FAILED') AS "FAILED",
             (SELECT count(*)::int FROM parked_jobs) AS "DLQ"`;
    return row ?? { PENDING: 0, PROCESSING: 0, FAILED: 0, DLQ: 0 };
  }

  private async recent(seconds: number): Promise<RecentView> {
    const [row] = await this.prisma.reports.$queryRaw<RecentView[]>`
      WITH attempt AS (
        SELECT outcome, extract(epoch FROM started_at - created_at)::float8 * 1000 + duration_ms AS ms
        FROM delivery_attempts JOIN outbox_jobs ON outbox_jobs.id = job_id
        WHERE started_at BETWEEN now() - ${seconds}::int * interval '1 second' AND ${Prisma.raw(AHEAD)}
      )
      SELECT (SELECT count(*)::int FROM terminal_events
              WHERE received_at BETWEEN now() - ${seconds}::int * interval '1 second' AND ${Prisma.raw(AHEAD)}) AS received,
             count(*) FILTER (WHERE outcome = 'SENT')::int AS sent,
             count(*) FILTER (WHERE outcome = 'FAILED')::int AS failed,
             count(*) FILTER (WHERE outcome = 'DLQ')::int AS parked,
             count(*) FILTER (WHERE outcome = 'LOST')::int AS lost,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE outcome = 'SENT') AS "deliveryMedianMs",
             percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) FILTER (WHERE outcome = 'SENT') AS "deliveryP95Ms",
             percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) FILTER (WHERE outcome = 'SENT') AS "deliveryP99Ms"
      FROM attempt`;
    return row as RecentView;
  }

  private countAttemptsByAnswer(seconds: number) {
    return this.prisma.reports.$queryRaw<MetricsView['attemptsByAnswer']>`
      SELECT coalesce(http_status::text, error_code, 'none') AS answer, outcome::text AS outcome, count(*)::int AS attempts
      FROM delivery_attempts WHERE started_at BETWEEN now() - ${seconds}::int * interval '1 second' AND ${Prisma.raw(AHEAD)}
      GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 50`;
  }

  private parkedByRestaurant() {
    return this.prisma.reports.$queryRaw<MetricsView['parkedByRestaurant']>`
      SELECT restaurant_id::text AS "restaurantId", restaurants.name, parked
      FROM (SELECT restaurant_id, count(*)::int AS parked FROM parked_jobs GROUP BY 1 ORDER BY 2 DESC LIMIT ${TOP_RESTAURANTS}) AS top
      JOIN restaurants ON restaurants.id = restaurant_id
      ORDER BY parked DESC, name`;
  }

  /** Registers a gauge whose value each scrape reads from the database. In an outage the gauge has no value. */
  private gauge(name: string, help: string, labelNames: string[], read: (gauge: Gauge) => Promise<void>): void {
    const collect = async (): Promise<void> => {
      try {
        if (this.databaseUp) return await within(SCRAPE_LIMIT_MS, read(gauge));
      } catch (error) {
        if (!isDatabaseAway(error)) throw error;
        this.databaseUp = false;
      }
      gauge.reset();
      if (labelNames.length === 0) gauge.remove();
    };
    const gauge: Gauge = new Gauge({ name, help, labelNames, registers: [this.metrics.registry], collect });
  }
}
