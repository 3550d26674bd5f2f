import { Injectable } from '@nestjs/common';
import { type Actor, auditAction } from '../platform/audit/actions.js';
import { AuditTrail } from '../platform/audit/audit-trail.js';
import { Config } from '../platform/config/config.js';
import type { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { problem } from '../platform/http/problem.js';
import { Log } from '../platform/telemetry/log.js';
import type { LoginView } from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { ConsoleSessions } from './console-sessions.js';
import { PASSWORD_CODES } from './error-codes.js';
import { LoginThrottle } from './login-throttle.js';
import type { PasswordSender } from './password-queue.js';
import { Passwords } from './passwords.js';
import { Revocations } from './revocations.js';

const AUTH_PASSWORD_CHANGED = auditAction('auth.password_changed', { mostInADay: 50 });
/** A platform administrator ended all sessions and tokens of a user. */
const AUTH_SESSIONS_ENDED = auditAction('auth.sessions_ended');

/**
 * Ends all tokens and sessions of a user, by a new password or by an administrator. A trigger then takes the confirmation from the user's devices
 * (A41).
 */
@Injectable()
export class TokenEnds {
  constructor(
    private readonly prisma: PrismaService,
    private readonly auth: AuthService,
    private readonly passwords: Passwords,
    private readonly throttle: LoginThrottle,
    private readonly sessions: ConsoleSessions,
    private readonly revocations: Revocations,
    private readonly audit: AuditTrail,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Changes a user's password. Every token issued before becomes invalid (A3, A11), and every session of the console except `session`
   * ends (N4).
   * @param caller must still have the right at the end (A40): the check of the password may wait
   * @param session the id of the session of the console to keep; undefined: none
   * @returns a new token, which names `session` if there is one
   * @throws 400 WRONG_PASSWORD, 401, 422 SAME_PASSWORD or GUESSABLE_PASSWORD, 429 TOO_MANY_REQUESTS or QUOTA_REACHED, 503
   *   TOO_MANY_PASSWORD_CHECKS; ClientGoneError
   */
  async changePassword(
    { userId, confirm }: Actor,
    current: string,
    next: string,
    sender: PasswordSender,
    session?: string,
  ): Promise<LoginView> {
    const user = await this.prisma.user.findUniqueOrThrow({ where: { id: userId } });
    const { requestId = null, address } = sender;
    const actor = { userId, email: user.email, requestId };
    await this.audit.refuseBeyondQuota(actor, AUTH_PASSWORD_CHANGED);
    const takeBack = this.throttle.count(user.email, sender.address);
    const sent = { account: user.email, password: current, stored: user.passwordHash };
    if (!(await this.passwords.matches(sent, sender))) throw wrongPassword();
    takeBack();
    if (next === current) throw problem(PASSWORD_CODES.SAME_PASSWORD, 'newPassword must differ from currentPassword');
    const passwordHash = await this.passwords.hashNew(
      { field: 'newPassword', password: next, email: user.email },
      sender,
    );
    await this.prisma.$transaction(async (tx) => {
      await confirm?.(tx);
      const { count } = await tx.user.updateMany({
        // matches no row when a concurrent change has replaced the hash: currentPassword is wrong then
        where: { id: userId, passwordHash: user.passwordHash },
        data: { passwordHash, tokenVersion: { increment: 1 } },
      });
      if (count === 0) throw wrongPassword();
      await this.sessions.endOthers(userId, session, tx);
      if (session !== undefined) await this.sessions.renew(session, this.config.jwtExpiresInSeconds, tx);
      await this.audit.recordOwn(tx, actor, { action: AUTH_PASSWORD_CHANGED, details: { address } });
    });
    this.log.info({ event: 'auth.password_changed', user: userId });
    this.revocations.announce();
    // the update above required the hash that was read, so the token version was incremented exactly once
    return this.auth.issue({ ...user, tokenVersion: user.tokenVersion + 1 }, session);
  }

  /**
   * Replaces the password of a user whose right to do so was checked (A43). Every token and session of the user ends; announce it once it is
   * committed.
   * @param tx the transaction of the change
   */
  async replacePassword(tx: Prisma.TransactionClient, userId: string, passwordHash: string): Promise<void> {
    await tx.user.update({ where: { id: userId }, data: { passwordHash, tokenVersion: { increment: 1 } } });
    await this.sessions.endOthers(userId, undefined, tx);
  }

  /**
   * Ends every token and every session of the console of a user, on all instances at once (R59). The password stays.
   * @throws 404 NOT_FOUND
   */
  async endSessions(actor: Actor, userId: string): Promise<void> {
    await this.prisma.$transaction(async (tx) => {
      const user = await tx.user.findUnique({ where: { id: userId }, select: { email: true } });
      if (!user) throw problem('NOT_FOUND', 'there is no such user');
      await tx.user.update({ where: { id: userId }, data: { tokenVersion: { increment: 1 } } });
      await this.sessions.endOthers(userId, undefined, tx);
      await this.audit.record(tx, actor, { action: AUTH_SESSIONS_ENDED, restaurantId: null, target: user.email });
    });
    this.log.info({ event: 'auth.sessions_ended', user: userId, by: actor.userId });
  }
}

function wrongPassword() {
  return problem(PASSWORD_CODES.WRONG_PASSWORD, 'currentPassword is wrong');
}
