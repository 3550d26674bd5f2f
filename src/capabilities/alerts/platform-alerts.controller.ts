import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { PlatformAdmin } from '../../auth/platform-admin.guard.js';
import { Acting } from '../../auth/principal.js';
import type { Actor } from '../../platform/audit/actions.js';
import { Does } from '../../platform/http/does.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { Acknowledgements } from './acknowledgements.js';
import { AcknowledgedView, AlertPageView, AlertsQueryDto } from './alerts.dto.js';
import { AlertsReader } from './alerts-reader.js';
import { ALERT_CODES } from './error-codes.js';

/** The alerts of the platform (G11). */
@ApiTags('admin')
@PlatformAdmin()
@Controller('admin/alerts')
export class PlatformAlertsController {
  constructor(
    private readonly reader: AlertsReader,
    private readonly acknowledgements: Acknowledgements,
  ) {}

  @Get()
  @Does('Lists the alerts of the platform', 'As those of a restaurant.')
  @ApiOkResponse({ type: AlertPageView, description: 'one page of alerts' })
  listPlatformAlerts(@Query() query: AlertsQueryDto): Promise<AlertPageView> {
    return this.reader.list(null, query);
  }

  @Post(':alertId/acknowledge')
  @HttpCode(200)
  @Refuses(ALERT_CODES.ALERT_CLOSED, 'NOT_FOUND')
  @Does('Acknowledges an alert of the platform', 'As that of a restaurant.')
  @ApiOkResponse({ type: AcknowledgedView, description: 'it is acknowledged, perhaps by somebody before' })
  async acknowledgePlatformAlert(@Acting() actor: Actor, @UuidParam('alertId') id: string): Promise<AcknowledgedView> {
    return {
      message: 'acknowledged: nobody else is notified',
      data: await this.acknowledgements.acknowledge(actor, null, id),
    };
  }
}
