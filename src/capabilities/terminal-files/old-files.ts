import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseClock } from '../../platform/database/clock.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { OldRows } from '../../platform/schedule/old-rows.js';

/** A confirmed file is kept for this time, in days (R58): a year, and a month to compare with. */
const KEPT_DAYS = 400;
const BATCH = 2_000;
const PAUSE_MS = 50;

/** Removes old files (R58). */
@Injectable()
export class OldFiles implements OnModuleInit {
  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly oldRows: OldRows,
    private readonly stopping: AbortSignal,
  ) {}

  onModuleInit(): void {
    this.oldRows.add({ name: 'files', remove: () => this.remove() });
  }

  /** One file at a time, its rows first: a statement that removed all of them would take too long. @returns the removed files */
  private async remove(): Promise<number> {
    for (let files = 0; ; ) {
      if (this.stopping.aborted) return files;
      const [oldest] = await this.prisma.$queryRaw<{ id: string }[]>`
        SELECT id::text FROM terminal_files WHERE confirmed_at < now() - ${KEPT_DAYS}::int * interval '1 day' AND ${this.clock.condition}
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
