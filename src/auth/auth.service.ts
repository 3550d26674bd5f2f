import { HttpStatus, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { Config } from '../config.js';
import { Prisma } from '../database/prisma.js';
import { Log } from '../log.js';
import { problem } from '../problem.js';
import { LoginThrottle } from './login-throttle.js';
import { Passwords } from './passwords.js';
import type { CurrentUser } from './principal.js';

/** The claims of a JWT (DECISIONS 6); `ver` is the user's token version, so that a password change ends older tokens. */
export interface Claims {
  readonly sub: string;
  readonly email: string;
  readonly role: string;
  readonly ver: number;
  readonly exp: number;
}

export interface LoginResult {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** seconds */
  readonly expires_in: number;
  readonly user: CurrentUser;
}

/** Who is calling: by email and password, or by a token issued for them. */
@Injectable()
export class AuthService implements OnApplicationBootstrap {
  constructor(
    private readonly prisma: Prisma,
    private readonly jwt: JwtService,
    private readonly passwords: Passwords,
    private readonly throttle: LoginThrottle,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** The first user: ADMIN_EMAIL and ADMIN_PASSWORD, created once; an existing account is left as it is. */
  async onApplicationBootstrap(): Promise<void> {
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
   * @param address of the caller, for the throttle
   * @throws 401 INVALID_CREDENTIALS, the same for an unknown email and a wrong password; 429
   */
  async login(email: string, password: string, address: string): Promise<LoginResult> {
    const account = normalEmail(email);
    this.throttle.count(account, address);
    const user = await this.prisma.user.findUnique({ where: { email: account } });
    if (!(await this.passwords.matches(password, user?.passwordHash)) || !user)
      throw problem(HttpStatus.UNAUTHORIZED, 'INVALID_CREDENTIALS', 'email or password is wrong');
    const claims = { sub: user.id, email: user.email, role: user.role, ver: user.tokenVersion };
    return {
      access_token: await this.jwt.signAsync(claims),
      token_type: 'Bearer',
      expires_in: this.config.jwtExpiresInSeconds,
      user: present(user),
    };
  }

  /**
   * Changes the password; every token issued before is invalid from now on.
   * @throws 400 WRONG_PASSWORD, 422 SAME_PASSWORD, 429
   */
  async changePassword(userId: string, current: string, next: string, address: string): Promise<void> {
    const user = await this.prisma.user.findUniqueOrThrow({ where: { id: userId } });
    this.throttle.count(user.email, address);
    if (!(await this.passwords.matches(current, user.passwordHash))) throw wrongPassword();
    if (next === current)
      throw problem(HttpStatus.UNPROCESSABLE_ENTITY, 'SAME_PASSWORD', 'newPassword must differ from currentPassword');
    const { count } = await this.prisma.user.updateMany({
      // changed meanwhile by another: then this is no longer the current one
      where: { id: userId, passwordHash: user.passwordHash },
      data: { passwordHash: await this.passwords.hash(next), tokenVersion: { increment: 1 } },
    });
    if (count === 0) throw wrongPassword();
    this.log.info({ event: 'auth.password_changed', user: userId });
  }

  /** The user of Basic or body credentials, undefined when they are wrong. @throws 429 */
  async userOfCredentials(email: string, password: string, address: string): Promise<CurrentUser | undefined> {
    const account = normalEmail(email);
    const user = await this.prisma.user.findUnique({ where: { email: account } });
    const right = await this.passwords.matchesRecently(password, user?.passwordHash, () =>
      this.throttle.count(account, address),
    );
    return user && right ? present(user) : undefined;
  }

  /** The user a JWT was issued for; undefined when it is forged, expired, or older than the last password change. */
  async userOfToken(token: string): Promise<CurrentUser | undefined> {
    const claims = await this.jwt.verifyAsync<Claims>(token).catch(() => undefined);
    return claims ? this.userOfClaims(claims) : undefined;
  }

  /** @param claims of a token whose signature and expiry were checked */
  async userOfClaims({ sub, ver, exp }: Claims): Promise<CurrentUser | undefined> {
    if (typeof exp !== 'number' || typeof sub !== 'string') return undefined;
    const user = await this.prisma.user.findUnique({ where: { id: sub } });
    return user && user.tokenVersion === ver ? present(user) : undefined;
  }
}

/** Email is case-insensitive: it is stored and compared in lower case. Postgres knows no NUL, so neither does an email. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase().replaceAll('\0', '\ufffd');
}

function wrongPassword() {
  return problem(HttpStatus.BAD_REQUEST, 'WRONG_PASSWORD', 'currentPassword is wrong');
}

function present({ id, email, name, role }: CurrentUser): CurrentUser {
  return { id, email, name, role };
}
