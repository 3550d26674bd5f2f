import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { PasswordSender } from '../../auth/password-queue.js';
import { Public, SentBy } from '../../auth/principal.js';
import { Does } from '../../platform/http/does.js';
import { UuidParam } from '../../platform/http/fields/uuid.pipe.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForPermission, type Link } from '../../user-links/restaurant.guard.js';
import { Acknowledgements } from './acknowledgements.js';
import { ACKNOWLEDGE_PERMISSIONS } from './alert.js';
import { AcknowledgeDto, AcknowledgedView, AlertOfTokenView, AlertPageView, AlertsQueryDto } from './alerts.dto.js';
import { AlertsReader } from './alerts-reader.js';
import { ALERT_CODES } from './error-codes.js';

const MESSAGE = 'acknowledged: nobody else is notified';

/** The alerts of a restaurant (G11). */
@ApiTags('restaurants')
@Controller('restaurants/:restaurantId/alerts')
export class AlertsController {
  constructor(
    private readonly reader: AlertsReader,
    private readonly acknowledgements: Acknowledgements,
  ) {}

  @Get()
  @ForPermission('view_data')
  @Does(
    'Lists alerts',
    'The open ones first, then the closed ones of 30 days, newest first, with their notifications. Paged by cursor.',
  )
  @ApiOkResponse({ type: AlertPageView, description: 'one page of alerts' })
  listAlerts(@CallerLink() { restaurantId }: Link, @Query() query: AlertsQueryDto): Promise<AlertPageView> {
    return this.reader.list(restaurantId, query);
  }

  @Post(':alertId/acknowledge')
  @HttpCode(200)
  @ForPermission(...ACKNOWLEDGE_PERMISSIONS)
  @Refuses(ALERT_CODES.ALERT_CLOSED, 'NOT_FOUND')
  @Does(
    'Acknowledges an alert',
    'Stops further notifications. The alert closes by itself when its cause is gone. The act is audited.',
  )
  @ApiOkResponse({ type: AcknowledgedView, description: 'it is acknowledged, perhaps by somebody before' })
  async acknowledgeAlert(@CallerLink() caller: Link, @UuidParam('alertId') id: string): Promise<AcknowledgedView> {
    return { message: MESSAGE, data: await this.acknowledgements.acknowledge(caller, caller.restaurantId, id) };
  }
}

/** Acknowledges by the token of a message (G9): POST only, because programs that scan mails follow links. */
@ApiTags('restaurants')
@Controller('alerts')
export class AlertTokensController {
  constructor(private readonly acknowledgements: Acknowledgements) {}

  @Public()
  @Post('read')
  @HttpCode(200)
  @Refuses(ALERT_CODES.ALERT_TOKEN_INVALID, 'TOO_MANY_AT_ONCE')
  @Does(
    'Reads what the token of a message is about',
    'What the message says, as it holds now. It acknowledges nothing.',
  )
  @ApiOkResponse({ type: AlertOfTokenView, description: 'what the alert says' })
  readByToken(@Body() { token }: AcknowledgeDto, @SentBy() sender: PasswordSender): Promise<AlertOfTokenView> {
    return this.acknowledgements.readByToken(token, sender);
  }

  @Public()
  @Post('acknowledge')
  @HttpCode(200)
  @Refuses(ALERT_CODES.ALERT_TOKEN_INVALID, 'TOO_MANY_AT_ONCE')
  @Does(
    'Acknowledges an alert by the token of a message',
    'The token is for one person and one alert, works once, and expires after 24 h.',
  )
  @ApiOkResponse({ type: AcknowledgedView, description: 'it is acknowledged, perhaps by somebody before' })
  async acknowledgeByToken(
    @Body() { token }: AcknowledgeDto,
    @SentBy() sender: PasswordSender,
  ): Promise<AcknowledgedView> {
    return { message: MESSAGE, data: await this.acknowledgements.acknowledgeByToken(token, sender) };
  }
}
