import { Controller, Get, Header, Param, Query, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { validId } from '../user-links/restaurant.guard.js';
import { JobDetailView, JobPage, MetricsView, QueryJobsDto } from './admin.dto.js';
import { JobsService } from './jobs.service.js';
import { MetricsService } from './metrics.service.js';
import { PlatformAdminGuard } from './platform-admin.guard.js';

@ApiTags('admin')
@ApiBearerAuth()
@UseGuards(PlatformAdminGuard)
@Controller('admin')
export class AdminController {
  constructor(
    private readonly metrics: MetricsService,
    private readonly jobs: JobsService,
  ) {}

  @Get('metrics')
  @ApiOperation({ summary: 'How it goes' })
  @ApiOkResponse({ type: MetricsView })
  all(): Promise<MetricsView> {
    return this.metrics.all();
  }

  @Get('metrics/prometheus')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'The same for Prometheus; counters and histograms are of this instance' })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' } })
  async prometheus(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { contentType, text } = await this.metrics.prometheus();
    reply.type(contentType);
    return text;
  }

  @Get('jobs')
  @ApiOperation({ summary: 'Outbox jobs, newest first' })
  @ApiOkResponse({ type: JobPage })
  list(@Query() query: QueryJobsDto): Promise<JobPage> {
    return this.jobs.list(query);
  }

  @Get('jobs/:jobId')
  @ApiOperation({ summary: 'A job with its attempts' })
  @ApiParam({ name: 'jobId', format: 'uuid' })
  @ApiOkResponse({ type: JobDetailView })
  get(@Param('jobId') jobId: string): Promise<JobDetailView> {
    return this.jobs.get(validId('jobId', jobId));
  }
}
