import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AHEAD, DatabaseClock } from '../platform/database/clock.js';
import { reasonOf } from '../platform/database/errors.js';
import { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { Log } from '../platform/telemetry/log.js';

/** The most sessions in a list. */
const MAX_LISTED = 100;
/** The most sessions of a user (L153). */
const MAX_SESSIONS = 20;
/** The most expired sessions that one sign-in removes. */
const MAX_REMOVED = 1_000;

/** Address and browser of a sign-in. */
export interface SignInPlace {
  /** IP address */
  readonly address: string;
  /** see `browserOf`; null: unknown */
  readonly browser: string | null;
}

/** A session of the console that has not ended. */
export interface ConsoleSession extends SignInPlace {
  /** UUID; the claim `sid` of its token */
  readonly id: string;
  readonly createdAt: Date;
  /** written at most once a minute */
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

/**
 * The sessions of the console, one row each (N10). A session is valid while its row exists and has not expired;
 * `AuthService.userOfClaims` reads it for each request.
 */
@Injectable()
export class ConsoleSessions {
  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly log: Log,
  ) {}

  /**
   * Begins a session, removes expired sessions of all users, and those that began in the future, because how old they are is not known, and ends the
   * oldest sessions of this user beyond the limit (L153). Nothing that has expired is removed while the clocks differ (S36).
   * @param user the user, with the token version at the time the password was verified
   * @param expiresInSeconds lifetime of the session
   * @returns the session's id; undefined when the user was removed, or has changed the password after the verification
   */
  async begin(
    user: { readonly id: string; readonly tokenVersion: number },
    { address, browser }: SignInPlace,
    expiresInSeconds: number,
  ): Promise<string | undefined> {
    const [session] = await this.prisma.$queryRaw<{ id: string }[]>`
      WITH expired AS (
        DELETE FROM console_sessions WHERE id IN (
          SELECT id FROM console_sessions WHERE (expires_at <= now() OR created_at > ${Prisma.raw(AHEAD)}) AND ${this.clock.condition}
          LIMIT ${MAX_REMOVED} FOR UPDATE SKIP LOCKED)
      ),
      oldest AS (
        DELETE FROM console_sessions WHERE id IN (
          SELECT id FROM console_sessions WHERE user_id = ${user.id}::uuid AND expires_at > now()
          ORDER BY created_at DESC, id OFFSET ${MAX_SESSIONS - 1})
          AND EXISTS (SELECT FROM users WHERE id = ${user.id}::uuid AND token_version = ${user.tokenVersion})
      )
      INSERT INTO console_sessions (id, user_id, browser, address, expires_at)
      SELECT ${randomUUID()}::uuid, id, ${browser}, ${address}, now() + ${expiresInSeconds}::int * interval '1 second'
      FROM users WHERE id = ${user.id}::uuid AND token_version = ${user.tokenVersion} FOR SHARE
      RETURNING id::text`;
    return session?.id;
  }

  /** Lists the valid sessions of a user, the last seen first; at most 100. */
  list(userId: string): Promise<ConsoleSession[]> {
    return this.prisma.$queryRaw<ConsoleSession[]>`
      SELECT id::text, browser, address, created_at AS "createdAt", last_seen_at AS "lastSeenAt", expires_at AS "expiresAt"
      FROM console_sessions WHERE user_id = ${userId}::uuid AND expires_at > now()
      ORDER BY last_seen_at DESC, id LIMIT ${MAX_LISTED}`;
  }

  /** Ends a session. @returns the number of ended sessions: 0 when it has already ended */
  end(id: string): Promise<number> {
    return this.prisma.$executeRaw`DELETE FROM console_sessions WHERE id = ${id}::uuid`;
  }

  /**
   * Ends the sessions of a user, except `kept`.
   * @param kept the id of the session to keep; undefined: none
   * @param tx the transaction of a password change
   * @returns the number of ended sessions
   */
  endOthers(userId: string, kept: string | undefined, tx: Prisma.TransactionClient = this.prisma): Promise<number> {
    return tx.$executeRaw`
      DELETE FROM console_sessions WHERE user_id = ${userId}::uuid AND id IS DISTINCT FROM ${kept ?? null}::uuid`;
  }

  /** Extends a session to the lifetime of its new token. @param tx the transaction of the password change */
  async renew(id: string, expiresInSeconds: number, tx: Prisma.TransactionClient): Promise<void> {
    await tx.$executeRaw`
      UPDATE console_sessions SET expires_at = now() + ${expiresInSeconds}::int * interval '1 second' WHERE id = ${id}::uuid`;
  }

  /** Writes last_seen_at when it is older than a minute. Never throws. */
  async seen(id: string): Promise<void> {
    try {
      await this.prisma.$executeRaw`
        UPDATE console_sessions SET last_seen_at = now()
        WHERE id = ${id}::uuid AND last_seen_at NOT BETWEEN now() - interval '1 minute' AND ${Prisma.raw(AHEAD)}`;
    } catch (error) {
      this.log.debug({ event: 'console.session_not_seen', error: reasonOf(error) });
    }
  }
}
