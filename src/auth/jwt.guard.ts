import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Strategy } from 'passport-jwt';
import { proveSender } from '../platform/http/body/body.js';
import { isBySession } from '../platform/http/console-request.js';
import { Shares, shareOf } from '../platform/http/limits/shares.js';
import { problem } from '../platform/http/problem.js';
import { AuthService, type Claims } from './auth.service.js';
import { bearerTokenOf } from './bearer-token.js';
import { Founders } from './founder.js';
import { JwtKey } from './jwt.key.js';
import { type AuthenticatedRequest, type CurrentUser, PUBLIC } from './principal.js';

/** @returns the token; null when its payload is not an object, because jsonwebtoken throws a TypeError for a signed `null` */
function tokenWithClaims(token: string | undefined): string | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString());
    return typeof claims === 'object' && claims !== null && token ? token : null;
  } catch {
    return null;
  }
}

/** Reads the JWT of the Authorization header and verifies it with JwtKey (A2, A3). */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(
    { secret, algorithm }: JwtKey,
    private readonly auth: AuthService,
    private readonly shares: Shares,
    private readonly founders: Founders,
  ) {
    super({
      passReqToCallback: true,
      jwtFromRequest: (request) => tokenWithClaims(bearerTokenOf(request)),
      // passport-jwt accepts a KeyObject; its types do not say so
      secretOrKey: secret as unknown as Buffer,
      algorithms: [algorithm],
    });
  }

  /**
   * Passport calls this with the claims of a verified token. The account is read when it has room for the request (H19). The result is not
   * cached, so that an ended session is refused at once (N10).
   */
  async validate(request: AuthenticatedRequest, claims: Claims): Promise<CurrentUser | false> {
    await this.shares.enter(request, String(claims.sub));
    request.signIn = { version: claims.ver, session: claims.sid };
    const user = await this.auth.userOfClaims(claims, isBySession(request));
    if (!user) return false;
    const foundedBy = await this.founders.of(user.id);
    proveSender(request, user.role === 'ADMIN' ? undefined : (foundedBy ?? user.id));
    // the statement that reads a link says who founded its restaurant
    if (!('restaurantId' in (request.params as object))) request.account = { foundedBy };
    request.confirmedAt = performance.now();
    request.confirm = async (client) => {
      if (!(await this.auth.isValid(claims, user.role, client))) throw unauthenticated();
    };
    return user;
  }
}

/** Requires a JWT on every route that is not marked @Public() (A4). Answers 401 UNAUTHENTICATED. */
@Injectable()
export class JwtGuard extends AuthGuard('jwt') {
  constructor(
    private readonly reflector: Reflector,
    private readonly shares: Shares,
  ) {
    super();
  }

  override canActivate(
    context: ExecutionContext,
  ): ReturnType<InstanceType<ReturnType<typeof AuthGuard>>['canActivate']> {
    const isPublic = this.reflector.getAllAndOverride<boolean>(PUBLIC, [context.getHandler(), context.getClass()]);
    if (isPublic) return true;
    const http = context.switchToHttp();
    this.shares.announce(
      http.getRequest<FastifyRequest>(),
      http.getResponse<FastifyReply>(),
      shareOf(this.reflector, context),
    );
    return super.canActivate(context);
  }

  override handleRequest<User>(error: Error | null, user: User | false): User {
    if (error) throw error;
    if (!user) throw unauthenticated();
    return user;
  }
}

function unauthenticated() {
  return problem('UNAUTHENTICATED', 'send a valid token: Authorization: Bearer <ACCESS_TOKEN>');
}
