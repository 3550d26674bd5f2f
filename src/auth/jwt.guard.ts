import { createSecretKey } from 'node:crypto';
import { type ExecutionContext, HttpStatus, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { Config } from '../config.js';
import { problem } from '../problem.js';
import { AuthService, type Claims } from './auth.service.js';
import { type CurrentUser, PUBLIC } from './principal.js';

@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(
    config: Config,
    private readonly auth: AuthService,
  ) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      // given as text, every request would first try to read it as a PEM key; the types do not know of key objects
      secretOrKey: createSecretKey(config.jwtSecret, 'utf8') as unknown as Buffer,
      algorithms: ['HS256'],
    });
  }

  async validate(claims: Claims): Promise<CurrentUser | false> {
    return (await this.auth.userOfClaims(claims)) ?? false;
  }
}

/** Asks every route for a JWT, except the ones marked @Public(). */
@Injectable()
export class JwtGuard extends AuthGuard('jwt') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override canActivate(
    context: ExecutionContext,
  ): ReturnType<InstanceType<ReturnType<typeof AuthGuard>>['canActivate']> {
    const isPublic = this.reflector.getAllAndOverride<boolean>(PUBLIC, [context.getHandler(), context.getClass()]);
    return isPublic ? true : super.canActivate(context);
  }

  override handleRequest<User>(error: Error | null, user: User | false): User {
    if (error) throw error;
    if (!user)
      throw problem(
        HttpStatus.UNAUTHORIZED,
        'UNAUTHENTICATED',
        'send a valid token: Authorization: Bearer <ACCESS_TOKEN>',
      );
    return user;
  }
}
