import { Injectable } from '@nestjs/common';
import { PrismaService } from '../database/prisma.service.js';
import type { MatchRow } from '../domain/file-matching.js';
import type { RowKind } from '../domain/terminal-file.js';
import { Comparison } from './comparison.js';
import { lastComparison } from './confirmations.js';
import { dayOf } from './file-preview.js';
import type { ComparedFile } from './sales-reader.js';
import { type StoredFile, storedFile } from './stored-file.js';

interface OpenRow extends Omit<MatchRow, 'day' | 'isEntered' | 'problem'> {
  readonly answer: string;
  readonly kind: RowKind;
}

/** Compares a confirmed file again, so that sales that arrived late are found (J12). */
@Injectable()
export class Recomparison {
  constructor(
    private readonly prisma: PrismaService,
    private readonly comparison: Comparison,
  ) {}

  /** Compares a file again if a sale has arrived since. Does nothing while another file of the restaurant is compared. */
  async refresh(restaurantId: string, fileId: string): Promise<void> {
    const stored = await storedFile(this.prisma, restaurantId, fileId);
    if (stored.matchedAt && stored.days && (await this.hasNew(restaurantId, stored.matchedAt)))
      await this.again(restaurantId, fileId, stored);
  }

  /** Compares the rows of a file that have no sale yet, also when no sale has arrived: a person has changed an answer. */
  async again(restaurantId: string, fileId: string, stored?: StoredFile): Promise<void> {
    const { days, clock } = stored ?? (await storedFile(this.prisma, restaurantId, fileId));
    if (!days) return;
    const file: ComparedFile = { fileId, restaurantId, days, clock };
    const before = await lastComparison(this.prisma, restaurantId);
    const [{ now }] = (await this.prisma.$queryRaw<{ now: Date }[]>`SELECT now() AS now`) as [{ now: Date }];
    const open = await this.openRows(fileId);
    const rows = open.map((row) => ({
      ...row,
      problem: null,
      day: dayOf({ ...row, problem: null }, clock),
      isEntered: row.answer === 'ENTERED',
    }));
    const compared = await this.comparison.compare(file, rows, false);
    await this.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 AS locked FROM restaurants WHERE id = ${restaurantId}::uuid FOR NO KEY UPDATE`;
      // a person has decided, or another comparison was written: the next reading or round compares again
      if ((await lastComparison(tx, restaurantId)) !== before) return;
      await this.comparison.update(tx, file, compared.rows);
      await this.comparison.replaceMissingThere(tx, file, compared.missingThere);
      await this.comparison.summarise(tx, fileId);
      await tx.$executeRaw`
        UPDATE terminal_files SET matched_at = greatest(${now}::timestamptz, matched_at + interval '1 millisecond') WHERE id = ${fileId}::uuid`;
    });
  }

  /** Whether a sale was received since; the statement that stores one may commit some seconds after its time of receipt. */
  private async hasNew(restaurantId: string, since: Date): Promise<boolean> {
    const [row] = await this.prisma.$queryRaw<{ found: boolean }[]>`
      SELECT EXISTS (SELECT FROM terminal_events
        WHERE restaurant_id = ${restaurantId}::uuid AND received_at > ${since}::timestamptz - interval '15 seconds') AS found`;
    return row?.found === true;
  }

  private openRows(fileId: string): Promise<OpenRow[]> {
    return this.prisma.$queryRaw<OpenRow[]>`
      SELECT line, kind, reference, authorisation, terminal, cents, at, is_date_only AS "isDateOnly", tender, refused, answer
      FROM terminal_file_rows
      WHERE file_id = ${fileId}::uuid AND (answer IN ('MISSING_HERE', 'SUGGESTED') OR (answer = 'ENTERED' AND event_key IS NULL))
      ORDER BY line`;
  }
}
