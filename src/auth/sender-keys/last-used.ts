import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../platform/bounded-map.js';
import { Batcher } from '../../platform/database/batch/batcher.js';
import type { BatchedRow } from '../../platform/database/batch/row-queue.js';
import { AHEAD } from '../../platform/database/clock.js';
import { reasonOf } from '../../platform/database/errors.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { Log } from '../../platform/telemetry/log.js';

/** How often a time of use is written, in ms: of a key (L62), of what belongs to a person (V13). */
const KEY_EVERY_MS = 60_000;
const PERSON_EVERY_MS = 3_600_000;
/** The most uses whose last write is remembered. */
const REMEMBERED = 10_000;

/** What of a person a sale was sent with (V13): e-mail and password, or the token of a sign-in. */
export const PERSONAL_PROOFS = ['password', 'token'] as const;
export type PersonalProof = (typeof PERSONAL_PROOFS)[number];

interface UsedKey extends BatchedRow {
  readonly id: string;
  readonly isForeign: boolean;
}

/** One statement at a time: keys that are used together do not take the connections of sales. */
const WRITES = { parallel: 1, most: 1_000, retry: false } as const;

/** Writes when keys, and what belongs to persons, were last used to send a sale. */
@Injectable()
export class LastUsed {
  /** use -> when this instance last wrote its time, by performance.now() */
  private readonly written = new BoundedMap<number>(REMEMBERED);
  private readonly keys = new Batcher<UsedKey, void>(async (used) => {
    await this.writeKeys(used);
    return used.map(() => undefined);
  }, WRITES);

  constructor(
    private readonly prisma: PrismaService,
    private readonly log: Log,
  ) {}

  /**
   * Notes that this key was used: a sale was stored, or receipts were read. The answer does not wait for it; a failure is logged.
   * @param isForeign the sale names another store than the key's (W49)
   */
  note(id: string, isForeign = false): void {
    this.atMostEvery(KEY_EVERY_MS, isForeign ? `${id} foreign` : id, () =>
      this.keys.add({ id, isForeign, length: id.length, keys: [id], source: id }),
    );
  }

  /** Notes that a sale of a person was stored for a restaurant (V13). The answer does not wait for it; a failure is logged. */
  notePerson(userId: string, restaurantId: string, by: PersonalProof): void {
    this.atMostEvery(PERSON_EVERY_MS, `${userId} ${restaurantId} ${by}`, () =>
      this.writePerson(userId, restaurantId, by),
    );
  }

  private atMostEvery(everyMs: number, use: string, write: () => Promise<unknown>): void {
    const now = performance.now();
    if (now - (this.written.get(use) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
    this.written.set(use, now);
    write().catch((error) => this.log.warn({ event: 'sender.use_not_written', use, error: reasonOf(error) }));
  }

  /** The condition holds for all instances together. */
  private writeKeys(used: readonly UsedKey[]): Promise<unknown> {
    const ids = used.map(({ id }) => id);
    const foreign = used.filter(({ isForeign }) => isForeign).map(({ id }) => id);
    return this.prisma.$executeRaw`
      UPDATE sender_keys SET last_used_at = now(), foreign_store_at = CASE WHEN id = ANY (${foreign}::uuid[]) THEN now() ELSE foreign_store_at END
      WHERE id = ANY (${ids}::uuid[])
        AND coalesce(CASE WHEN id = ANY (${foreign}::uuid[]) THEN foreign_store_at ELSE last_used_at END, '-infinity')
            NOT BETWEEN now() - ${KEY_EVERY_MS}::int * interval '1 millisecond' AND ${Prisma.raw(AHEAD)}`;
  }

  private writePerson(userId: string, restaurantId: string, by: PersonalProof): Promise<unknown> {
    const isPassword = by === 'password';
    return this.prisma.$executeRaw`
      UPDATE user_restaurants
      SET password_sale_at = CASE WHEN ${isPassword} THEN now() ELSE password_sale_at END,
          token_sale_at = CASE WHEN ${isPassword} THEN token_sale_at ELSE now() END
      WHERE user_id = ${userId}::uuid AND restaurant_id = ${restaurantId}::uuid
        AND coalesce(CASE WHEN ${isPassword} THEN password_sale_at ELSE token_sale_at END, '-infinity')
            NOT BETWEEN now() - ${PERSON_EVERY_MS}::int * interval '1 millisecond' AND ${Prisma.raw(AHEAD)}`;
  }
}
