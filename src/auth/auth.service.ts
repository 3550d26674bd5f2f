import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { normalizeEmail } from '../domain/account.js';
import type { PlatformRole } from '../domain/role.js';
import { isUuid } from '../domain/text.js';
import { BoundedMap } from '../platform/bounded-map.js';
import { Config } from '../platform/config/config.js';
import { AHEAD } from '../platform/database/clock.js';
import type { Prisma } from '../platform/database/generated/client.js';
import { preparedStatement } from '../platform/database/prepared.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { problem } from '../platform/http/problem.js';
import { Log } from '../platform/telemetry/log.js';
import { isTooLong, type LoginView, type SentCredentials } from './auth.dto.js';
import { ConsoleSessions } from './console-sessions.js';
import { PASSWORD_CODES } from './error-codes.js';
import { LoginThrottle } from './login-throttle.js';
import type { PasswordSender } from './password-queue.js';
import { Passwords, type SentPassword } from './passwords.js';
import type { CurrentUser } from './principal.js';
import { SignInAudit } from './sign-in-audit.js';

/**
 * Runs for every request with a JWT. It reads the user $1. `isUnseen` says whether last_seen_at of the console session $2 is older than
 * a minute; it is null when the session has ended or $2 is null (N10).
 */
const READ_USER = preparedStatement(
  'user',
  `SELECT id::text, email, name, role::text, token_version AS "tokenVersion",
          (SELECT last_seen_at NOT BETWEEN now() - interval '1 minute' AND ${AHEAD} FROM console_sessions
           WHERE id = $2::uuid AND user_id = $1::uuid AND expires_at > now()) AS "isUnseen"
   FROM users WHERE id = $1::uuid`,
);

/** The most verified JWTs in the cache. */
const MAX_VERIFIED = 10_000;

/** The claims of a JWT (A2, A3). */
export interface Claims {
  /** the user's id, a UUID */
  readonly sub: string;
  readonly email: string;
  readonly role: string;
  /** the user's token version at the time of issue; a password change increments the version */
  readonly ver: number;
  /** expiry, in seconds since the epoch */
  readonly exp: number;
  /** the session of the console, a UUID (N10); absent in a token of `/auth/login` */
  readonly sid?: string;
  /** with `sid`: by https the cookie of the session has a prefix (N3); absent in a session of the version before */
  readonly pre?: true;
}

/** A user whose password was verified. */
type Account = CurrentUser & { readonly tokenVersion: number };

/** Authenticates users by email and password or by JWT, and issues JWTs. */
@Injectable()
export class AuthService {
  private readonly verified = new BoundedMap<Claims>(MAX_VERIFIED);

  constructor(
    private readonly prisma: PrismaService,
    private readonly jwt: JwtService,
    private readonly passwords: Passwords,
    private readonly throttle: LoginThrottle,
    private readonly signIns: SignInAudit,
    private readonly sessions: ConsoleSessions,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** Creates the platform administrator of ADMIN_EMAIL and ADMIN_PASSWORD; leaves an existing account unchanged (A10). */
  async createAdministrator(): Promise<void> {
    const { admin } = this.config;
    if (!admin || (await this.prisma.user.findUnique({ where: { email: admin.email } }))) return;
    const passwordHash = await this.passwords.hash(admin.password);
    const { count } = await this.prisma.user.createMany({
      data: [{ email: admin.email, passwordHash, role: 'ADMIN' }],
      skipDuplicates: true,
    });
    if (count > 0) this.log.info({ event: 'auth.admin_created', email: admin.email });
  }

  /**
   * Issues a JWT for an email and a password (A1).
   * @throws 401 INVALID_CREDENTIALS, the same for an unknown email and a wrong password (A6); 429 TOO_MANY_REQUESTS (A9);
   * 503 TOO_MANY_PASSWORD_CHECKS (A7); ClientGoneError
   */
  async login(email: string, password: string, sender: PasswordSender): Promise<LoginView> {
    return this.issue(await this.verify(email, password, sender));
  }

  /** As {@link login}, for the console: the token is valid until the session ends (N10). */
  async loginToConsole(
    email: string,
    password: string,
    sender: PasswordSender,
    browser: string | null,
  ): Promise<LoginView> {
    const user = await this.verify(email, password, sender);
    const place = { address: sender.address, browser };
    const session = await this.sessions.begin(user, place, this.config.jwtExpiresInSeconds);
    if (session === undefined) throw invalidCredentials();
    return this.issue(user, session);
  }

  private async verify(email: string, password: string, sender: PasswordSender): Promise<Account> {
    const account = normalizeEmail(email);
    const takeBack = this.throttle.count(account, sender.address);
    this.passwords.refuseWithoutRoom(sender);
    const user = await this.prisma.user.findUnique({ where: { email: account } });
    if (!(await this.passwords.matches({ account, password, stored: user?.passwordHash }, sender)) || !user) {
      if (user) this.signIns.failed(user, sender);
      throw invalidCredentials();
    }
    takeBack();
    await this.signIns.succeeded(user, sender);
    return user;
  }

  /**
   * Checks the Basic or body credentials of a webhook (W2). A verified pair of account and password is cached for a minute (A8).
   * @throws 429 TOO_MANY_REQUESTS; 503 TOO_MANY_PASSWORD_CHECKS; ClientGoneError
   */
  async isRight(sent: SentPassword, sender: PasswordSender): Promise<boolean> {
    let takeBack = () => {};
    const right = await this.passwords.matchesCached(sent, sender, () => {
      takeBack = this.throttle.count(sent.account, sender.address);
    });
    if (right) takeBack();
    return right;
  }

  /** As {@link isRight}, for the account of this email. @returns the user; undefined when the credentials are wrong */
  async userOfCredentials(sent: SentCredentials, sender: PasswordSender): Promise<CurrentUser | undefined> {
    if (isTooLong(sent)) return undefined;
    const account = normalizeEmail(sent.email);
    const user = await this.prisma.user.findUnique({ where: { email: account } });
    const right = await this.isRight({ account, password: sent.password, stored: user?.passwordHash }, sender);
    return user && right ? currentUserOf(user) : undefined;
  }

  /**
   * Hashes the password of a new account. The hash counts as a login attempt (A9).
   * @throws 422 GUESSABLE_PASSWORD; 429 TOO_MANY_REQUESTS; 503 TOO_MANY_PASSWORD_CHECKS; ClientGoneError
   */
  async hashNew(email: string, password: string, sender: PasswordSender): Promise<string> {
    const takeBack = this.throttle.count(email, sender.address);
    const hash = await this.passwords.hashNew({ email, password }, sender);
    takeBack();
    return hash;
  }

  /**
   * Verifies the signature and the expiry of a JWT (A2); verified tokens are cached.
   * @returns the claims, not compared with the database (A3); undefined when the token is invalid or has expired
   */
  async claimsOf(token: string): Promise<Claims | undefined> {
    const known = this.verified.get(token);
    if (known) return known.exp * 1_000 > Date.now() ? known : undefined;
    const claims = await this.jwt.verifyAsync<Claims>(token).catch(() => undefined);
    if (!claims || !isComplete(claims)) return undefined;
    this.verified.set(token, claims);
    return claims;
  }

  /**
   * Finds the user of verified claims.
   * @param claims the claims of a token whose signature and expiry have been checked
   * @param bySession whether the token comes from the cookie of the console (`isBySession`)
   * @returns undefined when the token is for the other place (A37), when the user was removed or has another token version, or when the session has ended (N10)
   */
  async userOfClaims(claims: Claims, bySession: boolean): Promise<CurrentUser | undefined> {
    if (!isComplete(claims) || (claims.sid !== undefined) !== bySession) return undefined;
    const { sub, ver, sid } = claims;
    const [user] = await this.prisma.prepared<Account & { isUnseen: boolean | null }>(READ_USER, [sub, sid ?? null]);
    if (user?.tokenVersion !== ver) return undefined;
    if (sid !== undefined && user.isUnseen === null) return undefined;
    if (sid !== undefined && user.isUnseen) await this.sessions.seen(sid);
    return currentUserOf(user);
  }

  /**
   * Whether the token or session of a request is still valid (A40).
   * @param role the platform role that the request began with
   * @param client of the transaction of a change
   */
  async isValid({ sub, ver, sid }: Claims, role: PlatformRole, client: Prisma.TransactionClient): Promise<boolean> {
    const found = await client.$queryRaw<unknown[]>`
      SELECT 1 AS valid FROM users WHERE id = ${sub}::uuid AND token_version = ${ver}::int AND role = ${role}::platform_role
        AND (${sid ?? null}::uuid IS NULL OR EXISTS (
          SELECT 1 FROM console_sessions WHERE id = ${sid}::uuid AND user_id = users.id AND expires_at > now()))`;
    return found.length > 0;
  }

  /**
   * A new JWT of this user.
   * @param session the id of the session of the console; undefined: for the API
   */
  async issue(user: Account, session?: string): Promise<LoginView> {
    const { id: sub, email, role, tokenVersion: ver } = user;
    const claims = { sub, email, role, ver, ...(session !== undefined && { sid: session, pre: true }) };
    return {
      access_token: await this.jwt.signAsync(claims),
      token_type: 'Bearer',
      expires_in: this.config.jwtExpiresInSeconds,
      user: currentUserOf(user),
    };
  }
}

/** Whether the claims have a user, a version and an expiry; jsonwebtoken accepts any payload. */
function isComplete({ sub, ver, exp, sid }: Claims): boolean {
  const isId = (id: unknown) => typeof id === 'string' && isUuid(id);
  return typeof exp === 'number' && typeof ver === 'number' && isId(sub) && (sid === undefined || isId(sid));
}

function invalidCredentials() {
  return problem(PASSWORD_CODES.INVALID_CREDENTIALS, 'email or password is wrong');
}

function currentUserOf({ id, email, name, role }: CurrentUser): CurrentUser {
  return { id, email, name, role };
}
