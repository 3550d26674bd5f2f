import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { PlatformAdmin } from '../auth/platform-admin.guard.js';
import { Instances } from '../outbox/instances.js';
import { AuditPageView, QueryAuditDto } from '../platform/audit/audit.dto.js';
import { AuditReader } from '../platform/audit/audit-reader.js';
import { Does } from '../platform/http/does.js';
import { InShare } from '../platform/http/limits/shares.js';
import { IncidentsView, QueryIncidentsDto } from './incidents.dto.js';
import { IncidentsService } from './incidents.service.js';
import { CausesView, InstancesView, QueryThroughputDto, RefusingView, ThroughputView } from './operations.dto.js';
import { ParkedService } from './parked.service.js';
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
    private readonly incidents: IncidentsService,
    private readonly entries: AuditReader,
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
    'Errors that differ only in numbers and ids have the same cause. For each cause: the number of jobs by restaurant, the time of the ' +
      'first, examples, and a shell command that resets exactly these jobs.',
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

  @Get('incidents')
  @InShare('reports')
  @Does(
    'Lists what needs the operator',
    'Restaurants whose POS accepts nothing, by what it answers; orders that are due and not sent, with a forecast; a slow database; sender keys ' +
      'that are refused.',
  )
  @ApiOkResponse({ type: IncidentsView, description: 'the incidents of now; perhaps none' })
  async listIncidents(@Query() { language }: QueryIncidentsDto): Promise<IncidentsView> {
    return { data: await this.incidents.list(language) };
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
}
