import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../config.js';
import { Prisma } from '../database/prisma.js';
import { Log } from '../log.js';

/** Small, so that no statement holds up the worker. */
const BATCH = 500;
const PAUSE_MS = 50;
/** A key is spent this long before its event goes: a post of it that is under way meanwhile meets the one or the other. */
const SPENT_BEFORE = '1 minute';

/**
 * OUTBOX_RETENTION_DAYS: removes delivered orders older than that, with their events and attempts. What is not delivered is
 * never removed, nor is DLQ. The keys stay refused.
 */
@Injectable()
export class Retention {
  private running = false;

  constructor(
    private readonly prisma: Prisma,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** @returns how many events were removed */
  async remove(mayGoOn: () => boolean = () => true): Promise<number> {
    if (this.running || this.config.outbox.retentionDays === 0) return 0;
    this.running = true;
    try {
      const removed = await inBatches(mayGoOn, () => this.removeSpent());
      await inBatches(mayGoOn, () => this.spendKeys());
      if (removed > 0) this.log.info({ event: 'outbox.retention', removed });
      return removed;
    } finally {
      this.running = false;
    }
  }

  /** Notes the keys of events all of whose jobs were SENT longer ago than the retention. */
  private spendKeys(): Promise<number> {
    const days = this.config.outbox.retentionDays;
    return this.prisma.$executeRaw`
      INSERT INTO spent_keys (transaction_key, source_key, test_mode, restaurant_id, job_id)
      SELECT event.transaction_key, event.source_key, event.test_mode, event.restaurant_id, job.id
      FROM (
        SELECT id, event_key FROM outbox_jobs old
        WHERE action = 'CREATE' AND status = 'SENT'
          AND created_at < now() - ${days}::int * interval '1 day' AND updated_at < now() - ${days}::int * interval '1 day'
          AND NOT EXISTS (SELECT 1 FROM spent_keys WHERE transaction_key = old.event_key)
          AND NOT EXISTS (
            SELECT 1 FROM outbox_jobs cancel
            WHERE cancel.event_key = old.event_key AND cancel.action = 'CANCEL'
              AND (cancel.status <> 'SENT' OR cancel.updated_at >= now() - ${days}::int * interval '1 day'))
        ORDER BY created_at LIMIT ${BATCH}
      ) AS job
      JOIN terminal_events event ON event.transaction_key = job.event_key
      ON CONFLICT DO NOTHING`;
  }

  /** Removes events whose keys are spent; one that has got a CANCEL meanwhile stays until that is delivered. */
  private async removeSpent(): Promise<number> {
    return this.prisma.$transaction(async (tx) => {
      const keys = await tx.$queryRaw<{ key: string }[]>`
        SELECT transaction_key AS key FROM spent_keys
        WHERE NOT event_removed AND spent_at < now() - ${SPENT_BEFORE}::interval
          AND NOT EXISTS (SELECT 1 FROM outbox_jobs WHERE event_key = transaction_key AND status <> 'SENT')
        ORDER BY spent_at LIMIT ${BATCH}`;
      const spent = keys.map(({ key }) => key);
      await tx.$executeRaw`DELETE FROM outbox_jobs WHERE event_key = ANY (${spent}::text[]) AND status = 'SENT'`;
      await tx.$executeRaw`DELETE FROM terminal_events WHERE transaction_key = ANY (${spent}::text[])`;
      await tx.$executeRaw`UPDATE spent_keys SET event_removed = true WHERE transaction_key = ANY (${spent}::text[])`;
      return spent.length;
    });
  }
}

async function inBatches(mayGoOn: () => boolean, batch: () => Promise<number>): Promise<number> {
  let total = 0;
  while (mayGoOn()) {
    const done = await batch();
    total += done;
    if (done < BATCH) break;
    await delay(PAUSE_MS);
  }
  return total;
}
