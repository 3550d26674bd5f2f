import { Injectable } from '@nestjs/common';
import type { CurrentUser } from '../../auth/principal.js';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { LANGUAGES, type Language } from '../../platform/http/fields/languages.js';
import { problem } from '../../platform/http/problem.js';
import { digestOf } from '../../platform/secrets/token.js';
import { CHANNEL_CODES } from './error-codes.js';
import type { NotificationsDto, NotificationsView } from './notifications.dto.js';
import { PushKeys } from './push-keys.js';

const DEFAULTS = {
  ...{ push: true, mail: true, language: 'en', always: false, closings: true },
  ...{ quietFrom: null, quietUntil: null, mailConfirmedAt: null },
};

/** How a user wants to be notified, and the confirmation of the user's channels (G21, G29). */
@Injectable()
export class NotificationsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly pushKeys: PushKeys,
  ) {}

  async read({ id, email }: CurrentUser): Promise<NotificationsView> {
    const found = (await this.prisma.notificationPreferences.findUnique({ where: { userId: id } })) ?? DEFAULTS;
    const { push, mail, always, closings, quietFrom: from, quietUntil: until } = found;
    const { contact, mail: mailServer } = this.config.alerts;
    return {
      ...{ push, mail, always, closings, language: languageOf(found.language) },
      quiet: from !== null && until !== null ? { from, until } : null,
      channels: {
        push: {
          available: contact !== undefined,
          publicKey: contact === undefined ? null : (await this.pushKeys.read()).publicKey,
        },
        mail: { available: mailServer !== undefined, confirmed: found.mailConfirmedAt !== null, address: email },
      },
    };
  }

  /** Sets all preferences of the user; `closings` only if it was sent, because older clients do not know it. */
  async write(
    user: CurrentUser,
    { quiet, push, mail, language, always, closings }: NotificationsDto,
  ): Promise<NotificationsView> {
    const data = {
      ...{ push, mail, language, always },
      ...(closings !== undefined && { closings }),
      ...{ quietFrom: quiet?.from ?? null, quietUntil: quiet?.until ?? null },
    };
    const where = { userId: user.id };
    await this.prisma.notificationPreferences.upsert({ where, create: { ...where, ...data }, update: data });
    return this.read(user);
  }

  /**
   * Confirms the channel of a test message, once (G21).
   * @returns the channel
   * @throws 422 TOKEN_REFUSED when the token is wrong, used, expired, or of a message to another user
   */
  async confirm({ id: userId }: CurrentUser, token: string): Promise<'push' | 'mail'> {
    const digest = digestOf(token);
    const devices = await this.prisma.$executeRaw`
      UPDATE devices SET confirmed_at = now(), confirm_hash = NULL, confirm_until = NULL
      WHERE user_id = ${userId}::uuid AND confirm_hash = ${digest} AND confirm_until > now()`;
    if (devices > 0) return 'push';
    const addresses = await this.prisma.$executeRaw`
      UPDATE notification_preferences SET mail_confirmed_at = now(), mail_confirm_hash = NULL, mail_confirm_until = NULL
      WHERE user_id = ${userId}::uuid AND mail_confirm_hash = ${digest} AND mail_confirm_until > now()`;
    if (addresses > 0) return 'mail';
    throw problem(
      CHANNEL_CODES.TOKEN_REFUSED,
      'this link does not confirm anything: it was used before, is older than a day, or was sent to somebody else; ask for a new test message',
    );
  }
}

/** A language of a row; another version of the relay may have written one that this version does not know. */
export function languageOf(text: string | undefined): Language {
  return LANGUAGES.find((language) => language === text) ?? 'en';
}
