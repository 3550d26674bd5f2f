import { Prisma } from '../database/generated/client.js';
import type { PrismaService } from '../database/prisma.service.js';
import type { JobStatus } from '../domain/job.js';

/** Up to this many jobs are filtered by id; a scan of the history finds more of them soon enough. */
const MAX_IDS = 2_000;

/** Every state but SENT has a partial index; the status is a literal, because the planner does not use one for a parameter. */
const SOURCES = {
  PENDING: Prisma.sql`outbox_jobs WHERE status = 'PENDING'`,
  PROCESSING: Prisma.sql`outbox_jobs WHERE status = 'PROCESSING'`,
  FAILED: Prisma.sql`outbox_jobs WHERE status = 'FAILED'`,
  DLQ: Prisma.sql`parked_jobs WHERE true`,
} as const satisfies Partial<Record<JobStatus, Prisma.Sql>>;

/** The definition of the view `parked_jobs` (O23) as a Prisma condition. */
const PARKED = { status: 'DLQ', withdrawn: false, restaurant: { deletedAt: null } } as const;

/**
 * Builds the Prisma condition of lists that are filtered by status; DLQ selects parked jobs only (O23, C10). While few jobs
 * are in the state, the condition lists their ids, read through a partial index: Prisma binds a status as a parameter, and
 * Postgres would scan the whole history.
 * @param status undefined: any status
 * @param restaurantId undefined: all restaurants
 */
export async function inState(
  prisma: PrismaService,
  status: JobStatus | undefined,
  restaurantId?: string,
): Promise<Prisma.OutboxJobWhereInput> {
  if (status === undefined || status === 'SENT') return { status };
  const ofRestaurant = restaurantId ? Prisma.sql`AND restaurant_id = ${restaurantId}::uuid` : Prisma.empty;
  const rows = await prisma.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM ${SOURCES[status]} ${ofRestaurant} LIMIT ${MAX_IDS + 1}`;
  const condition = status === 'DLQ' ? PARKED : { status };
  return rows.length > MAX_IDS ? condition : { ...condition, id: { in: rows.map(({ id }) => id) } };
}
