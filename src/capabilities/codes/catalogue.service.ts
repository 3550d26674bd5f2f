import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { FileUploads } from '../../platform/files/file-uploads.js';
import type { ReceivedFile } from '../../platform/files/received-file.js';
import { problem } from '../../platform/http/problem.js';
import { Log } from '../../platform/telemetry/log.js';
import { underLock } from '../../user-links/links.js';
import type { Link } from '../../user-links/restaurant.guard.js';
import type { CatalogueReplacedView } from './catalogue.dto.js';
import { type Catalogue, CatalogueReader } from './catalogue.reader.js';
import { CatalogueRows, type Difference } from './catalogue-rows.js';
import { CatalogueThreads } from './catalogue-threads.js';
import { CODES_CODES } from './error-codes.js';
import type { ReadCatalogue } from './read-catalogue.js';
import { nameOfCaller } from './saved-codes.js';

/** What an answer of the relay lists of the problems of a request. */
const SHOWN_LINES = 20;

const REPLACED = auditAction('catalogue.replaced', { mostInADay: 200 });
const REMOVED = auditAction('catalogue.removed', { mostInADay: 200 });

/** Replaces and removes the catalogue of a restaurant (I13, I14). */
@Injectable()
export class CatalogueService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly uploads: FileUploads,
    private readonly threads: CatalogueThreads,
    private readonly reader: CatalogueReader,
    private readonly rows: CatalogueRows,
    private readonly audit: AuditTrail,
    private readonly log: Log,
  ) {}

  /**
   * Reads the body of a request as a catalogue, and replaces the one that counts by it, whole or not at all. A file that has what the catalogue has
   * changes nothing.
   * @param preview changes nothing
   * @throws 400 VALIDATION_FAILED for rows that cannot be read, 409 CATALOGUE_CHANGED; as {@link FileUploads.run}; the database's error
   */
  replace(caller: Link, request: FastifyRequest, preview: boolean, gone: AbortSignal): Promise<CatalogueReplacedView> {
    return this.uploads.run(caller, request, gone, async (file) => {
      const read = await this.read(file, gone);
      if (read.unreadable > 0 && !preview) throw problem('VALIDATION_FAILED', linesOf(read));
      const before = await this.reader.current(caller.restaurantId);
      const difference = await this.rows.compare(read, before, gone);
      const { added, changed, removed } = difference;
      const replaced = !preview && added + changed + removed > 0;
      if (replaced) await this.write(caller, read, before, difference, gone);
      // the thread may have taken long (A40)
      else await caller.confirm(this.prisma);
      const { pieces: _, digests: __, columns, rows, problems, ...figures } = read;
      return { replaced, columns: { ...columns }, rows: [...rows], problems: [...problems], ...figures, ...difference };
    });
  }

  /** Removes the catalogue. @throws 404 when there is none */
  async remove(caller: Link): Promise<void> {
    const { restaurantId } = caller;
    const { id, count } = await this.reader.current(restaurantId);
    await underLock(this.prisma, caller, async (tx) => {
      const { count: removed } = await tx.restaurant.updateMany({
        where: { id: restaurantId, catalogueId: id, NOT: { catalogueId: 0 } },
        data: { catalogueId: 0 },
      });
      if (removed === 0) throw problem('NOT_FOUND', 'this restaurant has no catalogue, or has replaced it just now');
      await this.audit.record(tx, caller, { action: REMOVED, restaurantId, details: { products: count } });
    });
    await this.forget(id);
  }

  private async read({ bytes, held }: ReceivedFile, gone: AbortSignal): Promise<ReadCatalogue> {
    const read = await this.threads.read(bytes, gone);
    held.end();
    return read;
  }

  private async write(
    caller: Link,
    read: ReadCatalogue,
    before: Catalogue,
    difference: Difference,
    gone: AbortSignal,
  ): Promise<void> {
    const { restaurantId } = caller;
    const id = await this.rows.write(restaurantId, read, gone);
    try {
      await underLock(this.prisma, caller, async (tx) => {
        const by = await nameOfCaller(tx, caller);
        const replaced = await tx.$executeRaw`
          WITH catalogue AS (
            UPDATE pos_catalogues SET replaced_at = now(), replaced_by = ${by}::text WHERE id = ${id}::int RETURNING id)
          UPDATE restaurants SET catalogue_id = catalogue.id FROM catalogue
          WHERE restaurants.id = ${restaurantId}::uuid AND catalogue_id = ${before.id}::int`;
        if (replaced === 0)
          throw problem(CODES_CODES.CATALOGUE_CHANGED, 'the catalogue was changed meanwhile: send the file again');
        const details = { products: read.count, ...difference };
        await this.audit.record(tx, caller, { action: REPLACED, restaurantId, details });
      });
    } catch (error) {
      await this.forget(id);
      throw error;
    }
    if (before.id !== 0) await this.forget(before.id);
  }

  /** Removes the rows of a catalogue that does not count. What is left is removed by a round. */
  private async forget(id: number): Promise<void> {
    await this.rows
      .remove(id)
      .catch((error: Error) => this.log.warn({ event: 'catalogue.rows_left', catalogue: id, error: error.message }));
  }
}

/** An error answer has {@link SHOWN_LINES} messages at most; the preview shows more. */
function linesOf({ problems, unreadable }: ReadCatalogue): string[] {
  const all = problems.map(({ line, column, reason }) => `line ${line}, ${column}: ${reason}`);
  if (unreadable <= SHOWN_LINES) return all;
  return [...all.slice(0, SHOWN_LINES - 1), `and ${unreadable - SHOWN_LINES + 1} more`];
}
