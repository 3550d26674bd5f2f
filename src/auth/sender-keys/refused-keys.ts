import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { PROVEN_REASONS, type RefusalReason } from '../../domain/refusal-reason.js';
import { REFUSED_TIMES } from '../../outbox/conditions.sql.js';
import { AHEAD } from '../../platform/database/clock.js';
import { within } from '../../platform/database/deadline.js';
import { reasonOf } from '../../platform/database/errors.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { Log } from '../../platform/telemetry/log.js';
import { Metrics } from '../../platform/telemetry/metrics.js';

/** Time between two statements, and before the first one, in ms (L205): a burst is written once. */
const EVERY_MS = 5_000;
const FIRST_AFTER_MS = 500;
/** The most keys whose refusals wait to be written. */
const MOST_KEYS = 1_000;
/** A refusal after this time without one begins a new series (L204). */
const SERIES_ENDS_AFTER = "interval '1 hour'";
const STOP_LIMIT_MS = 1_000;

interface Refused {
  count: number;
  reason: RefusalReason;
}

/**
 * Writes that requests with known keys were refused (V40): counted in memory, and written by one statement at most each 5 s. However often a
 * caller repeats a key, it costs this one statement. What is proven goes before what anybody can cause: of a series that is proven, a stranger changes
 * nothing.
 */
@Injectable()
export class RefusedKeys implements BeforeApplicationShutdown {
  /** id of the key -> what was refused since the last statement */
  private waiting = new Map<string, Refused>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private writtenAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly prisma: PrismaService,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** Counts a refused request with this key. The answer does not wait for the statement; a failure is logged, and written later. */
  note(id: string, reason: RefusalReason): void {
    this.metrics.keyRefusals.inc({ reason });
    this.add(id, { count: 1, reason });
    const wait = Math.max(FIRST_AFTER_MS, this.writtenAt + EVERY_MS - performance.now());
    this.timer ??= setTimeout(() => void this.write(), wait).unref();
  }

  /** Writes what was counted. Never throws. */
  write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.writeNow());
    return this.writing;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await within(STOP_LIMIT_MS, this.write()).catch(() => undefined);
  }

  private add(id: string, { count, reason }: Refused): void {
    const before = this.waiting.get(id);
    if (before && isProven(before.reason) !== isProven(reason))
      Object.assign(before, isProven(reason) ? { count, reason } : {});
    else if (before) Object.assign(before, { count: before.count + count, reason });
    else if (this.waiting.size < MOST_KEYS) this.waiting.set(id, { count, reason });
  }

  private async writeNow(): Promise<void> {
    const refused = this.waiting;
    if (refused.size === 0) return;
    this.waiting = new Map();
    this.writtenAt = performance.now();
    // in one order on all instances: they write the same keys
    const rows = [...refused].map(([id, of]) => ({ id, ...of })).sort((a, b) => (a.id < b.id ? -1 : 1));
    try {
      await this.prisma.$executeRaw`
        UPDATE sender_keys key SET
          refused_at = now(), refused_reason = refused.reason,
          refused_since = CASE WHEN ${COUNTS_ON} THEN coalesce(refused_since, now()) ELSE now() END,
          refused_count = ${COUNT},
          refused_again_at = CASE WHEN ${COUNT} < ${REFUSED_TIMES} THEN NULL WHEN ${COUNTS_ON} AND refused_count >= ${REFUSED_TIMES} THEN refused_again_at ELSE now() END
        FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ count }) => count)}::int[], ${rows.map(({ reason }) => reason)}::text[])
          AS refused (id, count, reason)
        WHERE key.id = refused.id AND (${PROVEN} OR NOT (${GOES_ON} AND ${WAS_PROVEN}))`;
    } catch (error) {
      this.log.warn({ event: 'sender_key.refusals_not_written', keys: refused.size, error: reasonOf(error) });
      for (const [id, of] of refused) this.add(id, of);
    }
  }
}

const isProven = (reason: RefusalReason) => PROVEN_REASONS.includes(reason);

const GOES_ON = Prisma.raw(`(refused_at BETWEEN now() - ${SERIES_ENDS_AFTER} AND ${AHEAD}) IS TRUE`);
const isAnyProven = (reason: string) =>
  Prisma.raw(`(${reason} = ANY ('{${PROVEN_REASONS.join(',')}}'::text[])) IS TRUE`);
const PROVEN = isAnyProven('refused.reason');
const WAS_PROVEN = isAnyProven('key.refused_reason');
/** SQL: whether a refusal of `refused` counts in the series of the row of `key`; else it begins a new one. */
const COUNTS_ON = Prisma.sql`(${GOES_ON} AND ${PROVEN} = ${WAS_PROVEN})`;
const COUNT = Prisma.sql`CASE WHEN ${COUNTS_ON} THEN least(refused_count::bigint + refused.count, 1000000) ELSE refused.count END::int`;
