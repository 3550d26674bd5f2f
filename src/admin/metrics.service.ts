import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Prisma } from '../database/prisma.js';
import { JOB_STATUSES, type JobStatus } from '../domain/job.js';
import { Metrics } from '../metrics.js';
import { Watch } from '../outbox/watch.js';
import type { MetricsView, RecentView } from './admin.dto.js';

/** The states that partial indexes keep apart from the history; counting SENT would read all of it. */
const LIVING = JOB_STATUSES.filter((status) => status !== 'SENT');
const TOP = 10;

/** How it goes: read from the database, so that every instance says the same. */
@Injectable()
export class MetricsService {
  constructor(
    private readonly prisma: Prisma,
    private readonly metrics: Metrics,
    private readonly watch: Watch,
  ) {
    this.gauge('relay_jobs', 'Jobs by state; delivered ones are not counted', ['status'], async (gauge) => {
      const living = await this.livingJobs();
      for (const status of LIVING) gauge.set({ status }, living[status]);
    });
    this.gauge('relay_oldest_due_seconds', 'How long the oldest due job has been waiting', [], async (gauge) => {
      gauge.set(await this.watch.oldestDueSeconds());
    });
    this.gauge(
      'relay_refusing_restaurants',
      'Restaurants whose POS has taken no order for a while',
      [],
      async (gauge) => {
        gauge.set((await this.watch.refusingRestaurants()).length);
      },
    );
  }

  /** The text that Prometheus scrapes. */
  async prometheus(): Promise<{ contentType: string; text: string }> {
    const { registry } = this.metrics;
    return { contentType: registry.contentType, text: await registry.metrics() };
  }

  async all(): Promise<MetricsView> {
    const [living, sent, oldestDueSeconds, lastMinute, lastHour, answers, parked, amountMismatches] = await Promise.all(
      [
        this.livingJobs(),
        this.prisma.outboxJob.count({ where: { status: 'SENT' } }),
        this.watch.oldestDueSeconds(),
        this.recent(60),
        this.recent(3_600),
        this.answers(3_600),
        this.parkedByRestaurant(),
        this.prisma.terminalEvent.count({ where: { amountMismatchCents: { not: null } } }),
      ],
    );
    return {
      jobs: { ...living, SENT: sent },
      oldestDueSeconds,
      lastMinute,
      lastHour,
      attemptsByAnswer: answers,
      parkedByRestaurant: parked,
      amountMismatches,
    };
  }

  private async livingJobs(): Promise<Record<Exclude<JobStatus, 'SENT'>, number>> {
    const [row] = await this.prisma.$queryRaw<Record<Exclude<JobStatus, 'SENT'>, number>[]>`
      SELECT (SELECT count(*)::int FROM outbox_jobs WHERE status = 'PENDING') AS "PENDING",
             (SELECT count(*)::int FROM outbox_jobs WHERE status = 'PROCESSING') AS "PROCESSING",
             (SELECT count(*)::int FROM outbox_jobs WHERE status = 'FAILED') AS "FAILED",
             (SELECT count(*)::int FROM outbox_jobs WHERE status = 'DLQ' AND NOT withdrawn) AS "DLQ"`;
    return row ?? { PENDING: 0, PROCESSING: 0, FAILED: 0, DLQ: 0 };
  }

  private async recent(seconds: number): Promise<RecentView> {
    const [row] = await this.prisma.$queryRaw<RecentView[]>`
      WITH attempt AS (
        SELECT outcome, extract(epoch FROM started_at - created_at)::float8 * 1000 + duration_ms AS ms
        FROM delivery_attempts JOIN outbox_jobs ON outbox_jobs.id = job_id
        WHERE started_at > now() - ${seconds}::int * interval '1 second'
      )
      SELECT (SELECT count(*)::int FROM outbox_jobs
              WHERE created_at > now() - ${seconds}::int * interval '1 second') AS received,
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

  private answers(seconds: number) {
    return this.prisma.$queryRaw<MetricsView['attemptsByAnswer']>`
      SELECT coalesce(http_status::text, error_code, 'none') AS answer, outcome::text AS outcome, count(*)::int AS attempts
      FROM delivery_attempts WHERE started_at > now() - ${seconds}::int * interval '1 second'
      GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 50`;
  }

  private parkedByRestaurant() {
    return this.prisma.$queryRaw<MetricsView['parkedByRestaurant']>`
      SELECT restaurant_id::text AS "restaurantId", restaurants.name, parked
      FROM (SELECT restaurant_id, count(*)::int AS parked FROM outbox_jobs WHERE status = 'DLQ' AND NOT withdrawn
            GROUP BY 1 ORDER BY 2 DESC LIMIT ${TOP}) AS top
      JOIN restaurants ON restaurants.id = restaurant_id
      ORDER BY parked DESC, name`;
  }

  private gauge(name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => Promise<void>): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.metrics.registry],
      collect() {
        return collect(this);
      },
    });
  }
}
