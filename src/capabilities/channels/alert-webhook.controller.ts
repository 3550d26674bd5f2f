import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ADMINISTERING_ROLES } from '../../domain/role.js';
import { Does } from '../../platform/http/does.js';
import { MessageView } from '../../platform/http/fields/message.view.js';
import { TakesNoTurn } from '../../platform/http/limits/shares.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CallerLink, ForRoles, type Link } from '../../user-links/restaurant.guard.js';
import { AlertWebhookAnswerView, AlertWebhookDto, AlertWebhookSavedView } from './alert-webhook.dto.js';
import { AlertWebhookService } from './alert-webhook.service.js';
import { CHANNEL_CODES } from './error-codes.js';

/** The webhook of a restaurant for its alerts (G27). */
@ApiTags('notifications')
@Controller('restaurants/:restaurantId/alert-webhook')
export class AlertWebhookController {
  constructor(private readonly webhooks: AlertWebhookService) {}

  @Get()
  @ForRoles(...ADMINISTERING_ROLES)
  @Does("Returns the restaurant's alert webhook", 'Without its secret.')
  @ApiOkResponse({ type: AlertWebhookAnswerView, description: 'the webhook' })
  async readAlertWebhook(@CallerLink() { restaurantId }: Link): Promise<AlertWebhookAnswerView> {
    return { data: await this.webhooks.read(restaurantId) };
  }

  @Put()
  @TakesNoTurn()
  @ForRoles(...ADMINISTERING_ROLES)
  @Refuses(CHANNEL_CODES.ADDRESS_REFUSED, CHANNEL_CODES.TOO_MANY_TESTS, 'QUOTA_REACHED')
  @Does(
    "Sets the restaurant's alert webhook",
    'Sends a test message at once; a 2xx confirms the webhook. A new address gets a new secret, which is shown this once. The same ' +
      'address keeps its secret and is tested again. It is audited.',
  )
  @ApiOkResponse({ type: AlertWebhookSavedView, description: 'the webhook, and what became of the test message' })
  async setAlertWebhook(@CallerLink() caller: Link, @Body() { url }: AlertWebhookDto): Promise<AlertWebhookSavedView> {
    const data = await this.webhooks.set(caller, url);
    return { message: data.confirmed ? 'the webhook is confirmed' : 'the webhook is not confirmed yet', data };
  }

  @Delete()
  @ForRoles(...ADMINISTERING_ROLES)
  @Does("Removes the restaurant's alert webhook", 'It is audited.')
  @ApiOkResponse({ type: MessageView, description: 'the webhook is removed' })
  async removeAlertWebhook(@CallerLink() caller: Link): Promise<MessageView> {
    await this.webhooks.remove(caller);
    return { message: 'webhook removed' };
  }
}
