import { HttpStatus, Injectable } from '@nestjs/common';
import { Prisma } from '../database/prisma.js';
import { problem } from '../problem.js';
import type { JobDetailView, JobPage, QueryJobsDto } from './admin.dto.js';

const HISTORY = { omit: { id: true, jobId: true }, orderBy: { startedAt: 'asc' } } as const;

/** The operators' view of the outbox; it never writes. */
@Injectable()
export class JobsService {
  constructor(private readonly prisma: Prisma) {}

  /** A page, newest first; it starts after the job that the cursor names, so that late pages are as fast as early ones. */
  async list({ limit, after, from, to, ...filters }: QueryJobsDto): Promise<JobPage> {
    const createdAt = { gte: from && new Date(from), lt: to && new Date(to) };
    const jobs = await this.prisma.outboxJob.findMany({
      where: { ...filters, createdAt, ...(after ? olderThan(after) : {}) },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      take: limit + 1,
    });
    const data = jobs.slice(0, limit);
    const last = data.at(-1);
    return { data, meta: { limit, next: jobs.length > limit && last ? cursorOf(last) : null } };
  }

  /** @throws 404 */
  async get(id: string): Promise<JobDetailView> {
    const job = await this.prisma.outboxJob.findUnique({ where: { id }, include: { history: HISTORY } });
    if (!job) throw problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'there is no such job');
    return job;
  }
}

function cursorOf({ createdAt, id }: { createdAt: Date; id: string }): string {
  return Buffer.from(`${createdAt.toISOString()} ${id}`).toString('base64url');
}

/** @throws 400 when it is not a cursor of ours */
function olderThan(cursor: string) {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const createdAt = new Date(time);
  if (Number.isNaN(createdAt.getTime()) || !/^[0-9a-f-]{36}$/.test(id))
    throw problem(HttpStatus.BAD_REQUEST, 'VALIDATION_FAILED', ['after must be the meta.next of another page']);
  return { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] };
}
