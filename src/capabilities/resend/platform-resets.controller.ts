import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { PlatformAdmin } from '../../auth/platform-admin.guard.js';
import { Acting } from '../../auth/principal.js';
import type { Actor } from '../../platform/audit/actions.js';
import { Does } from '../../platform/http/does.js';
import { InShare } from '../../platform/http/limits/shares.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { ResetJobsDto } from './job-reset.dto.js';
import { OperatorAction } from './operator-actions.guard.js';
import { ResetView } from './resend.dto.js';
import { Resets } from './resets.js';

/** Resets of jobs by platform administrators (R9). */
@ApiTags('admin')
@PlatformAdmin()
@Controller('admin')
export class PlatformResetsController {
  constructor(private readonly resets: Resets) {}

  @Post('jobs/reset')
  @InShare('reports')
  @HttpCode(200)
  @OperatorAction()
  @Does(
    'Resets parked and failed jobs',
    'Only with RESEND=operators or restaurants. They are sent again, due now and with attempts 0. Never a job that is being sent, was ' +
      'delivered, or whose order was cancelled before it was sent. `dryRun` counts. Each reset is audited.',
  )
  @Refuses('RESTAURANT_PAUSED')
  @ApiOkResponse({ type: ResetView, description: 'how many jobs were found, and how many of them were reset' })
  resetJobs(@Acting() actor: Actor, @Body() body: ResetJobsDto): Promise<ResetView> {
    const { dryRun, limit, ...filter } = body;
    return this.resets.reset(actor, filter, { dryRun, limit });
  }
}
