import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DatabaseClock } from '../database/clock.js';
import { PrismaService } from '../database/prisma.service.js';
import { Log } from '../telemetry/log.js';

/** A sender key that has ended is kept for this time, in days (R58). */
const KEY_DAYS = 90;
/** A confirmed terminal's file is kept for this time, in days (R58): a year, and a month to compare with. */
const FILE_DAYS = 400;
/** The most rows in one statement, a small number so that no statement delays the worker. */
const BATCH = 2_000;
const PAUSE_MS = 50;

/** Removes what nobody looks at any more, whatever OUTBOX_RETENTION_DAYS says (R58): sales are Retention's. Nothing while the clocks differ (S36). */
@Injectable()
export class OldRows {
  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly stopping: AbortSignal,
    private readonly log: Log,
  ) {}

  /**
   * Removes them in small batches; ends early when the process is stopping.
   * @throws the database's error
   */
  async remove(): Promise<void> {
    const keys = await this.prisma.$executeRaw`
      DELETE FROM sender_keys WHERE id IN (
        SELECT id FROM sender_keys WHERE least(revoked_at, expires_at) < now() - ${KEY_DAYS}::int * interval '1 day'
          AND ${this.clock.condition} LIMIT ${BATCH})`;
    const files = await this.removeFiles();
    if (keys + files > 0) this.log.info({ event: 'retention.old_rows', keys, files });
  }

  /** One file at a time, its rows first: a statement that removed all of them would take too long. @returns the removed files */
  private async removeFiles(): Promise<number> {
    for (let files = 0; ; ) {
      if (this.stopping.aborted) return files;
      const [oldest] = await this.prisma.$queryRaw<{ id: string }[]>`
        SELECT id::text FROM terminal_files WHERE confirmed_at < now() - ${FILE_DAYS}::int * interval '1 day' AND ${this.clock.condition}
        ORDER BY confirmed_at LIMIT 1`;
      if (!oldest) return files;
      const { id } = oldest;
      const rows = await this.prisma.$executeRaw`
        DELETE FROM terminal_file_rows WHERE file_id = ${id}::uuid
          AND line IN (SELECT line FROM terminal_file_rows WHERE file_id = ${id}::uuid ORDER BY line LIMIT ${BATCH})`;
      if (rows < BATCH) files += await this.prisma.$executeRaw`DELETE FROM terminal_files WHERE id = ${id}::uuid`;
      await delay(PAUSE_MS);
    }
  }
}
