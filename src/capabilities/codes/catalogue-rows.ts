import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseClock } from '../../platform/database/clock.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { OldRows } from '../../platform/schedule/old-rows.js';
import type { ReadCatalogue } from './read-catalogue.js';

/** Rows that one statement removes, and the rest after each statement, in ms (L239): on the embedded database sales wait for each of them. */
const REMOVED = 1_000;
const PAUSE_MS = 10;

/** What a file has that a catalogue has not. */
export interface Difference {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

const ROWS = `SELECT each ->> 0 AS code, each ->> 1 AS name, (each ->> 2)::bigint AS price_cents, each ->> 3 AS search
  FROM jsonb_array_elements($1::jsonb) AS each`;

const COMPARE = `SELECT count(known.code)::int AS known,
    count(*) FILTER (WHERE known.code IS NOT NULL AND (known.name, known.price_cents) IS DISTINCT FROM (row.name, row.price_cents))::int AS changed
  FROM (${ROWS}) AS row LEFT JOIN pos_catalogue known ON known.catalogue_id = $2::int AND known.code = row.code`;

/**
 * The rows of catalogues (I13). One that is being written, and one that was replaced, are written and removed in pieces: as one transaction they would
 * hold up the sales of the embedded database.
 */
@Injectable()
export class CatalogueRows implements OnModuleInit {
  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly oldRows: OldRows,
    private readonly stopping: AbortSignal,
  ) {}

  onModuleInit(): void {
    this.oldRows.add({ name: 'catalogues', remove: () => this.removeOld() });
  }

  /** Compares a file with the catalogue that counts. @throws the reason of `gone` */
  async compare(
    { pieces, count }: Pick<ReadCatalogue, 'pieces' | 'count'>,
    before: { readonly id: number; readonly count: number },
    gone: AbortSignal,
  ): Promise<Difference> {
    let [known, changed] = [0, 0];
    for (const piece of before.id === 0 ? [] : pieces) {
      gone.throwIfAborted();
      const [found] = await this.prisma.report<{ known: number; changed: number }>(COMPARE, [piece, before.id]);
      known += found?.known ?? 0;
      changed += found?.changed ?? 0;
      await delay(PAUSE_MS);
    }
    return { added: count - known, changed, removed: before.count - known };
  }

  /**
   * Writes a catalogue that does not count yet.
   * @returns its id
   * @throws the reason of `gone`
   */
  async write(
    restaurantId: string,
    { pieces, digests, count }: Pick<ReadCatalogue, 'pieces' | 'digests' | 'count'>,
    gone: AbortSignal,
  ): Promise<number> {
    const { id } = await this.prisma.posCatalogue.create({
      data: { restaurantId, products: count, codeDigests: new Uint8Array(digests) },
      select: { id: true },
    });
    try {
      for (const piece of pieces) {
        gone.throwIfAborted();
        // a restaurant that is deleted meanwhile has none: the piece is then not written
        await this.prisma.$executeRawUnsafe(
          `INSERT INTO pos_catalogue (catalogue_id, code, name, price_cents, search)
           SELECT catalogue.id, code, row.name, price_cents, search FROM pos_catalogues catalogue CROSS JOIN (${ROWS}) AS row
           WHERE catalogue.id = $2::int FOR KEY SHARE OF catalogue`,
          piece,
          id,
        );
        await delay(PAUSE_MS);
      }
    } catch (error) {
      await this.remove(id).catch(() => undefined);
      throw error;
    }
    return id;
  }

  /** Removes a catalogue that does not count, its rows first. */
  async remove(id: number): Promise<void> {
    while (!this.stopping.aborted) {
      const removed = await this.prisma.$executeRaw`
        DELETE FROM pos_catalogue WHERE ctid = ANY (ARRAY(SELECT ctid FROM pos_catalogue WHERE catalogue_id = ${id}::int LIMIT ${REMOVED}::int))`;
      if (removed < REMOVED) {
        await this.prisma.$executeRaw`DELETE FROM pos_catalogues WHERE id = ${id}::int`;
        return;
      }
      await delay(PAUSE_MS);
    }
  }

  /** Catalogues that do not count and were begun an hour ago: the instance that wrote or removed them has stopped. */
  private async removeOld(): Promise<number> {
    for (let count = 0; ; count++) {
      const [oldest] = await this.prisma.$queryRaw<{ id: number }[]>`
        SELECT id FROM pos_catalogues WHERE begun_at < now() - interval '1 hour' AND ${this.clock.condition}
          AND id NOT IN (SELECT catalogue_id FROM restaurants WHERE restaurants.id = restaurant_id) LIMIT 1`;
      if (!oldest || this.stopping.aborted) return count;
      await this.remove(oldest.id);
    }
  }
}
