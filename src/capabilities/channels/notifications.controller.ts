import { Body, Controller, Get, HttpCode, HttpStatus, Post, Put } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Authenticated, Caller, type CurrentUser } from '../../auth/principal.js';
import { Does } from '../../platform/http/does.js';
import { TakesNoTurn } from '../../platform/http/limits/shares.js';
import { Refuses } from '../../platform/http/openapi/errors.js';
import { CHANNEL_CODES } from './error-codes.js';
import {
  ChannelConfirmedView,
  ConfirmChannelDto,
  NotificationsAnswerView,
  NotificationsDto,
  NotificationsSavedView,
  TestMessageDto,
  TestMessageSentView,
} from './notifications.dto.js';
import { NotificationsService } from './notifications.service.js';
import { TestMessages } from './test-messages.js';

/** How the current user is notified of alerts (G21, G29). */
@ApiTags('notifications')
@Controller('users/me/notifications')
export class NotificationsController {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly tests: TestMessages,
  ) {}

  @Get()
  @Authenticated()
  @Does(
    'Returns the notification settings of the current user',
    'The preferences of the user, and the channels of this relay.',
  )
  @ApiOkResponse({ type: NotificationsAnswerView, description: 'the preferences and the channels' })
  async readNotifications(@Caller() user: CurrentUser): Promise<NotificationsAnswerView> {
    return { data: await this.notifications.read(user) };
  }

  @Put()
  @Authenticated()
  @Does(
    'Sets the notification settings of the current user',
    'Replaces all preferences. A channel that is switched on counts once a test message was confirmed: per device, and for the address.',
  )
  @ApiOkResponse({ type: NotificationsSavedView, description: 'the preferences after the change' })
  async writeNotifications(
    @Caller() user: CurrentUser,
    @Body() body: NotificationsDto,
  ): Promise<NotificationsSavedView> {
    return { message: 'preferences saved', data: await this.notifications.write(user, body) };
  }

  @Post('test')
  @TakesNoTurn()
  @HttpCode(HttpStatus.ACCEPTED)
  @Authenticated()
  @Refuses(CHANNEL_CODES.CHANNEL_UNAVAILABLE, CHANNEL_CODES.TOO_MANY_TESTS)
  @Does(
    'Sends a test message',
    'To the address of the user, or to each device of the user, at most once a minute. Its link confirms the channel; it is valid for a day.',
  )
  @ApiAcceptedResponse({ type: TestMessageSentView, description: 'what became of the message' })
  async sendTestMessage(
    @Caller() user: CurrentUser,
    @Body() { channel, language }: TestMessageDto,
  ): Promise<TestMessageSentView> {
    const sent = await this.tests.send(user, channel, language);
    const reason = sent.outcome === 'SENT' ? null : sent.reason;
    const message = reason === null ? 'the test message is on its way' : 'the test message was not sent';
    return { message, data: { outcome: sent.outcome, reason } };
  }

  @Post('confirm')
  @HttpCode(HttpStatus.OK)
  @Authenticated()
  @Refuses(CHANNEL_CODES.TOKEN_REFUSED)
  @Does(
    'Confirms a channel by the token of its test message',
    'By the user to whom the message was sent, once. Opening the link alone confirms nothing.',
  )
  @ApiOkResponse({ type: ChannelConfirmedView, description: 'the channel is confirmed' })
  async confirmChannel(
    @Caller() user: CurrentUser,
    @Body() { token }: ConfirmChannelDto,
  ): Promise<ChannelConfirmedView> {
    const channel = await this.notifications.confirm(user, token);
    return { message: 'confirmed', data: { channel } };
  }
}
