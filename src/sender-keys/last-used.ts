import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../auth/bounded-map.js';
import { reasonOf } from '../database/errors.js';
import { PrismaService } from '../database/prisma.service.js';
import { Log } from '../telemetry/log.js';

/** A time of use is written at most this often, in ms (L62). */
const EVERY_MS = 60_000;
/** The most keys whose last write is remembered. */
const REMEMBERED = 10_000;

/** Writes when keys were last used. */
@Injectable()
export class LastUsed {
  /** id -> when this instance last wrote its time, by performance.now() */
  private readonly written = new BoundedMap<number>(REMEMBERED);

  constructor(
    private readonly prisma: PrismaService,
    private readonly log: Log,
  ) {}

  /** Notes that a sale of this key was stored. The answer of the sale does not wait for it; a failure is logged. */
  note(id: string): void {
    const now = performance.now();
    if (now - (this.written.get(id) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    this.written.set(id, now);
    this.write(id).catch((error) =>
      this.log.warn({ event: 'sender_key.use_not_written', senderKey: id, error: reasonOf(error) }),
    );
  }

  /** The condition holds for all instances together. */
  private async write(id: string): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE sender_keys SET last_used_at = now()
      WHERE id = ${id}::uuid AND (last_used_at IS NULL OR last_used_at < now() - ${EVERY_MS}::int * interval '1 millisecond')`;
  }
}
