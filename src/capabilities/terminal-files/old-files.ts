import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseClock } from '../../platform/database/clock.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { OldRows } from '../../platform/schedule/old-rows.js';
import { FileRows } from './matching/file-rows.js';

/** A confirmed file is kept for this time, in days (R58): a year, and a month to compare with. */
const KEPT_DAYS = 400;
/** The cells of a confirmed file are kept for this time, in days (L210). */
const CELLS_DAYS = 31;
/** What a run forgets at most. */
const BATCH = 2_000;
const PAUSE_MS = 50;

/** Removes old files (R58). */
@Injectable()
export class OldFiles implements OnModuleInit {
  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly rows: FileRows,
    private readonly oldRows: OldRows,
    private readonly stopping: AbortSignal,
  ) {}

  onModuleInit(): void {
    this.oldRows.add({ name: 'files', remove: () => this.remove() });
  }

  /** Files whose time has come, and those that were taken back and whose removal was interrupted. @returns the removed files */
  private async remove(): Promise<number> {
    await this.forget();
    for (let files = 0; ; files++) {
      if (this.stopping.aborted) return files;
      const [oldest] = await this.prisma.$queryRaw<{ id: string }[]>`
        (SELECT id::text FROM terminal_files WHERE confirmed_at < now() - ${KEPT_DAYS}::int * interval '1 day' AND ${this.clock.condition}
         ORDER BY confirmed_at LIMIT 1)
        UNION ALL (SELECT id::text FROM terminal_files WHERE confirmed_at IS NULL AND content IS NULL LIMIT 1) LIMIT 1`;
      if (!oldest || !(await this.rows.removeFile(oldest.id, this.stopping))) return files;
      await delay(PAUSE_MS);
    }
  }

  /** Removes the cells of confirmed files, and the decisions of files that were taken back, that are older than L210 and L211. */
  private async forget(): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE terminal_files SET content = NULL WHERE id IN (
        SELECT id FROM terminal_files WHERE confirmed_at < now() - ${CELLS_DAYS}::int * interval '1 day' AND content IS NOT NULL
          AND ${this.clock.condition} ORDER BY confirmed_at LIMIT ${BATCH}::int) AND confirmed_at IS NOT NULL`;
    await this.prisma.$executeRaw`
      DELETE FROM terminal_file_decisions WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM terminal_file_decisions WHERE kept_at < now() - ${KEPT_DAYS}::int * interval '1 day' AND ${this.clock.condition}
        ORDER BY kept_at LIMIT ${BATCH}::int))`;
  }
}
