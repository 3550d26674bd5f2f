import { Injectable } from '@nestjs/common';
import { AttemptWindows } from '../../auth/attempt-windows.js';
import { founderSql } from '../../auth/founder.js';
import type { PasswordSender } from '../../auth/password-queue.js';
import { normalizeEmail } from '../../domain/account.js';
import { Config } from '../../platform/config/config.js';
import { reasonOf } from '../../platform/database/errors.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { networkOf } from '../../platform/http/limits/network.js';
import { TokenLookUps } from '../../platform/http/limits/token-look-ups.js';
import { problem } from '../../platform/http/problem.js';
import { Log } from '../../platform/telemetry/log.js';
import { CHANNEL_CODES } from '../channels/error-codes.js';
import { Outgoing } from '../channels/outgoing.js';
import { VALID_HOURS, VALID_NOW } from './password-link.js';
import type { AskForPasswordLinkDto } from './password-links.dto.js';
import { PASSWORD_MAIL } from './password-mail.js';

const HOUR_MS = 3_600_000;
/** The most requests of a network in an hour (L208). */
const MOST_OF_NETWORK = 20;
/** The most mails of an account in an hour (L208). */
const MOST_OF_ACCOUNT = 3;
/** The most mails of a founder in an hour, to addresses that nobody has confirmed. */
const MOST_OF_FOUNDER = 20;
/** The most requests that are being written. */
const MOST_PENDING = 20;

const UNCONFIRMED = Prisma.sql`NOT EXISTS (
  SELECT FROM notification_preferences WHERE user_id = person.id AND mail_confirmed_at IS NOT NULL)`;
const FOUNDER = Prisma.raw(founderSql('person.id'));

/**
 * Requests for a link by mail (A44). The answer does not wait for the database: what it takes to find an account and to write its mail would say
 * whether there is one.
 */
@Injectable()
export class PasswordRequests {
  private readonly networks = new AttemptWindows(HOUR_MS);
  private pending = 0;

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly lookUps: TokenLookUps,
    private readonly outgoing: Outgoing,
    private readonly log: Log,
  ) {}

  /** @throws 409 CHANNEL_UNAVAILABLE: SMTP_URL is not set; 429 TOO_MANY_REQUESTS (L208); 503 TOO_MANY_AT_ONCE */
  ask({ email, language = 'en' }: AskForPasswordLinkDto, { address }: PasswordSender): void {
    if (!this.config.alerts.mail) {
      const text = 'this relay sends no mail: an owner of the restaurant or an operator makes a link';
      throw problem(CHANNEL_CODES.CHANNEL_UNAVAILABLE, text);
    }
    const [network, now] = [networkOf(address), performance.now()];
    const waitS = Math.ceil(this.networks.waitOf(network, MOST_OF_NETWORK, now) / 1_000);
    if (waitS > 0) throw problem('TOO_MANY_REQUESTS', `too many requests; try again in ${waitS} s`, waitS);
    if (this.pending >= MOST_PENDING) throw problem('TOO_MANY_AT_ONCE', 'too many requests at once; try again', 1);
    this.networks.add(network, now);
    this.pending++;
    this.lookUps
      .run({ address }, () => this.write(normalizeEmail(email), language))
      .then(() => this.outgoing.send())
      .catch((error: unknown) => this.log.warn({ event: 'password_link.not_written', error: reasonOf(error) }))
      .finally(() => this.pending--);
  }

  /** Writes the link, without its token, and its mail. Nothing for an email without an account, and beyond {@link MOST_OF_ACCOUNT} and {@link MOST_OF_FOUNDER}. */
  private async write(email: string, language: string): Promise<void> {
    await this.prisma.$executeRaw`
      WITH asked AS MATERIALIZED (
        SELECT id, token_version, ${UNCONFIRMED} AS unconfirmed, ${FOUNDER} AS founder FROM users person WHERE email = ${email}
      ), made AS (
        INSERT INTO password_links (user_id, token_version, expires_at)
        SELECT id, token_version, now() + ${VALID_HOURS.mailed}::int * interval '1 hour' FROM asked
        WHERE (SELECT count(*) FROM password_links WHERE user_id = asked.id AND made_by IS NULL AND ${VALID_NOW}) < ${MOST_OF_ACCOUNT}::int
          AND NOT (unconfirmed AND (
            SELECT count(*) FROM password_links JOIN users person ON person.id = user_id
            WHERE made_by IS NULL AND ${VALID_NOW} AND ${UNCONFIRMED} AND ${FOUNDER} = asked.founder) >= ${MOST_OF_FOUNDER}::int)
        RETURNING id, user_id
      )
      INSERT INTO notifications (id, message_kind, subject, number, channel, recipient, user_id, language)
      SELECT gen_random_uuid(), ${PASSWORD_MAIL}, made.id, 0, 'mail', 'user:' || made.user_id, made.user_id, coalesce(preferences.language, ${language})
      FROM made LEFT JOIN notification_preferences preferences ON preferences.user_id = made.user_id`;
  }
}
