import { Injectable } from '@nestjs/common';
import { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import {
  type EarlierRow,
  identityOf,
  type Matched,
  Matching,
  type MatchRow,
  type MatchSale,
} from '../domain/file-matching.js';
import { type ComparedFile, SalesReader } from './sales-reader.js';

/** Identities of one look-up. */
const IDENTITIES = 2_000;
/** The most sales without a row that are kept (L97). */
const MOST_MISSING_THERE = 10_000;
/** Rows of one statement. */
const BATCH = 2_000;

/** The answers to the rows of a file. */
export interface Compared {
  readonly rows: readonly Matched[];
  readonly missingThere: readonly MatchSale[];
}

/** Compares rows with the sales (J9 to J11), and writes the answers. */
@Injectable()
export class Comparison {
  constructor(
    private readonly prisma: PrismaService,
    private readonly reader: SalesReader,
  ) {}

  /**
   * Compares rows. It writes nothing.
   * @param isFirst whether the file is confirmed now: only then rows are looked for in earlier files
   * @throws 422 FILE_REFUSED when there are too many sales; the database's error
   */
  async compare(file: ComparedFile, rows: readonly MatchRow[], isFirst: boolean): Promise<Compared> {
    const sales = await this.reader.sales(file, rows);
    const matching = new Matching(rows, sales, file.days, isFirst ? await this.earlier(file, rows) : new Map());
    const unanswered = matching.unanswered();
    if (unanswered.length > 0) matching.matchAuthorisations(await this.reader.textsIn(file, unanswered));
    return matching.answers();
  }

  /** Adds the rows of a file that is confirmed now. */
  async insert(
    tx: Prisma.TransactionClient,
    { fileId, restaurantId }: ComparedFile,
    rows: readonly Matched[],
  ): Promise<void> {
    for (let at = 0; at < rows.length; at += BATCH) {
      const added = rows.slice(at, at + BATCH).map(({ row, answer, sale, repeatOf }) => ({
        ...{
          line: row.line,
          kind: row.kind,
          problem: row.problem,
          reference: row.reference,
          authorisation: row.authorisation,
        },
        ...{
          terminal: row.terminal,
          cents: row.cents?.toString(),
          at: row.at,
          is_date_only: row.isDateOnly,
          tender: row.tender,
        },
        ...{
          identity: answer === 'UNREADABLE' ? null : identityOf(row),
          answer,
          repeat_of: repeatOf,
          ...eventOf(sale),
        },
      }));
      await tx.$executeRaw`
        INSERT INTO terminal_file_rows (file_id, restaurant_id, line, kind, problem, reference, authorisation, terminal, cents, at,
          is_date_only, tender, identity, answer, repeat_of, event_key, event_number, event_cents, event_at, refused)
        SELECT ${fileId}::uuid, ${restaurantId}::uuid, line, kind, problem, reference, authorisation, terminal, cents, at, is_date_only,
               tender, identity, answer, repeat_of, event_key, event_number, event_cents, event_at, '{}'
        FROM jsonb_to_recordset(${JSON.stringify(added)}::jsonb) AS added(line int, kind text, problem text, reference text,
          authorisation text, terminal text, cents bigint, at timestamptz, is_date_only boolean, tender text, identity text, answer text,
          repeat_of uuid, event_key text, event_number text, event_cents bigint, event_at timestamptz)`;
    }
  }

  /** Changes rows whose answer is another one now. */
  async update(tx: Prisma.TransactionClient, { fileId }: ComparedFile, rows: readonly Matched[]): Promise<void> {
    for (let at = 0; at < rows.length; at += BATCH) {
      const changed = rows
        .slice(at, at + BATCH)
        .map(({ row, answer, sale }) => ({ line: row.line, answer, ...eventOf(sale) }));
      await tx.$executeRaw`
        UPDATE terminal_file_rows SET answer = changed.answer, event_key = changed.event_key, event_number = changed.event_number,
          event_cents = changed.event_cents, event_at = changed.event_at
        FROM jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) AS changed(line int, answer text, event_key text, event_number text,
          event_cents bigint, event_at timestamptz)
        WHERE file_id = ${fileId}::uuid AND terminal_file_rows.line = changed.line
          AND (terminal_file_rows.answer, terminal_file_rows.event_key) IS DISTINCT FROM (changed.answer, changed.event_key)`;
    }
  }

  /** Replaces the sales that have no row. */
  async replaceMissingThere(
    tx: Prisma.TransactionClient,
    { fileId }: ComparedFile,
    sales: readonly MatchSale[],
  ): Promise<void> {
    const kept = sales.slice(0, MOST_MISSING_THERE).map((sale, place) => ({ place, ...eventOf(sale) }));
    await tx.$executeRaw`DELETE FROM terminal_file_missing WHERE file_id = ${fileId}::uuid`;
    await tx.$executeRaw`
      INSERT INTO terminal_file_missing (file_id, place, event_key, event_number, event_cents, event_at)
      SELECT ${fileId}::uuid, place, event_key, event_number, event_cents, event_at
      FROM jsonb_to_recordset(${JSON.stringify(kept)}::jsonb)
        AS kept(place int, event_key text, event_number text, event_cents bigint, event_at timestamptz)`;
  }

  /** Counts the answers of a file again. To be called after each change of them, in its transaction. */
  async summarise(tx: Prisma.TransactionClient, fileId: string): Promise<void> {
    await tx.$executeRaw`
      UPDATE terminal_files SET
        summary = coalesce((SELECT jsonb_object_agg(answer, jsonb_build_array(count, cents)) FROM (
          SELECT answer, count(*) AS count, coalesce(sum(cents), 0) AS cents FROM terminal_file_rows WHERE file_id = ${fileId}::uuid GROUP BY answer
          UNION ALL
          SELECT 'MISSING_THERE', count(*), sum(event_cents) FROM terminal_file_missing WHERE file_id = ${fileId}::uuid HAVING count(*) > 0
        ) AS figures), '{}'),
        missing = (SELECT count(*) FROM terminal_file_rows WHERE file_id = ${fileId}::uuid AND answer = 'MISSING_HERE')
      WHERE id = ${fileId}::uuid`;
  }

  private async earlier(
    { restaurantId, fileId }: ComparedFile,
    rows: readonly MatchRow[],
  ): Promise<Map<string, EarlierRow>> {
    const identities = [...new Set(rows.flatMap((row) => (row.problem === null ? (identityOf(row) ?? []) : [])))];
    const earlier = new Map<string, EarlierRow>();
    for (let at = 0; at < identities.length; at += IDENTITIES) {
      const found = await this.prisma.reports.$queryRaw<{ identity: string; fileId: string; cents: bigint | null }[]>`
        SELECT identity, file_id::text AS "fileId", cents FROM terminal_file_rows
        WHERE restaurant_id = ${restaurantId}::uuid AND identity = ANY (${identities.slice(at, at + IDENTITIES)}::text[])
          AND file_id <> ${fileId}::uuid AND answer NOT IN ('DUPLICATE', 'REPEATED', 'OUTSIDE_DAY', 'UNREADABLE')`;
      for (const { identity, ...row } of found) earlier.set(identity, row);
    }
    return earlier;
  }
}

function eventOf(sale: MatchSale | null) {
  return {
    event_key: sale?.key ?? null,
    event_number: sale?.number ?? null,
    event_cents: sale?.cents.toString() ?? null,
    event_at: sale?.at ?? null,
  };
}
