import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { DatabaseClock } from '../platform/database/clock.js';
import { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { Log } from '../platform/telemetry/log.js';

/** The most events in one statement, a small number so that no statement delays the worker. */
const BATCH = 500;
/** Events that one statement looks at: very many may have to stay (L142). */
const EXAMINED = 2_000;
const PAUSE_MS = 50;
/**
 * Time between recording a key in `spent_keys` and deleting the event of this key. A sale with the same key that is being stored
 * meanwhile conflicts with the spent key or with the event.
 */
const SPENT_BEFORE = '1 minute';

/** Where a batch ended: an event's time of receipt, key and restaurant. */
type Place = readonly [receivedAt: string, key: string, restaurantId: string];
const NO_RESTAURANT = '00000000-0000-0000-0000-000000000000';

/**
 * Removes delivered orders older than OUTBOX_RETENTION_DAYS, with their events and attempts (O22). Undelivered and DLQ jobs are
 * never removed. The keys of removed events are kept in `spent_keys`, so that a sale with
 * such a key is still refused as a duplicate. While the clocks differ, nothing is removed (S36).
 */
@Injectable()
export class Retention {
  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly stopping: AbortSignal,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Removes these orders in small batches; ends early when the process is stopping. Does nothing when OUTBOX_RETENTION_DAYS
   * is 0.
   * @returns how many events were removed
   * @throws the database's error
   */
  async remove(): Promise<number> {
    if (this.config.outbox.retentionDays === 0) return 0;
    const removed = await this.inBatches(() => this.removeSpent());
    await this.spendAll();
    if (removed > 0) this.log.info({ event: 'outbox.retention', removed });
    return removed;
  }

  private async inBatches(batch: () => Promise<number>): Promise<number> {
    let total = 0;
    while (!this.stopping.aborted) {
      const done = await batch();
      total += done;
      if (done < BATCH) break;
      await delay(PAUSE_MS);
    }
    return total;
  }

  private async spendAll(): Promise<void> {
    let from: Place | null = null;
    while (!this.stopping.aborted) {
      from = await this.spendKeys(from);
      if (!from) return;
      await delay(PAUSE_MS);
    }
  }

  /**
   * Of the next events, the oldest first, records the keys of those whose jobs have all been SENT for longer than the retention.
   * @param from where the batch before ended; null: at the oldest event
   * @returns where this batch ended; null: there is no further old event
   */
  private async spendKeys(from: Place | null): Promise<Place | null> {
    const days = this.config.outbox.retentionDays;
    const [at, key, restaurantId] = from ?? ['-infinity', '', NO_RESTAURANT];
    const [batch] = await this.prisma.$queryRaw<[{ until: Place | null }]>`
      WITH seen AS MATERIALIZED (
        SELECT transaction_key, source_key, test_mode, restaurant_id, received_at FROM terminal_events
        WHERE ${this.clock.condition} AND received_at < now() - ${days}::int * interval '1 day' AND received_at >= ${at}::timestamptz
          AND (received_at, transaction_key, restaurant_id) > (${at}::timestamptz, ${key}, ${restaurantId}::uuid)
        ORDER BY received_at, transaction_key, restaurant_id LIMIT ${EXAMINED}
      ), old AS (
        SELECT event.transaction_key, event.source_key, event.test_mode, event.restaurant_id, job.id
        FROM seen event
        CROSS JOIN LATERAL (
          SELECT id, status, updated_at FROM outbox_jobs
          WHERE event_key = event.transaction_key AND restaurant_id = event.restaurant_id AND action = 'CREATE' OFFSET 0) AS job
        WHERE job.status = 'SENT' AND job.updated_at < now() - ${days}::int * interval '1 day'
          AND NOT EXISTS (
            SELECT 1 FROM spent_keys WHERE transaction_key = event.transaction_key AND restaurant_id = event.restaurant_id)
          AND NOT EXISTS (
            SELECT 1 FROM outbox_jobs cancel
            WHERE cancel.event_key = event.transaction_key AND cancel.restaurant_id = event.restaurant_id AND cancel.action = 'CANCEL'
              AND (cancel.status <> 'SENT' OR cancel.updated_at >= now() - ${days}::int * interval '1 day'))
          AND NOT needed_for_closing(event.restaurant_id, event.transaction_key, event.received_at, event.test_mode)
      ), spent AS (
        INSERT INTO spent_keys (transaction_key, source_key, test_mode, restaurant_id, job_id)
        SELECT transaction_key, source_key, test_mode, restaurant_id, id FROM old
        ON CONFLICT DO NOTHING
      )
      SELECT (SELECT ARRAY[received_at::text, transaction_key, restaurant_id::text] FROM seen
              ORDER BY seen.received_at DESC, transaction_key DESC, restaurant_id DESC LIMIT 1) AS until`;
    return batch.until;
  }

  /** Removes the events of spent keys; an event that got a CANCEL job meanwhile is kept until this job is old, too. */
  private async removeSpent(): Promise<number> {
    const days = this.config.outbox.retentionDays;
    return this.prisma.$transaction(async (tx) => {
      const spent = await tx.$queryRaw<{ key: string; restaurantId: string }[]>`
        SELECT transaction_key AS key, restaurant_id::text AS "restaurantId" FROM spent_keys spent
        WHERE ${this.clock.condition} AND NOT event_removed AND spent_at < now() - ${SPENT_BEFORE}::interval
          -- a count: for NOT EXISTS the planner reads the whole of outbox_jobs to find the few jobs that are not SENT
          AND (SELECT count(*) FROM outbox_jobs
               WHERE event_key = transaction_key AND outbox_jobs.restaurant_id = spent.restaurant_id
                 AND (status <> 'SENT' OR updated_at >= now() - ${days}::int * interval '1 day')) = 0
        ORDER BY spent_at LIMIT ${BATCH}`;
      const keys = Prisma.sql`(SELECT * FROM unnest(
        ${spent.map(({ key }) => key)}::text[], ${spent.map(({ restaurantId }) => restaurantId)}::uuid[]))`;
      await tx.$executeRaw`DELETE FROM outbox_jobs WHERE (event_key, restaurant_id) IN ${keys} AND status = 'SENT'`;
      await tx.$executeRaw`DELETE FROM terminal_events WHERE (transaction_key, restaurant_id) IN ${keys}`;
      await tx.$executeRaw`UPDATE spent_keys SET event_removed = true WHERE (transaction_key, restaurant_id) IN ${keys}`;
      return spent.length;
    });
  }
}
