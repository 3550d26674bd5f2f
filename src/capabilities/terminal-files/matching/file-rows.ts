import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { rowsOf } from './counted.sql.js';
import { DECISION, IS_OPEN } from './decisions-reader.js';

/** Rows that one statement removes. */
const REMOVED = 2_000;
/** Between two statements, in ms: on the embedded database sales wait for each of them. */
const PAUSE_MS = 10;

/**
 * Writes the rows of files. A file has up to 50,000 of them: they are added as a reading of their own, in pieces, and count once the file is
 * confirmed with this reading (J8).
 */
@Injectable()
export class FileRows {
  constructor(private readonly prisma: PrismaService) {}

  /** Begins a reading. @returns its number; null: there is no such file */
  async begin(restaurantId: string, fileId: string): Promise<number | null> {
    const [begun] = await this.prisma.$queryRaw<{ reading: number }[]>`
      UPDATE terminal_files SET last_reading = last_reading + 1 WHERE id = ${fileId}::uuid AND restaurant_id = ${restaurantId}::uuid
      RETURNING last_reading AS reading`;
    return begun?.reading ?? null;
  }

  /** Adds rows to a reading that does not count yet. A file that was removed gets none. @param added as {@link Answered} has them */
  async add(fileId: string, reading: number, added: string): Promise<void> {
    await this.prisma.$executeRaw`
        INSERT INTO terminal_file_rows (file_id, reading, restaurant_id, line, kind, problem, reference, authorisation, terminal, cents, at,
          is_date_only, tender, identity, answer, repeat_of, event_key, event_number, event_cents, event_at, refused, decision, note, decided_by,
          decided_at)
        SELECT file.id, ${reading}::int, file.restaurant_id, line, kind, problem, reference, authorisation, terminal, cents, at, is_date_only,
               tender, identity, answer, repeat_of, event_key, event_number, event_cents, event_at,
               ARRAY(SELECT jsonb_array_elements_text(refused)), decision, note, decided_by, decided_at
        FROM terminal_files file CROSS JOIN jsonb_to_recordset(${added}::jsonb) AS added(line int, kind text, problem text, reference text,
          authorisation text, terminal text, cents bigint, at timestamptz, is_date_only boolean, tender text, identity text, answer text,
          repeat_of uuid, event_key text, event_number text, event_cents bigint, event_at timestamptz, refused jsonb, decision text, note text,
          decided_by uuid, decided_at timestamptz)
        WHERE file.id = ${fileId}::uuid FOR KEY SHARE OF file`;
    await delay(PAUSE_MS);
  }

  /** Adds sales without rows, as {@link add} does rows. */
  addMissingThere(fileId: string, reading: number, kept: string): Promise<void> {
    return addMissingThere(this.prisma, fileId, reading, kept);
  }

  /** Changes rows whose answer is another one now. */
  async update(tx: Prisma.TransactionClient, fileId: string, rows: readonly string[]): Promise<void> {
    for (const changed of rows)
      await tx.$executeRaw`
        UPDATE terminal_file_rows SET answer = changed.answer, repeat_of = changed.repeat_of, event_key = changed.event_key,
          event_number = changed.event_number, event_cents = changed.event_cents, event_at = changed.event_at,
          refused = ARRAY(SELECT jsonb_array_elements_text(changed.refused)), decision = coalesce(changed.decision, terminal_file_rows.decision),
          note = coalesce(changed.note, terminal_file_rows.note), decided_by = coalesce(changed.decided_by, terminal_file_rows.decided_by),
          decided_at = coalesce(changed.decided_at, terminal_file_rows.decided_at)
        FROM jsonb_to_recordset(${changed}::jsonb) AS changed(line int, answer text, repeat_of uuid, event_key text, event_number text,
          event_cents bigint, event_at timestamptz, refused jsonb, decision text, note text, decided_by uuid, decided_at timestamptz)
        WHERE ${rowsOf(fileId)} AND terminal_file_rows.line = changed.line
          AND (changed.decision IS NOT NULL OR (terminal_file_rows.answer, terminal_file_rows.event_key, terminal_file_rows.repeat_of)
            IS DISTINCT FROM (changed.answer, changed.event_key, changed.repeat_of))`;
  }

  /** Replaces the sales that have no row. */
  async replaceMissingThere(
    tx: Prisma.TransactionClient,
    fileId: string,
    missingThere: readonly string[],
  ): Promise<void> {
    await tx.$executeRaw`DELETE FROM terminal_file_missing WHERE ${rowsOf(fileId)}`;
    const [file] = await tx.$queryRaw<
      { reading: number }[]
    >`SELECT reading FROM terminal_files WHERE id = ${fileId}::uuid`;
    if (file) for (const kept of missingThere) await addMissingThere(tx, fileId, file.reading, kept);
  }

  /** Counts the answers of a file again. To be called after each change of them, in its transaction. */
  async summarise(tx: Prisma.TransactionClient, fileId: string): Promise<void> {
    await tx.$executeRaw`
      UPDATE terminal_files SET
        summary = coalesce((SELECT jsonb_object_agg(answer, jsonb_build_array(count, cents, decided, open)) FROM (
          SELECT answer, count(*) AS count, coalesce(sum(cents), 0) AS cents, count(*) FILTER (WHERE ${DECISION} IS NOT NULL) AS decided,
                 count(*) FILTER (WHERE ${IS_OPEN}) AS open
          FROM terminal_file_rows WHERE ${rowsOf(fileId)} GROUP BY answer
          UNION ALL
          SELECT 'MISSING_THERE', count(*), sum(event_cents), 0, count(*) FROM terminal_file_missing WHERE ${rowsOf(fileId)} HAVING count(*) > 0
        ) AS figures), '{}'),
        missing = (SELECT count(*) FROM terminal_file_rows WHERE ${rowsOf(fileId)} AND answer = 'MISSING_HERE')
      WHERE id = ${fileId}::uuid`;
  }

  /** Removes the rows of all readings but that of the file. @param upTo the last of these: a later one may be under way */
  async removeOthers(fileId: string, upTo: number): Promise<void> {
    const others = Prisma.sql`file_id = ${fileId}::uuid AND reading <= ${upTo}::int
      AND reading <> (SELECT reading FROM terminal_files WHERE id = ${fileId}::uuid)`;
    await this.inPieces(Prisma.sql`terminal_file_rows`, others);
    await this.inPieces(Prisma.sql`terminal_file_missing`, others);
  }

  /** Removes a file that does not count, its rows first. @returns whether it was there */
  async removeFile(fileId: string, stopping?: AbortSignal): Promise<boolean> {
    const all = Prisma.sql`file_id = ${fileId}::uuid`;
    await this.inPieces(Prisma.sql`terminal_file_rows`, all, stopping);
    await this.inPieces(Prisma.sql`terminal_file_missing`, all, stopping);
    if (stopping?.aborted) return false;
    return (await this.prisma.$executeRaw`DELETE FROM terminal_files WHERE id = ${fileId}::uuid`) > 0;
  }

  /** Removes a file that was taken back, and whose removal was interrupted. @returns false: it is another file, and stays */
  async finishRemoval(fileId: string): Promise<boolean> {
    const left = await this.prisma.terminalFile.count({ where: { id: fileId, confirmedAt: null, content: null } });
    return left > 0 && this.removeFile(fileId);
  }

  /** One statement that removed all of them would take too long. */
  private async inPieces(table: Prisma.Sql, condition: Prisma.Sql, stopping?: AbortSignal): Promise<void> {
    while (!stopping?.aborted) {
      const removed = await this.prisma.$executeRaw`
        DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${REMOVED}::int))`;
      if (removed < REMOVED) return;
      await delay(PAUSE_MS);
    }
  }
}

async function addMissingThere(
  db: Prisma.TransactionClient,
  fileId: string,
  reading: number,
  kept: string,
): Promise<void> {
  await db.$executeRaw`
    INSERT INTO terminal_file_missing (file_id, reading, place, event_key, event_number, event_cents, event_at)
    SELECT file.id, ${reading}::int, place, event_key, event_number, event_cents, event_at
    FROM terminal_files file CROSS JOIN jsonb_to_recordset(${kept}::jsonb)
      AS kept(place int, event_key text, event_number text, event_cents bigint, event_at timestamptz)
    WHERE file.id = ${fileId}::uuid FOR KEY SHARE OF file`;
}
