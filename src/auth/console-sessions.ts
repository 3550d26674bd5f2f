import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { reasonOf } from '../database/errors.js';
import type { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import { Log } from '../telemetry/log.js';

/** Sessions in one list. */
const MAX_LISTED = 100;
/** Expired sessions that one sign-in removes. */
const MAX_REMOVED = 1_000;

/** Where somebody signed in. */
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
  /** at most a minute old while it is used */
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

/**
 * The sessions of the console, one row each (N10). A session lives while its row is there and has not expired. The row is read
 * with the user of each request: see `AuthService.userOfClaims`.
 */
@Injectable()
export class ConsoleSessions {
  constructor(
    private readonly prisma: PrismaService,
    private readonly log: Log,
  ) {}

  /**
   * Begins a session, and removes expired ones, of all users.
   * @param user whose password was verified, with the token version of that moment
   * @param expiresInSeconds lifetime of the session
   * @returns the session's id; undefined when the user is gone or the password has been changed since
   */
  async begin(
    user: { readonly id: string; readonly tokenVersion: number },
    { address, browser }: SignInPlace,
    expiresInSeconds: number,
  ): Promise<string | undefined> {
    const [session] = await this.prisma.$queryRaw<{ id: string }[]>`
      WITH expired AS (
        DELETE FROM console_sessions WHERE id IN (
          SELECT id FROM console_sessions WHERE expires_at <= now() LIMIT ${MAX_REMOVED} FOR UPDATE SKIP LOCKED)
      )
      INSERT INTO console_sessions (id, user_id, browser, address, expires_at)
      SELECT ${randomUUID()}::uuid, id, ${browser}, ${address}, now() + ${expiresInSeconds}::int * interval '1 second'
      FROM users WHERE id = ${user.id}::uuid AND token_version = ${user.tokenVersion} FOR SHARE
      RETURNING id::text`;
    return session?.id;
  }

  /** The sessions of a user that have not ended, the last seen first; at most 100. */
  list(userId: string): Promise<ConsoleSession[]> {
    return this.prisma.$queryRaw<ConsoleSession[]>`
      SELECT id::text, browser, address, created_at AS "createdAt", last_seen_at AS "lastSeenAt", expires_at AS "expiresAt"
      FROM console_sessions WHERE user_id = ${userId}::uuid AND expires_at > now()
      ORDER BY last_seen_at DESC, id LIMIT ${MAX_LISTED}`;
  }

  /** Ends a session. Does nothing when it has ended. */
  async end(id: string): Promise<void> {
    await this.prisma.$executeRaw`DELETE FROM console_sessions WHERE id = ${id}::uuid`;
  }

  /**
   * Ends all sessions of a user but one.
   * @param kept the id of that one; undefined: all end
   * @param tx the transaction of the change that ends them
   * @returns how many ended
   */
  endOthers(userId: string, kept: string | undefined, tx: Prisma.TransactionClient = this.prisma): Promise<number> {
    return tx.$executeRaw`
      DELETE FROM console_sessions WHERE user_id = ${userId}::uuid AND id IS DISTINCT FROM ${kept ?? null}::uuid`;
  }

  /** Extends a session: it gets a new token. @param tx the transaction that ends the old one */
  async renew(id: string, expiresInSeconds: number, tx: Prisma.TransactionClient): Promise<void> {
    await tx.$executeRaw`
      UPDATE console_sessions SET expires_at = now() + ${expiresInSeconds}::int * interval '1 second' WHERE id = ${id}::uuid`;
  }

  /** Records that a session is in use. Several requests may ask at once: one of them writes. Never throws. */
  async seen(id: string): Promise<void> {
    try {
      await this.prisma.$executeRaw`
        UPDATE console_sessions SET last_seen_at = now()
        WHERE id = ${id}::uuid AND last_seen_at < now() - interval '1 minute'`;
    } catch (error) {
      this.log.debug({ event: 'console.session_not_seen', error: reasonOf(error) });
    }
  }
}
