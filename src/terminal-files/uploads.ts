import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AuditTrail } from '../audit/audit-trail.js';
import { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import { maskCards } from '../domain/card-numbers.js';
import type { Mapping } from '../domain/terminal-file.js';
import { storableText } from '../domain/text.js';
import { problem } from '../http/problem.js';
import { Log } from '../telemetry/log.js';
import type { Link } from '../user-links/restaurant.guard.js';
import { packed } from './packed-records.js';
import { type ReadFile, readFile } from './read-file.js';
import { discardBody, receiveFile } from './received-file.js';

/** The files that an instance reads at once (L98). */
const AT_ONCE = 4;
/** The files of a restaurant that wait to be confirmed, and for how long (L93). */
const MOST_WAITING = 20;
const WAITS = Prisma.sql`interval '7 days'`;
/** The confirmed files among which the last mapping for these columns is looked for. */
const REMEMBERED = 100;

/** An uploaded file. */
export interface Uploaded {
  readonly id: string;
  /** false: the restaurant had this file already (J3) */
  readonly isNew: boolean;
}

/** Takes files, and removes those that nobody has confirmed (J1 to J5). */
@Injectable()
export class Uploads {
  /** restaurants whose file is read just now */
  private readonly reading = new Set<string>();

  constructor(
    private readonly prisma: PrismaService,
    private readonly audit: AuditTrail,
    private readonly log: Log,
  ) {}

  /**
   * Reads the body of a request as a file and keeps it until it is confirmed.
   * @throws 409 TOO_MANY_FILES, 413, 422 FILE_REFUSED, 429 TOO_MANY_UPLOADS; ClientGoneError; the database's error
   */
  async upload(caller: Link, name: string, request: FastifyRequest): Promise<Uploaded> {
    const { restaurantId } = caller;
    if (this.reading.size >= AT_ONCE || this.reading.has(restaurantId)) {
      discardBody(request.raw);
      throw problem('TOO_MANY_UPLOADS', 'other files are being read just now: send it again', 5);
    }
    this.reading.add(restaurantId);
    try {
      const { bytes, sha256 } = await receiveFile(request);
      const known = await this.prisma.terminalFile.findUnique({
        where: { restaurantId_sha256: { restaurantId, sha256 } },
        select: { id: true },
      });
      if (known) return { id: known.id, isNew: false };
      const restaurant = { where: { id: restaurantId }, select: { timezone: true } };
      const { timezone } = await this.prisma.restaurant.findUniqueOrThrow(restaurant);
      const file = await readFile(bytes, timezone);
      return await this.keep(caller, { name: fileName(name), sha256, bytes: bytes.length }, file);
    } finally {
      this.reading.delete(restaurantId);
    }
  }

  /** Removes a file that is not confirmed. @throws 404; 409 FILE_CONFIRMED */
  async remove(caller: Link, fileId: string): Promise<void> {
    const { restaurantId } = caller;
    await this.prisma.$transaction(async (tx) => {
      const where = { id: fileId, restaurantId };
      const { count } = await tx.terminalFile.deleteMany({ where: { ...where, confirmedAt: null } });
      if (count === 0)
        throw (await tx.terminalFile.findFirst({ where, select: { id: true } })) ? confirmed() : noSuchFile();
      await this.audit.record(tx, caller, { action: 'terminal_file.removed', restaurantId, target: fileId });
    });
  }

  private async keep(
    { restaurantId, userId }: Link,
    { name, sha256, bytes }: { readonly name: string; readonly sha256: string; readonly bytes: number },
    file: ReadFile,
  ): Promise<Uploaded> {
    const content = await packed(file.records);
    const mapping = (await this.remembered(restaurantId, file.columns)) ?? file.guess;
    await this.prisma.$executeRaw`
      DELETE FROM terminal_files
      WHERE restaurant_id = ${restaurantId}::uuid AND confirmed_at IS NULL AND uploaded_at < now() - ${WAITS}`;
    const { columns, headerLine, delimiter, encoding, preset } = file;
    const id = randomUUID();
    const kept = await this.prisma.$executeRaw`
      INSERT INTO terminal_files (id, restaurant_id, name, sha256, bytes, rows, columns, header_line, delimiter, encoding, preset, mapping,
        content, uploaded_by)
      SELECT ${id}::uuid, ${restaurantId}::uuid, ${name}, ${sha256}, ${bytes}::int, ${file.records.length}::int, ${[...columns]}::text[],
             ${headerLine}::int, ${delimiter}, ${encoding}, ${preset}, ${JSON.stringify(mapping)}::jsonb, ${content}, ${userId}::uuid
      WHERE (SELECT count(*) FROM terminal_files WHERE restaurant_id = ${restaurantId}::uuid AND confirmed_at IS NULL) < ${MOST_WAITING}::int
      ON CONFLICT (restaurant_id, sha256) DO NOTHING`;
    if (kept > 0) {
      this.log.info({ event: 'terminal_file.uploaded', restaurantId, fileId: id, rows: file.records.length });
      return { id, isNew: true };
    }
    // another instance was faster, or too many wait
    const other = await this.prisma.terminalFile.findUnique({
      where: { restaurantId_sha256: { restaurantId, sha256 } },
      select: { id: true },
    });
    if (other) return { id: other.id, isNew: false };
    throw problem(
      'TOO_MANY_FILES',
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

export function noSuchFile() {
  return problem('NOT_FOUND', 'the restaurant has no such file');
}

export function confirmed() {
  return problem('FILE_CONFIRMED', 'the file is confirmed');
}
