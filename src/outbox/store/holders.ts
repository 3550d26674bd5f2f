import type { PrismaService } from '../../platform/database/prisma.service.js';

/** An instance that has claimed jobs, as of its last heartbeat (R21). */
export interface Holder {
  /** `host:pid`, as in `locked_by` */
  readonly id: string;
  /** its last heartbeat by the database's clock, epoch ms */
  readonly lastSeenMs: number;
  /** how long ago that was by the same clock, in ms; negative: the clock was ahead then */
  readonly silentMs: number;
}

/** The instances that hold jobs, at most `limit`. A POS that fetches orders is none. */
export function holdersOfJobs(prisma: PrismaService, limit: number): Promise<Holder[]> {
  return prisma.$queryRaw<Holder[]>`
    SELECT id, (extract(epoch FROM last_seen_at) * 1000)::float8 AS "lastSeenMs",
           (extract(epoch FROM now() - last_seen_at) * 1000)::float8 AS "silentMs"
    FROM relay_instances
    -- locked_by is the instance, a slash, and a UUID
    WHERE id IN (SELECT left(locked_by, -37) FROM outbox_jobs WHERE status = 'PROCESSING')
    ORDER BY last_seen_at LIMIT ${limit}::int`;
}
