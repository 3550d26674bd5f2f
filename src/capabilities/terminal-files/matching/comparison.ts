import { Injectable } from '@nestjs/common';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { FileThreads } from '../reading/file-threads.js';
import type { FileClaim } from '../rules/file-claim.js';
import type { EarlierRow } from '../rules/row-identity.js';
import type { FileDays } from '../rules/terminal-file.js';
import type { Compared, NewInput } from './compare-file.js';
import type { Questions } from './file-questions.js';
import { OpenRows } from './open-rows.js';
import type { Proposed, TrialInput } from './propose-mapping.js';
import { type ComparedFile, SalesReader } from './sales-reader.js';

/** Compares rows with the sales, in a thread (J9 to J11, J17), and writes the answers. */
@Injectable()
export class Comparison {
  constructor(
    private readonly prisma: PrismaService,
    private readonly reader: SalesReader,
    private readonly open: OpenRows,
    private readonly threads: FileThreads,
  ) {}

  /**
   * Compares the rows of a file that is confirmed now. It writes nothing.
   * @param chosen the days that it covers, by those of its sales; null: it has none
   * @throws 422 FILE_REFUSED when there are too many sales; what `chosen` throws; the reason of `gone`; the database's error
   */
  compareNew(
    file: Omit<ComparedFile, 'days'>,
    input: NewInput,
    chosen: (own: FileDays | null) => FileDays,
    gone: AbortSignal,
  ): Promise<Compared> {
    let days: FileDays = { from: '', to: '' };
    const answers: Pick<Questions, 'days' | 'earlier'> = {
      days: async (own) => {
        days = chosen(own);
        return days;
      },
      earlier: (identities) => this.earlier(file, identities),
    };
    // no row of it is kept yet, so that none of them has a sale
    return this.threads.run('compareNew', input, gone, { ...answers, ...this.salesOf(file, () => days, []) });
  }

  /** What a confirmation would say of the payments of a file (J19). It writes nothing. @throws the reason of `gone`; the database's error */
  judge(file: Omit<ComparedFile, 'days'>, input: NewInput, gone: AbortSignal): Promise<FileClaim | null> {
    let days: FileDays = { from: '', to: '' };
    const answers: Pick<Questions, 'days' | 'earlier'> = {
      days: async (own) => {
        days = own ?? days;
        return days;
      },
      earlier: (identities) => this.earlier(file, identities),
    };
    return this.threads.run('judge', input, gone, { ...answers, ...this.salesOf(file, () => days, []) });
  }

  /** Tries a mapping, and others, against the sales (J5). It writes nothing. @throws as {@link compareNew} */
  propose(file: Omit<ComparedFile, 'days'>, input: TrialInput, gone: AbortSignal): Promise<Proposed> {
    let days: FileDays = { from: '', to: '' };
    const tried: Questions['days'] = async (own) => {
      days = own ?? days;
      return days;
    };
    return this.threads.run('propose', input, gone, { days: tried, ...this.salesOf(file, () => days, []) });
  }

  /** Compares the rows of a confirmed file that have no sale yet. It writes nothing. @throws as {@link compareNew} */
  compareAgain(file: ComparedFile, gone: AbortSignal): Promise<Compared> {
    const lines: number[] = [];
    const openRows: Questions['openRows'] = async (after) => {
      const page = await this.open.page(file, after);
      lines.push(...page.items.map(({ line }) => line));
      return page;
    };
    const answers = { openRows, ...this.salesOf(file, () => file.days, lines) };
    return this.threads.run('compareAgain', { days: file.days }, gone, answers);
  }

  /** Adds the rows of a file that is confirmed now. */
  async insert(
    tx: Prisma.TransactionClient,
    { fileId, restaurantId }: Pick<ComparedFile, 'fileId' | 'restaurantId'>,
    { rows }: Compared,
  ): Promise<void> {
    for (const added of rows)
      await tx.$executeRaw`
        INSERT INTO terminal_file_rows (file_id, restaurant_id, line, kind, problem, reference, authorisation, terminal, cents, at,
          is_date_only, tender, identity, answer, repeat_of, event_key, event_number, event_cents, event_at, refused)
        SELECT ${fileId}::uuid, ${restaurantId}::uuid, line, kind, problem, reference, authorisation, terminal, cents, at, is_date_only,
               tender, identity, answer, repeat_of, event_key, event_number, event_cents, event_at, '{}'
        FROM jsonb_to_recordset(${added}::jsonb) AS added(line int, kind text, problem text, reference text,
          authorisation text, terminal text, cents bigint, at timestamptz, is_date_only boolean, tender text, identity text, answer text,
          repeat_of uuid, event_key text, event_number text, event_cents bigint, event_at timestamptz)`;
  }

  /** Changes rows whose answer is another one now. */
  async update(tx: Prisma.TransactionClient, fileId: string, { rows }: Compared): Promise<void> {
    for (const changed of rows)
      await tx.$executeRaw`
        UPDATE terminal_file_rows SET answer = changed.answer, repeat_of = changed.repeat_of, event_key = changed.event_key,
          event_number = changed.event_number, event_cents = changed.event_cents, event_at = changed.event_at
        FROM jsonb_to_recordset(${changed}::jsonb) AS changed(line int, answer text, repeat_of uuid, event_key text, event_number text,
          event_cents bigint, event_at timestamptz)
        WHERE file_id = ${fileId}::uuid AND terminal_file_rows.line = changed.line
          AND (terminal_file_rows.answer, terminal_file_rows.event_key) IS DISTINCT FROM (changed.answer, changed.event_key)`;
  }

  /** Replaces the sales that have no row. */
  async replaceMissingThere(tx: Prisma.TransactionClient, fileId: string, { missingThere }: Compared): Promise<void> {
    await tx.$executeRaw`DELETE FROM terminal_file_missing WHERE file_id = ${fileId}::uuid`;
    await tx.$executeRaw`
      INSERT INTO terminal_file_missing (file_id, place, event_key, event_number, event_cents, event_at)
      SELECT ${fileId}::uuid, place, event_key, event_number, event_cents, event_at
      FROM jsonb_to_recordset(${missingThere}::jsonb)
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

  private salesOf(file: Omit<ComparedFile, 'days'>, days: () => FileDays, lines: readonly number[]) {
    const compared = (): ComparedFile => ({ ...file, days: days() });
    const pages = this.reader.payloadPages();
    const answers: Pick<Questions, 'sales' | 'salesByKey' | 'texts'> = {
      sales: (after) => this.reader.sales(compared(), lines, after),
      salesByKey: (keys) => this.reader.byKey(compared(), lines, keys),
      texts: (texts, after) => this.reader.texts(compared(), texts, after, pages),
    };
    return answers;
  }

  private async earlier(
    { restaurantId, fileId }: Omit<ComparedFile, 'days'>,
    identities: readonly string[],
  ): Promise<[string, EarlierRow][]> {
    const found = await this.prisma.reports.$queryRaw<({ identity: string } & Required<EarlierRow>)[]>`
      SELECT identity, min(file_id::text) AS "fileId", min(cents) AS cents, count(*)::int AS count FROM terminal_file_rows
      WHERE restaurant_id = ${restaurantId}::uuid AND identity = ANY (${[...identities]}::text[])
        AND file_id <> ${fileId}::uuid AND answer NOT IN ('DUPLICATE', 'REPEATED', 'OUTSIDE_DAY', 'UNREADABLE')
      GROUP BY identity`;
    return found.map(({ identity, ...row }) => [identity, row]);
  }
}
