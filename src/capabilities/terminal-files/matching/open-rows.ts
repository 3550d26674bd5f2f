import { Injectable } from '@nestjs/common';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { dayOf } from '../reading/file-preview.js';
import type { MatchRow } from '../rules/match-rows.js';
import type { RowKind } from '../rules/terminal-file.js';
import type { Page } from './file-questions.js';
import type { ComparedFile } from './sales-reader.js';

/** Rows of a page. */
const PAGE = 1_000;

interface OpenRow extends Omit<MatchRow, 'day' | 'isEntered' | 'problem' | 'instalment'> {
  readonly answer: string;
  readonly kind: RowKind;
}

/** Reads the rows of confirmed files that have no sale yet (J12). */
@Injectable()
export class OpenRows {
  constructor(private readonly prisma: PrismaService) {}

  /** Those after a line. */
  async page({ fileId, clock }: ComparedFile, after: number): Promise<Page<MatchRow, number>> {
    const rows = await this.prisma.$queryRaw<OpenRow[]>`
      SELECT line, kind, reference, authorisation, terminal, cents, at, is_date_only AS "isDateOnly", tender, refused, identity, answer
      FROM terminal_file_rows
      WHERE file_id = ${fileId}::uuid AND line > ${after}::int
        AND (answer IN ('MISSING_HERE', 'SUGGESTED') OR (answer = 'ENTERED' AND event_key IS NULL))
      ORDER BY line LIMIT ${PAGE}::int`;
    const items = rows.map(({ answer, ...row }): MatchRow => {
      // the identity has it
      const read = { ...row, problem: null, instalment: null };
      return { ...read, day: dayOf(read, clock), isEntered: answer === 'ENTERED' };
    });
    return { items, next: rows.length === PAGE ? (rows.at(-1)?.line ?? null) : null };
  }
}
