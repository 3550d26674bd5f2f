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

/** What becomes of an order, each in one state (R19). */
export const ORDER_STATES = ['waiting', 'delivered', 'parked', 'cancelled'] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** Jobs that are under way, or whose order or cancel is parked: few, and read through partial indexes as in {@link inState}. */
const FEW = {
  waiting: (restaurantId: string) => Prisma.sql`
    SELECT id::text FROM outbox_jobs
    WHERE restaurant_id = ${restaurantId}::uuid AND action = 'CREATE' AND status IN ('PENDING', 'FAILED')
    UNION ALL
    SELECT id::text FROM outbox_jobs
    WHERE restaurant_id = ${restaurantId}::uuid AND action = 'CREATE' AND status = 'PROCESSING'`,
  parked: (restaurantId: string) => Prisma.sql`
    SELECT job.id::text FROM parked_jobs parked
    JOIN outbox_jobs job ON job.event_key = parked.event_key AND job.restaurant_id = parked.restaurant_id
    WHERE parked.restaurant_id = ${restaurantId}::uuid AND job.action = 'CREATE'`,
} as const;

/**
 * Builds the Prisma condition of the orders of a restaurant, as CREATE jobs, that are in a state (R19).
 * @param state undefined: any
 */
export async function inOrderState(
  prisma: PrismaService,
  state: OrderState | undefined,
  restaurantId: string,
): Promise<Prisma.OutboxJobWhereInput> {
  if (state === undefined) return {};
  // its restaurant stands with the cancel too, so that the index finds it
  const cancel = (status: Prisma.OutboxJobWhereInput['status']) => ({
    jobs: { some: { restaurantId, action: 'CANCEL', status } } as const,
  });
  const cancelled: Prisma.OutboxJobWhereInput = { OR: [{ withdrawn: true }, { event: cancel({ not: 'DLQ' }) }] };
  if (state === 'cancelled') return cancelled;
  const parked: Prisma.OutboxJobWhereInput = { OR: [{ status: 'DLQ' }, { event: cancel('DLQ') }] };
  if (state === 'delivered') return { status: 'SENT', NOT: [cancelled, parked] };
  const rows = await prisma.$queryRaw<{ id: string }[]>`${FEW[state](restaurantId)} LIMIT ${MAX_IDS + 1}`;
  const condition: Prisma.OutboxJobWhereInput =
    state === 'waiting'
      ? { status: { in: ['PENDING', 'PROCESSING', 'FAILED'] }, NOT: [cancelled, parked] }
      : { ...parked, NOT: [cancelled] };
  const few = rows.length > MAX_IDS ? {} : { id: { in: rows.map(({ id }) => id) } };
  return { ...condition, ...few };
}
