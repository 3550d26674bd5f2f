import { Injectable } from '@nestjs/common';
import { AHEAD } from '../../../platform/database/clock.js';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { FileQueue, type FileWorker, isBusy } from '../../../platform/files/file-queue.js';
import { storedFile } from '../stored-file.js';
import { Comparison } from './comparison.js';
import { rowsOf } from './counted.sql.js';
import { forget } from './decisions-reader.js';
import { FileRows } from './file-rows.js';
import { lastComparison } from './last-comparison.js';
import { IS_REPEATED_OF_NOTHING } from './open-rows.js';
import type { ComparedFile } from './sales-reader.js';

const AHEAD_SQL = Prisma.raw(AHEAD);

/** Compares a confirmed file again, so that sales that arrived late are found (J12). */
@Injectable()
export class Recomparison {
  constructor(
    private readonly prisma: PrismaService,
    private readonly comparison: Comparison,
    private readonly rows: FileRows,
    private readonly queue: FileQueue,
    private readonly stopping: AbortSignal,
  ) {}

  /**
   * Compares a file again if a sale has arrived since, or an earlier file was taken back. Does nothing while another file of the restaurant is compared, or while the queue of
   * work with files is full: the next reading or round compares again.
   */
  async refresh(worker: FileWorker, fileId: string, gone = this.stopping): Promise<void> {
    const { restaurantId } = worker;
    const isDue = async () => {
      const stored = await storedFile(this.prisma, restaurantId, fileId);
      if (!stored.matchedAt || !stored.days) return false;
      return (await this.hasNew(restaurantId, stored.matchedAt)) || (await this.isLeft(fileId));
    };
    if (!(await isDue())) return;
    try {
      await this.queue.run(worker, gone, async () => {
        // another reading may have compared it meanwhile
        if (await isDue()) await this.again(restaurantId, fileId, gone);
      });
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  }

  /**
   * Compares the rows of a file that have no sale yet, also when no sale has arrived: a person has changed an answer. To be called in a turn of
   * FileQueue.
   * @param reopened a file: the rows that are REPEATED of it are compared, too
   */
  async again(restaurantId: string, fileId: string, gone: AbortSignal, reopened?: string): Promise<void> {
    const { days, clock } = await storedFile(this.prisma, restaurantId, fileId);
    if (!days) return;
    const file: ComparedFile = { fileId, restaurantId, days, clock, reopened };
    const before = await lastComparison(this.prisma, restaurantId);
    const [{ now }] = (await this.prisma.$queryRaw<{ now: Date }[]>`SELECT now() AS now`) as [{ now: Date }];
    const rows: string[] = [];
    const missingThere: string[] = [];
    const answered = {
      claim: async () => undefined,
      rows: async (some: string) => void rows.push(some),
      missingThere: async (some: string) => void missingThere.push(some),
    };
    const { found } = await this.comparison.compareAgain(file, answered, gone);
    await this.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 AS locked FROM restaurants WHERE id = ${restaurantId}::uuid FOR NO KEY UPDATE`;
      // a person has decided, or another comparison was written: the next reading or round compares again
      if ((await lastComparison(tx, restaurantId)) !== before) return;
      await this.rows.update(tx, fileId, rows);
      await this.rows.replaceMissingThere(tx, fileId, missingThere);
      await forget(tx, restaurantId, found);
      await this.rows.summarise(tx, fileId);
      await tx.$executeRaw`
        UPDATE terminal_files SET matched_at = CASE WHEN matched_at > ${AHEAD_SQL} THEN ${now}::timestamptz
          ELSE greatest(${now}::timestamptz, matched_at + interval '1 millisecond') END WHERE id = ${fileId}::uuid`;
    });
  }

  /** Compares the files again whose rows are REPEATED of a file that was read again or taken back (J19, J20). To be called in a turn of FileQueue. */
  async repeatsOf(restaurantId: string, earlierId: string, gone: AbortSignal): Promise<void> {
    const files = await this.prisma.$queryRaw<{ id: string }[]>`
      SELECT DISTINCT file_id::text AS id FROM terminal_file_rows WHERE repeat_of = ${earlierId}::uuid AND restaurant_id = ${restaurantId}::uuid`;
    for (const { id } of files) await this.again(restaurantId, id, gone, earlierId);
  }

  /** Whether rows are REPEATED of a file that does not count any more. */
  private async isLeft(fileId: string): Promise<boolean> {
    const [row] = await this.prisma.$queryRaw<{ left: boolean }[]>`
      SELECT EXISTS (SELECT FROM terminal_file_rows WHERE ${rowsOf(fileId)} AND ${IS_REPEATED_OF_NOTHING}) AS left`;
    return row?.left === true;
  }

  /** Whether a sale was received since; the statement that stores one may commit some seconds after its time of receipt. */
  private async hasNew(restaurantId: string, since: Date): Promise<boolean> {
    const [row] = await this.prisma.$queryRaw<{ found: boolean }[]>`
      SELECT EXISTS (SELECT FROM terminal_events
        WHERE restaurant_id = ${restaurantId}::uuid AND received_at > ${since}::timestamptz - interval '15 seconds')
        -- compared while the clock was ahead: nobody knows what has arrived since
        OR ${since}::timestamptz > ${AHEAD_SQL} AS found`;
    return row?.found === true;
  }
}
