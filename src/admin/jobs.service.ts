import { Injectable } from '@nestjs/common';
import type { JobAction } from '../domain/job.js';
import { MAX_ATTEMPTS } from '../outbox/job.views.js';
import { PARKED } from '../outbox/parked.sql.js';
import { idsInState } from '../outbox/state-filter.js';
import { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { pageOf, sqlAfterCursor } from '../platform/http/fields/cursor-page.js';
import { problem } from '../platform/http/problem.js';
import type { JobDetailView, JobPageView, QueryJobsDto } from './admin.dto.js';

const HISTORY = {
  omit: { id: true, jobId: true, sentBody: true },
  orderBy: { startedAt: 'asc' },
  take: -MAX_ATTEMPTS,
} as const;

/** The condition of the view parked_jobs (O23). The view is not joined: without statistics, the planner reads all of it for each job. */
const IS_PARKED = Prisma.sql`${PARKED}
  AND EXISTS (SELECT 1 FROM restaurants WHERE id = job.restaurant_id AND deleted_at IS NULL)`;

/** The jobs of an action, and the time that they are walked by: CREATE jobs have the time of their event, cancels have an index. */
const WALKS: Readonly<Record<JobAction, { jobs: Prisma.Sql; at: Prisma.Sql; restaurant: Prisma.Sql }>> = {
  CREATE: {
    jobs: Prisma.sql`terminal_events event, LATERAL (SELECT * FROM outbox_jobs
      WHERE event_key = event.transaction_key AND restaurant_id = event.restaurant_id AND action = 'CREATE' OFFSET 0) AS job`,
    at: Prisma.sql`event.received_at`,
    restaurant: Prisma.sql`event.restaurant_id`,
  },
  CANCEL: {
    jobs: Prisma.sql`(SELECT * FROM outbox_jobs WHERE action = 'CANCEL') AS job`,
    at: Prisma.sql`job.created_at`,
    restaurant: Prisma.sql`job.restaurant_id`,
  },
};

/** Reads outbox jobs for platform administrators (R6); never writes. */
@Injectable()
export class JobsService {
  constructor(private readonly prisma: PrismaService) {}

  /** Lists jobs, newest first, paged by cursor. @throws 400 VALIDATION_FAILED for a malformed cursor */
  async list({ limit, after, from, to, status, action, restaurantId, eventKey }: QueryJobsDto): Promise<JobPageView> {
    const ids = status && (await idsInState(this.prisma, status, restaurantId));
    const isNamed = ids !== undefined || eventKey !== undefined;
    const among = {
      jobs: ids
        ? Prisma.sql`(SELECT * FROM outbox_jobs WHERE id = ANY (${ids}::uuid[])) AS job`
        : Prisma.sql`outbox_jobs job`,
      at: Prisma.sql`job.created_at`,
      restaurant: Prisma.sql`job.restaurant_id`,
    };
    const walks = isNamed ? [among] : action ? [WALKS[action]] : Object.values(WALKS);
    const parts = walks.map(({ jobs, at, restaurant }) => {
      const conditions = [
        Prisma.sql`${at} >= ${from ?? new Date(0)}::timestamptz AND ${at} < ${to ?? new Date('9999-12-31')}::timestamptz`,
        ...(after ? [sqlAfterCursor(after, [at, Prisma.sql`job.id`], 'uuid')] : []),
        ...(restaurantId ? [Prisma.sql`${restaurant} = ${restaurantId}::uuid`] : []),
        ...(eventKey === undefined ? [] : [Prisma.sql`job.event_key = ${eventKey}`]),
        ...(action ? [Prisma.sql`job.action = ${action}::job_action`] : []),
        ...(status ? [Prisma.sql`job.status = ${status}::job_status`] : []),
        ...(status === 'DLQ' ? [IS_PARKED] : []),
      ];
      return Prisma.sql`(
        SELECT job.id, ${at} AS at FROM ${jobs} WHERE ${Prisma.join(conditions, ' AND ')}
        ORDER BY ${at} DESC, job.id DESC LIMIT ${limit + 1}::int)`;
    });
    const { text, values } = Prisma.sql`
      SELECT id::text, at FROM (${Prisma.join(parts, ' UNION ALL ')}) AS job
      ORDER BY at DESC, id DESC LIMIT ${limit + 1}::int`;
    const { data: page, meta } = pageOf(
      await this.prisma.unprepared<{ id: string; at: Date }>(text, values),
      limit,
      ({ at }) => at,
    );
    const jobs = await this.prisma.outboxJob.findMany({
      where: { id: { in: page.map(({ id }) => id) } },
      omit: { recoveredAt: true, resolvedAt: true },
    });
    const byId = new Map(jobs.map((job) => [job.id, job]));
    // retention may have removed a job meanwhile
    return { data: page.flatMap(({ id }) => byId.get(id) ?? []), meta };
  }

  /** Returns a job with its attempts, oldest first. @throws 404 NOT_FOUND */
  async get(id: string): Promise<JobDetailView> {
    const job = await this.prisma.outboxJob.findUnique({
      where: { id },
      omit: { recoveredAt: true, resolvedAt: true },
      include: { history: HISTORY },
    });
    if (!job) throw problem('NOT_FOUND', 'there is no such job');
    return job;
  }
}
