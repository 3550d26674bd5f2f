import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { maskCards } from '../../../domain/card-numbers.js';
import { storableText } from '../../../domain/text.js';
import { DatabaseClock } from '../../../platform/database/clock.js';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { FileUploads } from '../../../platform/files/file-uploads.js';
import type { ReceivedFile } from '../../../platform/files/received-file.js';
import { problem } from '../../../platform/http/problem.js';
import { Log } from '../../../platform/telemetry/log.js';
import type { Link } from '../../../user-links/restaurant.guard.js';
import { FilesReader } from '../api/files-reader.js';
import type { TerminalFileDetailView } from '../api/terminal-files.dto.js';
import { FILE_CODES } from '../error-codes.js';
import { Comparison } from '../matching/comparison.js';
import { FileRows } from '../matching/file-rows.js';
import type { Mapping } from '../rules/terminal-file.js';
import { FileThreads } from './file-threads.js';
import type { ReadFile } from './read-file.js';

/** The files of a restaurant that wait to be confirmed, and for how long (L93). */
const MOST_WAITING = 20;
const WAITS = Prisma.sql`interval '7 days'`;
/** The confirmed files among which the last mapping for these columns is looked for. */
const REMEMBERED = 100;

/** An uploaded file. */
export interface Uploaded {
  readonly file: TerminalFileDetailView;
  /** false: the restaurant had this file already (J3) */
  readonly isNew: boolean;
}

/** Takes files, and removes those that nobody has confirmed in time (J1 to J5). */
@Injectable()
export class Uploads {
  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly uploads: FileUploads,
    private readonly threads: FileThreads,
    private readonly files: FilesReader,
    private readonly comparison: Comparison,
    private readonly rows: FileRows,
    private readonly log: Log,
  ) {}

  /**
   * Receives a file as {@link FileUploads.run}, and keeps it until it is confirmed.
   * @throws 409 TOO_MANY_FILES; as FileUploads.run; the database's error
   */
  async upload(caller: Link, name: string, request: FastifyRequest, gone: AbortSignal): Promise<Uploaded> {
    return this.uploads.run(caller, request, gone, (received) => this.read(caller, name, received, gone));
  }

  private async read(
    caller: Link,
    name: string,
    { bytes, sha256, held }: ReceivedFile,
    gone: AbortSignal,
  ): Promise<Uploaded> {
    const { restaurantId } = caller;
    const known = await this.prisma.terminalFile.findUnique({
      where: { restaurantId_sha256: { restaurantId, sha256 } },
      select: { id: true },
    });
    if (known && !(await this.rows.finishRemoval(known.id)))
      return { file: await this.files.previewed(restaurantId, known.id, gone), isNew: false };
    const select = { timezone: true, dayClosesAt: true, currency: true };
    const { currency, ...clock } = await this.prisma.restaurant.findUniqueOrThrow({
      where: { id: restaurantId },
      select,
    });
    const read = await this.threads.run('read', { bytes, zone: clock.timezone }, gone);
    held.end();
    const { content, columns, guess, others } = read;
    const rules = { columns, mapping: guess, currency };
    const trial = () =>
      this.comparison.propose({ fileId: randomUUID(), restaurantId, clock }, { content, rules, clock, others }, gone);
    const mapping = (await this.remembered(restaurantId, columns)) ?? (await trial()).mapping;
    const file = { ...read, mapping };
    // the thread may have taken long (A40)
    await caller.confirm(this.prisma);
    const { id, isNew } = await this.keep(caller, { name: fileName(name), sha256, bytes: bytes.length }, file);
    return { file: await this.files.previewed(restaurantId, id, gone), isNew };
  }

  private async keep(
    { restaurantId, userId }: Link,
    { name, sha256, bytes }: { readonly name: string; readonly sha256: string; readonly bytes: number },
    file: ReadFile & { readonly mapping: Mapping },
  ): Promise<{ readonly id: string; readonly isNew: boolean }> {
    const { rows, content, mapping } = file;
    await this.prisma.$executeRaw`
      DELETE FROM terminal_files
      WHERE restaurant_id = ${restaurantId}::uuid AND confirmed_at IS NULL AND uploaded_at < now() - ${WAITS}
        AND ${this.clock.condition}`;
    const { columns, headerLine, delimiter, encoding, preset } = file;
    const id = randomUUID();
    const kept = await this.prisma.$executeRaw`
      INSERT INTO terminal_files (id, restaurant_id, name, sha256, bytes, rows, columns, header_line, delimiter, encoding, preset, mapping,
        content, uploaded_by)
      SELECT ${id}::uuid, ${restaurantId}::uuid, ${name}, ${sha256}, ${bytes}::int, ${rows}::int, ${[...columns]}::text[],
             ${headerLine}::int, ${delimiter}, ${encoding}, ${preset}, ${JSON.stringify(mapping)}::jsonb, ${content}, ${userId}::uuid
      WHERE (SELECT count(*) FROM terminal_files WHERE restaurant_id = ${restaurantId}::uuid AND confirmed_at IS NULL) < ${MOST_WAITING}::int
      ON CONFLICT (restaurant_id, sha256) DO NOTHING`;
    if (kept > 0) {
      this.log.info({ event: 'terminal_file.uploaded', restaurantId, fileId: id, rows });
      return { id, isNew: true };
    }
    // another instance was faster, or too many wait
    const other = await this.prisma.terminalFile.findUnique({
      where: { restaurantId_sha256: { restaurantId, sha256 } },
      select: { id: true },
    });
    if (other) return { id: other.id, isNew: false };
    throw problem(
      FILE_CODES.TOO_MANY_FILES,
      `${MOST_WAITING} files of the restaurant wait to be confirmed: confirm or remove one`,
    );
  }

  /** The mapping that the restaurant last confirmed for a file with these columns (J5). */
  private async remembered(restaurantId: string, columns: readonly string[]): Promise<Mapping | undefined> {
    const [found] = await this.prisma.$queryRaw<{ mapping: Mapping }[]>`
      SELECT mapping FROM (
        SELECT mapping, columns, uploaded_at FROM terminal_files
        WHERE restaurant_id = ${restaurantId}::uuid AND confirmed_at IS NOT NULL ORDER BY uploaded_at DESC, id DESC LIMIT ${REMEMBERED}::int
      ) AS recent
      WHERE columns = ${[...columns]}::text[] ORDER BY uploaded_at DESC LIMIT 1`;
    return found?.mapping;
  }
}

/** A name is for people: one line, without card numbers. */
function fileName(name: string): string {
  return (
    storableText(maskCards(name))
      .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
      .trim() || 'file.csv'
  );
}
