import { Injectable } from '@nestjs/common';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { dayOf } from '../reading/file-preview.js';
import type { MatchRow } from '../rules/match-rows.js';
import type { RowKind } from '../rules/terminal-file.js';
import { rowsOf } from './counted.sql.js';
import type { OpenRow, Page } from './file-questions.js';
import type { ComparedFile } from './sales-reader.js';

/** Rows of a page. */
const PAGE = 1_000;

interface KeptRow extends Omit<MatchRow, 'day' | 'isEntered' | 'problem' | 'instalment' | 'kept'> {
  readonly answer: string;
  readonly kind: RowKind;
}

/** SQL: whether a row is REPEATED of a file that does not count any more (J20). */
export const IS_REPEATED_OF_NOTHING = Prisma.sql`(answer = 'REPEATED' AND repeat_of IS NOT NULL
  AND NOT EXISTS (SELECT FROM terminal_files earlier WHERE earlier.id = repeat_of AND earlier.confirmed_at IS NOT NULL))`;

/** Reads the rows of confirmed files that have no sale yet (J12), or whose earlier file does not count any more (J20). */
@Injectable()
export class OpenRows {
  constructor(private readonly prisma: PrismaService) {}

  /** Those after a line. */
  async page({ fileId, clock, reopened }: ComparedFile, after: number): Promise<Page<OpenRow, number>> {
    const rows = await this.prisma.$queryRaw<KeptRow[]>`
      SELECT line, kind, reference, authorisation, terminal, cents, at, is_date_only AS "isDateOnly", tender, refused, identity, answer
      FROM terminal_file_rows
      WHERE ${rowsOf(fileId)} AND line > ${after}::int
        AND (answer IN ('MISSING_HERE', 'SUGGESTED') OR (answer = 'ENTERED' AND event_key IS NULL) OR ${IS_REPEATED_OF_NOTHING}
          OR (answer = 'REPEATED' AND repeat_of = ${reopened ?? null}::uuid))
      ORDER BY line LIMIT ${PAGE}::int`;
    const items = rows.map(({ answer, ...row }): OpenRow => {
      // the identity has it
      const read = { ...row, problem: null, instalment: null };
      const isRepeated = answer === 'REPEATED';
      return { ...read, day: dayOf(read, clock), isEntered: answer === 'ENTERED', isRepeated };
    });
    return { items, next: rows.length === PAGE ? (rows.at(-1)?.line ?? null) : null };
  }
}
