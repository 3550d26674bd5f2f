import { HttpStatus, Injectable } from '@nestjs/common';
import { PrismaService } from '../database/prisma.service.js';
import { afterCursor, pageOf } from '../http/cursor-page.js';
import { MAX_ATTEMPTS } from '../http/job.views.js';
import { problem } from '../http/problem.js';
import { idsInState } from '../outbox/state-filter.js';
import type { JobDetailView, JobPageView, QueryJobsDto } from './admin.dto.js';

const HISTORY = {
  omit: { id: true, jobId: true, sentBody: true },
  orderBy: { startedAt: 'asc' },
  take: -MAX_ATTEMPTS,
} as const;

/** The definition of the view `parked_jobs` (O23) as a Prisma condition. */
const PARKED = { status: 'DLQ', withdrawn: false, restaurant: { deletedAt: null } } as const;

/** Reads outbox jobs for platform administrators (R6); never writes. */
@Injectable()
export class JobsService {
  constructor(private readonly prisma: PrismaService) {}

  /** Lists jobs, newest first, paged by cursor. @throws 400 VALIDATION_FAILED for a malformed cursor */
  async list({ limit, after, from, to, status, ...filters }: QueryJobsDto): Promise<JobPageView> {
    const createdAt = { gte: from, lt: to };
    const ids = status && (await idsInState(this.prisma, status, filters.restaurantId));
    const state = { ...(status === 'DLQ' ? PARKED : { status }), ...(ids && { id: { in: ids } }) };
    const jobs = await this.prisma.outboxJob.findMany({
      where: { ...filters, ...state, createdAt, ...(after ? afterCursor(after) : {}) },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
    });
    return pageOf(jobs, limit);
  }

  /** Returns a job with its attempts, oldest first. @throws 404 NOT_FOUND */
  async get(id: string): Promise<JobDetailView> {
    const job = await this.prisma.outboxJob.findUnique({ where: { id }, include: { history: HISTORY } });
    if (!job) throw problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'there is no such job');
    return job;
  }
}
