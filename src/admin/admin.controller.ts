import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { PlatformAdmin } from '../auth/platform-admin.guard.js';
import { Does } from '../platform/http/does.js';
import { UuidParam } from '../platform/http/fields/uuid.pipe.js';
import { InShare } from '../platform/http/limits/shares.js';
import { JobDetailView, JobPageView, MetricsView, QueryJobsDto } from './admin.dto.js';
import { JobsService } from './jobs.service.js';
import { OverviewService } from './overview.service.js';

/** Metrics and jobs for platform administrators; read only (R5, R6). */
@ApiTags('admin')
@PlatformAdmin()
@Controller('admin')
export class AdminController {
  constructor(
    private readonly overview: OverviewService,
    private readonly jobs: JobsService,
  ) {}

  @Get('metrics')
  @InShare('reports')
  @Does(
    'Returns metrics as JSON',
    'Jobs by state, the age of the oldest due job, the attempts of the last minute and hour, and the ' +
      'restaurants with the most parked orders; of all instances together.',
  )
  @ApiOkResponse({ type: MetricsView, description: 'the figures of the whole deployment' })
  getMetrics(): Promise<MetricsView> {
    return this.overview.read();
  }

  @Get('jobs')
  @Does(
    'Lists outbox jobs',
    'The jobs of all restaurants, newest first, paged by cursor: send `meta.next` as `after`. ' +
      '`status=DLQ` lists the parked orders.',
  )
  @ApiOkResponse({ type: JobPageView, description: 'one page of jobs' })
  listJobs(@Query() query: QueryJobsDto): Promise<JobPageView> {
    return this.jobs.list(query);
  }

  @Get('jobs/:jobId')
  @Does(
    'Returns a job with its attempts',
    'One job with every delivery attempt: time, duration, the answer of the POS, and the error.',
  )
  @ApiOkResponse({ type: JobDetailView, description: 'the job and its attempts' })
  getJob(@UuidParam('jobId') jobId: string): Promise<JobDetailView> {
    return this.jobs.get(jobId);
  }
}
