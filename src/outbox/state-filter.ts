import type { JobStatus } from '../domain/job.js';
import type { OrderState } from '../domain/order-state.js';
import { Prisma } from '../platform/database/generated/client.js';
import type { PrismaService } from '../platform/database/prisma.service.js';

/** A list is filtered by job ids if at most this many jobs are in the state. If more are, a scan of the history soon finds enough. */
export const FEW = 2_000;

/**
 * The jobs of each state, for the states that few jobs are in; read through a partial index. The status is a literal, because the
 * planner does not use a partial index for a parameter.
 */
const SOURCES = {
  PENDING: Prisma.sql`SELECT id, restaurant_id FROM outbox_jobs WHERE status = 'PENDING'`,
  PROCESSING: Prisma.sql`SELECT id, restaurant_id FROM outbox_jobs WHERE status = 'PROCESSING'`,
  FAILED: Prisma.sql`SELECT id, restaurant_id FROM outbox_jobs WHERE status = 'FAILED'`,
  DLQ: Prisma.sql`SELECT id, restaurant_id FROM parked_jobs`,
  // one SELECT for each of the two partial indexes
  waiting: Prisma.sql`
    SELECT id, restaurant_id FROM outbox_jobs WHERE action = 'CREATE' AND status IN ('PENDING', 'FAILED')
    UNION ALL
    SELECT id, restaurant_id FROM outbox_jobs WHERE action = 'CREATE' AND status = 'PROCESSING'`,
  parked: Prisma.sql`
    SELECT job.id, parked.restaurant_id
    -- OFFSET 0 makes Postgres look up each job by its key; a join would read every job (decisions/032)
    FROM parked_jobs parked, LATERAL (
      SELECT id FROM outbox_jobs
      WHERE event_key = parked.event_key AND restaurant_id = parked.restaurant_id AND action = 'CREATE' OFFSET 0
    ) AS job`,
  resolved: Prisma.sql`
    SELECT job.id, settled.restaurant_id
    FROM (SELECT event_key, restaurant_id FROM outbox_jobs
          WHERE status = 'DLQ' AND NOT withdrawn AND resolved_at IS NOT NULL AND cause IS DISTINCT FROM 'refund') AS settled, LATERAL (
      SELECT id FROM outbox_jobs
      WHERE event_key = settled.event_key AND restaurant_id = settled.restaurant_id AND action = 'CREATE' OFFSET 0
    ) AS job`,
} as const satisfies Partial<Record<JobStatus | OrderState, Prisma.Sql>>;

/**
 * Reads the ids of the jobs in a state through the state's partial index, if few jobs are in the state. A list that is sorted by another
 * column would otherwise search the whole history for these jobs.
 * @param state a state of jobs, or a state of orders (R33), read from their CREATE jobs; DLQ means parked jobs only (O23, C10)
 * @param restaurantId undefined: all restaurants
 * @returns undefined when many jobs are in the state, or when the state is one that most jobs reach
 */
export async function idsInState(
  prisma: PrismaService,
  state: JobStatus | OrderState,
  restaurantId?: string,
): Promise<string[] | undefined> {
  if (!isOfFew(state)) return undefined;
  const ofRestaurant = restaurantId ? Prisma.sql`WHERE restaurant_id = ${restaurantId}::uuid` : Prisma.empty;
  const { text, values } = Prisma.sql`SELECT id::text FROM (${SOURCES[state]}) AS few ${ofRestaurant} LIMIT ${FEW + 1}`;
  const rows = await prisma.unprepared<{ id: string }>(text, values);
  return rows.length > FEW ? undefined : rows.map(({ id }) => id);
}

function isOfFew(state: JobStatus | OrderState): state is keyof typeof SOURCES {
  return Object.hasOwn(SOURCES, state);
}
