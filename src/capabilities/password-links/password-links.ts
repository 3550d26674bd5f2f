import { Injectable } from '@nestjs/common';
import { AuthService } from '../../auth/auth.service.js';
import type { PasswordSender } from '../../auth/password-queue.js';
import { refuseGuessable } from '../../auth/passwords.js';
import { Revocations } from '../../auth/revocations.js';
import { TokenEnds } from '../../auth/token-ends.js';
import { type Actor, auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import type { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { TokenLookUps } from '../../platform/http/limits/token-look-ups.js';
import { problem } from '../../platform/http/problem.js';
import { digestOf, newToken } from '../../platform/secrets/token.js';
import { PASSWORD_LINK_CODES } from './error-codes.js';
import { MAY_MAKE, passwordPage, TOKEN_PREFIX, VALID_HOURS, VALID_NOW } from './password-link.js';

const PASSWORD_LINK_MADE = auditAction('user.password_link_made', { mostInADay: 100 });
const PASSWORD_REPLACED = auditAction('auth.password_replaced', { mostInADay: 20 });

/** A link that can be used now. */
interface Found {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly isByMail: boolean;
}

/** Makes links to a new password, and sets the password (A43, A45). */
@Injectable()
export class PasswordLinks {
  constructor(
    private readonly prisma: PrismaService,
    private readonly auth: AuthService,
    private readonly audit: AuditTrail,
    private readonly lookUps: TokenLookUps,
    private readonly revocations: Revocations,
    private readonly tokens: TokenEnds,
  ) {}

  /**
   * Makes a link for a person (A45). Only its digest is stored.
   * @param restaurantId where the person works; null: the actor is a platform administrator
   * @throws 404 NOT_FOUND, 409 NOT_ONLY_YOURS, 429 QUOTA_REACHED; those of `Actor.confirm`
   */
  async make(
    actor: Actor,
    userId: string,
    restaurantId: string | null,
  ): Promise<{ readonly link: string; readonly expiresAt: Date }> {
    const token = newToken(TOKEN_PREFIX);
    const expiresAt = await this.prisma.$transaction(async (tx) => {
      const [person] = await tx.$queryRaw<{ email: string; may: boolean }[]>`
        SELECT person.email, ${MAY_MAKE} AS may
        FROM users person JOIN users maker ON maker.id = ${actor.userId}::uuid
        WHERE person.id = ${userId}::uuid AND (${restaurantId}::uuid IS NULL OR EXISTS (
          SELECT FROM user_restaurants WHERE user_id = person.id AND restaurant_id = ${restaurantId}::uuid))`;
      if (!person) throw problem('NOT_FOUND', 'there is no such user');
      if (!person.may) throw problem(PASSWORD_LINK_CODES.NOT_ONLY_YOURS, 'only a mail can replace this password');
      const [made] = await tx.$queryRaw<{ expiresAt: Date }[]>`
        INSERT INTO password_links (user_id, token_hash, token_version, made_by, expires_at)
        SELECT id, ${digestOf(token)}, token_version, ${actor.userId}::uuid, now() + ${VALID_HOURS.made}::int * interval '1 hour'
        FROM users WHERE id = ${userId}::uuid RETURNING expires_at AS "expiresAt"`;
      await this.audit.record(tx, actor, { action: PASSWORD_LINK_MADE, restaurantId, target: person.email });
      return (made as { expiresAt: Date }).expiresAt;
    });
    return { link: passwordPage(token), expiresAt };
  }

  /**
   * Sets the password of the link's account. Every session and token of the account ends, and the link (A43).
   * @returns the email of the account
   * @throws 404 PASSWORD_LINK_NOT_FOUND, 422 GUESSABLE_PASSWORD (A33); 429 TOO_MANY_REQUESTS (A9) or QUOTA_REACHED; 503
   *   TOO_MANY_PASSWORD_CHECKS (A7) or TOO_MANY_AT_ONCE (A39); ClientGoneError
   */
  async use(token: string, password: string, sender: PasswordSender): Promise<string> {
    // the link is read before the password is hashed, so that a wrong token costs only one look-up
    const { email } = await this.lookUps.run(sender, () => find(this.prisma, token));
    refuseGuessable({ email, password });
    const passwordHash = await this.auth.hashNew(email, password, sender);
    const { requestId = null, address } = sender;
    await this.prisma.$transaction(async (tx) => {
      // again: the link may have been used, and the rights of its maker may have ended, while the password was hashed
      const { id, userId, isByMail } = await find(tx, token);
      // of two uses at once one deletes it
      const used = await tx.$executeRaw`DELETE FROM password_links WHERE id = ${id}::uuid`;
      if (used === 0) throw notFound();
      await this.tokens.replacePassword(tx, userId, passwordHash);
      const details = { address, by: isByMail ? 'mail' : 'link' };
      await this.audit.recordOwn(tx, { userId, email, requestId }, { action: PASSWORD_REPLACED, details });
    });
    this.revocations.announce();
    return email;
  }
}

/** Finds a link that can be used now: its maker may still make it, and the password is that of then. @throws 404 PASSWORD_LINK_NOT_FOUND */
async function find(client: Prisma.TransactionClient, token: string): Promise<Found> {
  const [found] = await client.$queryRaw<Found[]>`
    SELECT link.id::text, person.id::text AS "userId", person.email, link.made_by IS NULL AS "isByMail"
    FROM password_links link
    JOIN users person ON person.id = link.user_id AND person.token_version = link.token_version
    LEFT JOIN users maker ON maker.id = link.made_by
    WHERE link.token_hash = ${digestOf(token)} AND ${VALID_NOW} AND (link.made_by IS NULL OR ${MAY_MAKE})`;
  if (!found) throw notFound();
  return found;
}

function notFound() {
  const text = 'this link is wrong, was used, or has expired; ask for a new one';
  return problem(PASSWORD_LINK_CODES.PASSWORD_LINK_NOT_FOUND, text);
}
