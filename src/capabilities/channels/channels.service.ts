import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { reasonOf } from '../../platform/database/errors.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { type Language } from '../../platform/http/fields/languages.js';
import { Log } from '../../platform/telemetry/log.js';
import { withLimit } from '../../platform/time-limit.js';
import { type Channel, Channels, type Message, type Preferences, type Recipient, type Sent } from './channel.js';
import { Mail } from './mail.js';
import { Push } from './push.js';
import { Webhook } from './webhook.js';

/** The deadline of a try, in ms (G20). */
const DEADLINE_MS = 14_500;

interface PreferencesRow {
  readonly userId: string;
  readonly push: boolean;
  readonly mail: boolean;
  readonly language: Language;
  readonly always: boolean;
  readonly from: string | null;
  readonly until: string | null;
}

/** Sends messages by push, mail and webhook (G20). */
@Injectable()
export class ChannelsService extends Channels {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly push: Push,
    private readonly mail: Mail,
    private readonly webhook: Webhook,
    private readonly log: Log,
  ) {
    super();
  }

  async preferencesOf(userIds: readonly string[]): Promise<Preferences[]> {
    if (userIds.length === 0) return [];
    const rows = await this.prisma.$queryRaw<PreferencesRow[]>`
      SELECT users.id::text AS "userId", coalesce(language, 'en') AS language, coalesce(always, false) AS always,
        quiet_from AS "from", quiet_until AS until,
        ${this.push.isAvailable} AND coalesce(push, true)
          AND EXISTS (SELECT 1 FROM devices WHERE user_id = users.id AND confirmed_at IS NOT NULL) AS push,
        ${this.mail.isAvailable} AND coalesce(mail, true) AND mail_confirmed_at IS NOT NULL AS mail
      FROM users LEFT JOIN notification_preferences ON user_id = users.id
      WHERE users.id = ANY(${[...userIds]}::uuid[])`;
    return rows
      .map(({ userId, push, mail, language, always, from, until }) => {
        const channels: Channel[] = [...(push ? (['push'] as const) : []), ...(mail ? (['mail'] as const) : [])];
        const quiet = from !== null && until !== null ? { from, until } : null;
        return { userId, channels, language, always, quiet };
      })
      .filter(({ channels }) => channels.length > 0);
  }

  async hasWebhook(restaurantId: string | null): Promise<boolean> {
    if (restaurantId === null) return this.config.alerts.webhook !== undefined;
    const where = { restaurantId, confirmedAt: { not: null }, restaurant: { deletedAt: null } };
    return (await this.prisma.alertWebhook.count({ where })) > 0;
  }

  async send(recipient: Recipient, message: Message): Promise<Sent> {
    const { channel } = recipient;
    const tried = this.trySend(recipient, message).catch((error: unknown): Sent => {
      this.log.warn({ event: 'channels.not_sent', channel, message: message.id, error: reasonOf(error) });
      return { outcome: 'RETRY', reason: 'the relay could not send: its log says why' };
    });
    const late = (): Sent => ({ outcome: 'RETRY', reason: 'it took too long' });
    const sent = await withLimit(DEADLINE_MS, tried, late);
    this.log.info({ event: 'channels.tried', channel, message: message.id, ...sent });
    return sent;
  }

  private async trySend(recipient: Recipient, message: Message): Promise<Sent> {
    if (recipient.channel === 'webhook') return this.webhook.sendTo(recipient.restaurantId, message);
    return recipient.channel === 'push'
      ? this.push.sendToUser(recipient.userId, message)
      : this.mail.sendToUser(recipient.userId, message, recipient.isToAccount);
  }
}
