import { Prisma } from '../database/generated/client.js';
import type { PrismaService } from '../database/prisma.service.js';
import type { JobStatus } from '../domain/job.js';
import type { OrderState } from '../domain/order-state.js';

/** Up to this many jobs are filtered by id; a scan of the history finds more of them soon enough. */
export const FEW = 2_000;

/** Every state of few jobs has a partial index; the status is a literal, because the planner does not use one for a parameter. */
const SOURCES = {
  PENDING: Prisma.sql`SELECT id, restaurant_id FROM outbox_jobs WHERE status = 'PENDING'`,
  PROCESSING: Prisma.sql`SELECT id, restaurant_id FROM outbox_jobs WHERE status = 'PROCESSING'`,
  FAILED: Prisma.sql`SELECT id, restaurant_id FROM outbox_jobs WHERE status = 'FAILED'`,
  DLQ: Prisma.sql`SELECT id, restaurant_id FROM parked_jobs`,
  // two halves, because the partial indexes are two
  waiting: Prisma.sql`
    SELECT id, restaurant_id FROM outbox_jobs WHERE action = 'CREATE' AND status IN ('PENDING', 'FAILED')
    UNION ALL
    SELECT id, restaurant_id FROM outbox_jobs WHERE action = 'CREATE' AND status = 'PROCESSING'`,
  parked: Prisma.sql`
    SELECT job.id, parked.restaurant_id
    -- OFFSET 0: each by its key, and not a join that reads every job (decisions/032)
    FROM parked_jobs parked, LATERAL (
      SELECT id FROM outbox_jobs
      WHERE event_key = parked.event_key AND restaurant_id = parked.restaurant_id AND action = 'CREATE' OFFSET 0
    ) AS job`,
} as const satisfies Partial<Record<JobStatus | OrderState, Prisma.Sql>>;

/**
 * Reads which jobs are in a state while few are, through its partial index: a list that is in another order would look for them in
 * the whole history.
 * @param state of jobs; of orders (R33), as their CREATE jobs; DLQ: parked jobs only (O23, C10)
 * @param restaurantId undefined: all restaurants
 * @returns undefined when there are many, or the state is one that most jobs come to
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
