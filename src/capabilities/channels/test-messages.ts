import { Injectable } from '@nestjs/common';
import type { CurrentUser } from '../../auth/principal.js';
import { AHEAD } from '../../platform/database/clock.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import type { Language } from '../../platform/http/fields/languages.js';
import { problem } from '../../platform/http/problem.js';
import type { Sent } from './channel.js';
import { newConfirmToken } from './confirm-token.js';
import { CHANNEL_CODES } from './error-codes.js';
import { Mail } from './mail.js';
import { languageOf } from './notifications.service.js';
import { Push } from './push.js';
import { confirmMessage } from './test-message.js';
import { lockTestMails, refuseBeyondTestQuota } from './test-quota.js';

/** The least time between two test messages of a user by one channel; seconds (L44). */
const INTERVAL_SECONDS = 60;

/** Sends test messages, whose tokens confirm a channel (G21). */
@Injectable()
export class TestMessages {
  /** ends when the mail that is being counted, and those that wait before, are counted */
  private counting = Promise.resolve();

  constructor(
    private readonly prisma: PrismaService,
    private readonly push: Push,
    private readonly mail: Mail,
  ) {}

  /**
   * Sends a test message to the address of the user, or to each of the user's devices.
   * @param language of a user who has chosen none: it is kept (G29)
   * @returns what became of it
   * @throws 409 CHANNEL_UNAVAILABLE, 429 TOO_MANY_TESTS
   */
  async send(user: CurrentUser, channel: 'push' | 'mail', chosen: Language = 'en'): Promise<Sent> {
    if (!this[channel].isAvailable)
      throw problem(CHANNEL_CODES.CHANNEL_UNAVAILABLE, `this relay does not send by ${channel}`);
    if (channel === 'push' && (await this.prisma.device.count({ where: { userId: user.id } })) === 0)
      throw problem(CHANNEL_CODES.CHANNEL_UNAVAILABLE, 'no device of yours is registered');
    if (channel === 'push') await this.takeMinute(this.prisma, user.id, channel, chosen);
    else await this.takeMail(user.id, chosen);
    const row = await this.prisma.notificationPreferences.findUnique({ where: { userId: user.id } });
    const language = languageOf(row?.language);
    return channel === 'mail' ? this.sendMail(user, language) : this.sendPushes(user.id, language);
  }

  /**
   * Takes the minute and counts the mail, both or neither. One at a time of this process: who waits for the lock of all instances has a connection
   * that sales need.
   * @throws 429 TOO_MANY_TESTS (L44, G46)
   */
  private takeMail(userId: string, chosen: Language): Promise<void> {
    const counted = this.counting.then(() => this.countMail(userId, chosen));
    this.counting = counted.catch(() => {});
    return counted;
  }

  private countMail(userId: string, chosen: Language): Promise<void> {
    return this.prisma.$transaction(async (tx) => {
      await lockTestMails(tx);
      await this.takeMinute(tx, userId, 'mail', chosen);
      await refuseBeyondTestQuota(tx, userId);
    });
  }

  /** One statement, so that of simultaneous requests one gets the minute. */
  private async takeMinute(
    tx: Prisma.TransactionClient,
    userId: string,
    channel: 'push' | 'mail',
    chosen: Language,
  ): Promise<void> {
    const column = Prisma.raw(channel === 'push' ? 'push_tested_at' : 'mail_tested_at');
    const counted =
      channel === 'push'
        ? Prisma.empty
        : Prisma.sql`, mail_tests = CASE WHEN known.mail_tested_at > now() - interval '1 day' THEN known.mail_tests ELSE 0 END + 1`;
    const taken = await tx.$executeRaw`
      INSERT INTO notification_preferences AS known (user_id, ${column}, mail_tests, language)
      VALUES (${userId}::uuid, now(), ${channel === 'mail' ? 1 : 0}::int, ${chosen})
      ON CONFLICT (user_id) DO UPDATE SET ${column} = now()${counted}
      WHERE known.${column} IS NULL OR known.${column} NOT BETWEEN now() - ${INTERVAL_SECONDS}::int * interval '1 second' AND ${Prisma.raw(AHEAD)}`;
    if (taken > 0) return;
    const text = 'a test message was sent less than a minute ago';
    throw problem(CHANNEL_CODES.TOO_MANY_TESTS, text, INTERVAL_SECONDS);
  }

  private async sendMail({ id: userId, email }: CurrentUser, language: Language) {
    const { token, digest, until } = newConfirmToken();
    const data = { mailConfirmHash: digest, mailConfirmUntil: until };
    await this.prisma.notificationPreferences.update({ where: { userId }, data });
    return this.mail.send(email, confirmMessage(language, token));
  }

  /** Each device gets a token of its own. */
  private async sendPushes(userId: string, language: Language): Promise<Sent> {
    const devices = await this.prisma.device.findMany({ where: { userId } });
    const all = await Promise.all(
      devices.map(async (device) => {
        const { token, digest, until } = newConfirmToken();
        const data = { confirmHash: digest, confirmUntil: until };
        await this.prisma.device.updateMany({ where: { id: device.id, userId }, data });
        return this.push.send(device, confirmMessage(language, token));
      }),
    );
    return all.find(({ outcome }) => outcome === 'SENT') ?? all[0] ?? { outcome: 'FAILED', reason: 'no device' };
  }
}
