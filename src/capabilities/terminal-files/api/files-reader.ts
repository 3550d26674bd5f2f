import { Injectable } from '@nestjs/common';
import { isAnonymous } from '../../../platform/database/anonymous.js';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { FileQueue, type FileWorker } from '../../../platform/files/file-queue.js';
import { pageOf, sqlAfterCursor } from '../../../platform/http/fields/cursor-page.js';
import type { Judged } from '../matching/compare-file.js';
import { Comparison } from '../matching/comparison.js';
import { FileThreads } from '../reading/file-threads.js';
import { isDoubtful } from '../rules/file-claim.js';
import { ANSWER_WORDS, type Answer, type Mapping } from '../rules/terminal-file.js';
import { checkMapping, contentOf, IS_THERE_SQL, noSuchFile, plainMapping, storedFile } from '../stored-file.js';
import type { MappingView } from './mapping.dto.js';
import type {
  FilePreviewView,
  PreviewRowView,
  QueryTerminalFilesDto,
  TerminalFileDetailView,
  TerminalFilesPageView,
  TerminalFileView,
} from './terminal-files.dto.js';

/** The most rows of a file whose preview says what a confirmation would say (L216). */
const MOST_JUDGED = 5_000;

interface FileRow extends Omit<TerminalFileView, 'summary' | 'days' | 'state'> {
  readonly fromDay: string | null;
  readonly toDay: string | null;
  readonly figures: Readonly<Record<string, Figures>>;
}

/** SQL: a file, without its rows. The mapping of a file is what its preview is read with. */
const FILE = Prisma.sql`
  SELECT file.id::text, name, sha256, bytes, rows, columns, header_line AS "headerLine", delimiter, encoding, preset, mapping,
         uploaded_at AS "uploadedAt", confirmed_at AS "confirmedAt", matched_at AS "matchedAt", summary AS figures, content IS NOT NULL AS "isKept",
         to_char(from_day, 'YYYY-MM-DD') AS "fromDay", to_char(to_day, 'YYYY-MM-DD') AS "toDay",
         (SELECT coalesce(users.name, email) FROM users WHERE users.id = uploaded_by AND NOT ${isAnonymous('users.id', 'file.restaurant_id')}) AS "uploadedBy",
         (SELECT coalesce(users.name, email) FROM users WHERE users.id = confirmed_by AND NOT ${isAnonymous('users.id', 'file.restaurant_id')}) AS "confirmedBy"
  FROM terminal_files file`;

/** The answers whose rows need a person where an earlier version has counted them. */
const NEEDING: ReadonlySet<Answer> = new Set([
  ...(['MISSING_HERE', 'AMOUNT_DIFFERS', 'SUGGESTED', 'MISSING_THERE', 'DUPLICATE', 'UNREADABLE'] as const),
]);

/** Rows of an answer; an earlier version has counted the first two only. */
type Figures = readonly [count: number, cents: number, decided?: number, open?: number];

/** Reads files, and what a mapping makes of them (J5, J12). */
@Injectable()
export class FilesReader {
  constructor(
    private readonly prisma: PrismaService,
    private readonly queue: FileQueue,
    private readonly threads: FileThreads,
    private readonly comparison: Comparison,
  ) {}

  /** A file, with its preview until it is confirmed. @throws 404; as {@link FileQueue.run} */
  async one(caller: FileWorker, fileId: string, gone: AbortSignal): Promise<TerminalFileDetailView> {
    const { restaurantId } = caller;
    const before = await this.plain(restaurantId, fileId);
    if (before.state === 'CONFIRMED') return { ...before, preview: null };
    return this.queue.run(caller, gone, () => this.previewed(restaurantId, fileId, gone));
  }

  /** As {@link one}. To be called in a turn of FileQueue: no other work confirms the file meanwhile. */
  async previewed(restaurantId: string, fileId: string, gone: AbortSignal): Promise<TerminalFileDetailView> {
    const file = await this.plain(restaurantId, fileId);
    const isConfirmed = file.state === 'CONFIRMED';
    return { ...file, preview: isConfirmed ? null : await this.read(restaurantId, fileId, file.mapping, gone) };
  }

  /** A file, without its preview. @throws 404 */
  async plain(restaurantId: string, fileId: string): Promise<TerminalFileView> {
    const [row] = await this.prisma.$queryRaw<FileRow[]>`
      ${FILE} WHERE file.id = ${fileId}::uuid AND restaurant_id = ${restaurantId}::uuid AND ${IS_THERE_SQL}`;
    if (!row) throw noSuchFile();
    return viewOf(row);
  }

  /** The latest first. @throws 400 for a cursor that is none */
  async list(restaurantId: string, { limit, after }: QueryTerminalFilesDto): Promise<TerminalFilesPageView> {
    const key = [Prisma.sql`uploaded_at`, Prisma.sql`file.id`] as const;
    const beyond = after === undefined ? Prisma.sql`true` : sqlAfterCursor(after, key, 'uuid');
    const rows = await this.prisma.$queryRaw<FileRow[]>`
      ${FILE} WHERE restaurant_id = ${restaurantId}::uuid AND ${IS_THERE_SQL} AND ${beyond} ORDER BY uploaded_at DESC, file.id DESC LIMIT ${limit + 1}::int`;
    const { data, meta } = pageOf(rows, limit, ({ uploadedAt }) => uploadedAt);
    return { data: data.map(viewOf), meta };
  }

  /** What a mapping makes of a file, also of a confirmed one whose cells are kept (J19). @throws 400, 404, 409 FILE_CONFIRMED; as {@link FileQueue.run} */
  preview(caller: FileWorker, fileId: string, mapping: Mapping, gone: AbortSignal): Promise<FilePreviewView> {
    return this.queue.run(caller, gone, () => this.read(caller.restaurantId, fileId, mapping, gone));
  }

  private async read(
    restaurantId: string,
    fileId: string,
    mapping: Mapping,
    gone: AbortSignal,
  ): Promise<FilePreviewView> {
    const stored = await storedFile(this.prisma, restaurantId, fileId);
    const { columns, currency, clock } = stored;
    const content = contentOf(stored);
    checkMapping(mapping, columns);
    const rules = { columns, mapping: plainMapping(mapping), currency };
    const preview = await this.threads.run('preview', { content, rules, clock }, gone);
    const file = { fileId, restaurantId, clock };
    const { score } = await this.comparison.propose(file, { content, rules, clock, others: null }, gone);
    const isLarge = preview.counts.rows > MOST_JUDGED;
    const judged = isLarge ? null : await this.comparison.judge(file, { content, rules, clock }, gone);
    const claim = judged && { ...judged.claim, asks: isDoubtful(judged.claim) };
    return { ...preview, rows: preview.rows.map((row) => ({ ...row, ...judgementOf(row, judged) })), score, claim };
  }
}

function judgementOf({ line }: Pick<PreviewRowView, 'line'>, judged: Judged | null) {
  const { answer = null, sale = null } = judged?.first.find((row) => row.line === line) ?? {};
  return {
    answer,
    sale: sale && { transactionKey: sale.key, transactionNumber: sale.number, cents: Number(sale.cents), at: sale.at },
  };
}

function viewOf({ fromDay, toDay, figures, ...file }: FileRow): TerminalFileView {
  const isConfirmed = file.confirmedAt !== null;
  return {
    ...file,
    mapping: plainMapping(file.mapping) as MappingView,
    state: isConfirmed ? 'CONFIRMED' : 'UPLOADED',
    days: fromDay !== null && toDay !== null ? { from: fromDay, to: toDay } : null,
    summary: isConfirmed
      ? ANSWER_WORDS.map((answer) => {
          const [count = 0, cents = 0, decided = 0, open = NEEDING.has(answer) ? count : 0] = figures[answer] ?? [];
          return { answer, count, cents, decided, open };
        })
      : [],
  };
}
