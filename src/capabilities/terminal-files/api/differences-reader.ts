import { Injectable } from '@nestjs/common';
import { isAnonymous } from '../../../platform/database/anonymous.js';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import type { FileWorker } from '../../../platform/files/file-queue.js';
import { problem } from '../../../platform/http/problem.js';
import { isCounted, rowsOf } from '../matching/counted.sql.js';
import { DECISION } from '../matching/decisions-reader.js';
import { Recomparison } from '../matching/recomparison.js';
import { ANSWER_WORDS, type Answer, type RowKind } from '../rules/terminal-file.js';
import { notConfirmed } from '../stored-file.js';
import type { DifferencesPageView, DifferenceView, QueryDifferencesDto } from './differences.dto.js';
import { FilesReader } from './files-reader.js';

/** The answers of the page without a filter. */
const DIFFERING = ANSWER_WORDS.filter((answer) => answer !== 'MATCHED');
const CURSOR = /^([A-Z_]+) (-?\d{1,9})$/;

/** Where a page begins: after a row of an answer. */
interface Place {
  readonly answer: Answer;
  readonly place: number;
}

interface DifferenceRow extends Omit<DifferenceView, 'sale' | 'repeatOf' | 'cents' | 'kind' | 'saleRows'> {
  readonly place: number;
  readonly kind: RowKind | null;
  readonly cents: bigint | null;
  readonly eventKey: string | null;
  readonly eventNumber: string | null;
  readonly eventCents: bigint | null;
  readonly eventAt: Date | null;
  readonly repeatOf: string | null;
  readonly repeatOfName: string | null;
  readonly saleRows: { readonly count: number; readonly cents: number } | null;
}

/** Lists the rows of confirmed files (J12). */
@Injectable()
export class DifferencesReader {
  constructor(
    private readonly prisma: PrismaService,
    private readonly files: FilesReader,
    private readonly recomparison: Recomparison,
  ) {}

  /** A page; the first one is compared again before, if a sale has arrived. @throws 400, 404, 409 FILE_NOT_CONFIRMED */
  async list(
    caller: FileWorker,
    fileId: string,
    { limit, after, answer, decided }: QueryDifferencesDto,
    gone: AbortSignal,
  ): Promise<DifferencesPageView> {
    const begins = after === undefined ? undefined : placeOf(after);
    if (!begins) await this.recomparison.refresh(caller, fileId, gone);
    const file = await this.files.plain(caller.restaurantId, fileId);
    if (file.confirmedAt === null) throw notConfirmed();
    const rows = decided
      ? await this.ofRows(fileId, Prisma.sql`decided_at IS NOT NULL AND line > ${begins?.place ?? -1}::int`, limit + 1)
      : await this.rows(fileId, answer ? [answer] : DIFFERING, begins, limit + 1);
    const last = rows[limit - 1];
    const next = rows.length > limit && last ? Buffer.from(`${last.answer} ${last.place}`).toString('base64url') : null;
    return { file, data: rows.slice(0, limit).map(viewOf), meta: { limit, next } };
  }

  /** All rows that differ, in pages. */
  async *all(fileId: string): AsyncGenerator<DifferenceView> {
    const size = 500;
    for (let begins: Place | undefined; ; ) {
      const page = await this.rows(fileId, DIFFERING, begins, size);
      yield* page.map(viewOf);
      const last = page.at(-1);
      if (!last || page.length < size) return;
      begins = last;
    }
  }

  /** A row of a file that is confirmed. */
  async row(fileId: string, line: number): Promise<DifferenceView> {
    const [row] = await this.ofRows(fileId, Prisma.sql`line = ${line}::int`, 1);
    return viewOf(row as DifferenceRow);
  }

  /** Answer by answer: each by the index of its answer. */
  private async rows(
    fileId: string,
    answers: readonly Answer[],
    begins: Place | undefined,
    limit: number,
  ): Promise<DifferenceRow[]> {
    const rows: DifferenceRow[] = [];
    const first = begins ? answers.indexOf(begins.answer) : 0;
    for (const answer of answers.slice(Math.max(0, first))) {
      const after = begins?.answer === answer ? begins.place : -1;
      const left = limit - rows.length;
      if (left <= 0) break;
      if (answer === 'MISSING_THERE') rows.push(...(await this.missingThere(fileId, after, left)));
      else rows.push(...(await this.ofRows(fileId, Prisma.sql`answer = ${answer} AND line > ${after}::int`, left)));
    }
    return rows;
  }

  private ofRows(fileId: string, condition: Prisma.Sql, limit: number): Promise<DifferenceRow[]> {
    return this.prisma.reports.$queryRaw<DifferenceRow[]>`
      SELECT answer, line, line AS place, reference, authorisation, terminal, kind, cents, at, is_date_only AS "isDateOnly", tender, problem, note,
             event_key AS "eventKey", event_number AS "eventNumber", event_cents AS "eventCents", event_at AS "eventAt",
             CASE WHEN answer = 'AMOUNT_DIFFERS' THEN (SELECT jsonb_build_object('count', count(*), 'cents', sum(of_sale.cents)) FROM terminal_file_rows of_sale
               WHERE of_sale.restaurant_id = terminal_file_rows.restaurant_id AND of_sale.event_key = terminal_file_rows.event_key
                 AND of_sale.answer IN ('MATCHED', 'AMOUNT_DIFFERS', 'ENTERED') AND ${isCounted('of_sale')}) END AS "saleRows",
             CASE WHEN answer = 'DUPLICATE' THEN (SELECT min(equal_row.line) FROM terminal_file_rows equal_row
               WHERE equal_row.restaurant_id = terminal_file_rows.restaurant_id AND equal_row.identity = terminal_file_rows.identity
                 AND equal_row.file_id = terminal_file_rows.file_id AND equal_row.reading = terminal_file_rows.reading
                 AND equal_row.line < terminal_file_rows.line) END AS "equalLine",
             ${DECISION} AS decision, coalesce(cardinality(refused), 0) AS "refusedSales", repeat_of::text AS "repeatOf", (SELECT name FROM terminal_files WHERE id = repeat_of) AS "repeatOfName",
             (SELECT coalesce(users.name, email) FROM users, terminal_files file
              WHERE users.id = decided_by AND file.id = file_id AND NOT ${isAnonymous('users.id', 'file.restaurant_id')}) AS "decidedBy", decided_at AS "decidedAt"
      FROM terminal_file_rows
      WHERE ${rowsOf(fileId)} AND ${condition} ORDER BY line LIMIT ${limit}::int`;
  }

  private missingThere(fileId: string, after: number, limit: number): Promise<DifferenceRow[]> {
    return this.prisma.reports.$queryRaw<DifferenceRow[]>`
      SELECT 'MISSING_THERE' AS answer, place, event_key AS "eventKey", event_number AS "eventNumber", event_cents AS "eventCents",
             event_at AS "eventAt"
      FROM terminal_file_missing
      WHERE ${rowsOf(fileId)} AND place > ${after}::int ORDER BY place LIMIT ${limit}::int`;
  }
}

function viewOf(row: DifferenceRow): DifferenceView {
  const { eventKey, eventNumber, eventCents, eventAt, repeatOf, repeatOfName } = row;
  return {
    answer: row.answer,
    line: row.line ?? null,
    reference: row.reference ?? null,
    authorisation: row.authorisation ?? null,
    terminal: row.terminal ?? null,
    kind: row.kind ?? null,
    cents: row.cents === null || row.cents === undefined ? null : Number(row.cents),
    at: row.at ?? null,
    isDateOnly: row.isDateOnly ?? false,
    tender: row.tender ?? null,
    problem: row.problem ?? null,
    sale:
      eventKey !== null && eventAt
        ? { transactionKey: eventKey, transactionNumber: eventNumber, cents: Number(eventCents), at: eventAt }
        : null,
    repeatOf: repeatOf ? { id: repeatOf, name: repeatOfName ?? '' } : null,
    saleRows: row.saleRows ?? null,
    equalLine: row.equalLine ?? null,
    note: row.note ?? null,
    decision: row.decision ?? null,
    refusedSales: row.refusedSales ?? 0,
    decidedBy: row.decidedBy ?? null,
    decidedAt: row.decidedAt ?? null,
  };
}

function placeOf(cursor: string): Place {
  const [, answer = '', place] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const known = ANSWER_WORDS.find((word) => word === answer);
  if (known) return { answer: known, place: Number(place) };
  throw problem('VALIDATION_FAILED', ['after must be the meta.next of another page']);
}
