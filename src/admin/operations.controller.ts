import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Actor } from '../audit/actions.js';
import { AuditPageView, QueryAuditDto } from '../audit/audit.dto.js';
import { AuditReader } from '../audit/audit-reader.js';
import { Acting } from '../auth/principal.js';
import { Does } from '../http/does.js';
import { InShare } from '../http/shares.js';
import { Instances } from '../outbox/instances.js';
import { ResetView } from '../resend/resend.dto.js';
import { Resets } from '../resend/resets.js';
import { ResetJobsDto } from './job-reset.dto.js';
import { CausesView, InstancesView, QueryThroughputDto, RefusingView, ThroughputView } from './operations.dto.js';
import { OperatorAction } from './operator-actions.guard.js';
import { ParkedService } from './parked.service.js';
import { PlatformAdmin } from './platform-admin.guard.js';
import { RefusingService } from './refusing.service.js';
import { ThroughputService } from './throughput.service.js';

/** Operations for platform administrators (R9, R21 to R23). */
@ApiTags('admin')
@PlatformAdmin()
@Controller('admin')
export class OperationsController {
  constructor(
    private readonly instances: Instances,
    private readonly parked: ParkedService,
    private readonly throughput: ThroughputService,
    private readonly refusing: RefusingService,
    private readonly entries: AuditReader,
    private readonly resets: Resets,
  ) {}

  @Get('instances')
  @InShare('reports')
  @Does(
    'Lists the instances of the relay',
    'Each process with its version and its last sign of life. One that stopped cleanly is not listed.',
  )
  @ApiOkResponse({ type: InstancesView, description: 'the instances of the last day' })
  async listInstances(): Promise<InstancesView> {
    return { data: await this.instances.list() };
  }

  @Get('parked')
  @InShare('reports')
  @Does(
    'Groups the parked jobs by cause',
    'Errors that differ in numbers and ids only are one cause: how many jobs of which restaurants, since when, examples, and ' +
      'the line for a shell that resets exactly these.',
  )
  @ApiOkResponse({ type: CausesView, description: 'the causes with most parked jobs' })
  listParkedCauses(): Promise<CausesView> {
    return this.parked.byCause();
  }

  @Get('throughput')
  @InShare('reports')
  @Does(
    'Returns what came in and went out over time',
    'Sales accepted, orders delivered, failed attempts and delivery times, and what waits now.',
  )
  @ApiOkResponse({ type: ThroughputView, description: 'the figures for each minute, five or fifteen' })
  getThroughput(@Query() query: QueryThroughputDto): Promise<ThroughputView> {
    return this.throughput.read(query);
  }

  @Get('refusing')
  @InShare('reports')
  @Does(
    'Lists the restaurants whose POS refuses everything',
    'Those with at least three attempts within ALARM_REFUSING_MS, all failed; and since when.',
  )
  @ApiOkResponse({ type: RefusingView, description: 'the restaurants whose POS refuses everything; perhaps none' })
  async listRefusing(): Promise<RefusingView> {
    return { data: await this.refusing.list() };
  }

  @Get('audit')
  @Does(
    'Lists who did what',
    'The entries of all restaurants and of none, newest first, paged by cursor: send `meta.next` as `after`.',
  )
  @ApiOkResponse({ type: AuditPageView, description: 'one page of entries' })
  listAudit(@Query() query: QueryAuditDto): Promise<AuditPageView> {
    return this.entries.list(query);
  }

  @Post('jobs/reset')
  @InShare('reports')
  @HttpCode(200)
  @OperatorAction()
  @Does(
    'Resets parked and failed jobs',
    'Only with RESEND=operators or restaurants. They are sent again, due now and with attempts 0. Never a job that is being sent, was ' +
      'delivered, or whose order was cancelled before it was sent. `dryRun` counts. Each reset is audited.',
  )
  @ApiOkResponse({ type: ResetView, description: 'how many jobs were found, and how many of them were reset' })
  resetJobs(@Acting() actor: Actor, @Body() body: ResetJobsDto): Promise<ResetView> {
    const { dryRun, limit, ...filter } = body;
    return this.resets.reset(actor, filter, { dryRun, limit });
  }
}
