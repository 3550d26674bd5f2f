import { HttpStatus, Injectable } from '@nestjs/common';
import { Prisma } from '../database/prisma.js';
import { beyond, inState, pageOf } from '../outbox/job-pages.js';
import { problem } from '../problem.js';
import type { JobDetailView, JobPage, QueryJobsDto } from './admin.dto.js';

const HISTORY = { omit: { id: true, jobId: true }, orderBy: { startedAt: 'asc' } } as const;

/** The operators' view of the outbox; it never writes. */
@Injectable()
export class JobsService {
  constructor(private readonly prisma: Prisma) {}

  /** A page, newest first; it starts after the job that the cursor names, so that late pages are as fast as early ones. */
  async list({ limit, after, from, to, status, ...filters }: QueryJobsDto): Promise<JobPage> {
    const createdAt = { gte: from, lt: to };
    const state = await inState(this.prisma, status, filters.restaurantId);
    const jobs = await this.prisma.outboxJob.findMany({
      where: { ...filters, ...state, createdAt, ...(after ? beyond(after, 'desc') : {}) },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
    });
    return pageOf(jobs, limit);
  }

  /** @throws 404 */
  async get(id: string): Promise<JobDetailView> {
    const job = await this.prisma.outboxJob.findUnique({ where: { id }, include: { history: HISTORY } });
    if (!job) throw problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'there is no such job');
    return job;
  }
}
