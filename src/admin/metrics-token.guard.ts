import { createHash, timingSafeEqual } from 'node:crypto';
import { applyDecorators, type ExecutionContext, HttpStatus, Injectable, UseGuards } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { ApiForbiddenResponse } from '@nestjs/swagger';
import { Authenticated, type AuthenticatedRequest, Public } from '../auth/principal.js';
import { Config } from '../config/config.js';
import { problem } from '../http/problem.js';

const BEARER = /^Bearer +(\S+)$/i;

/**
 * Opens a route to METRICS_TOKEN (R7), which asks nothing of the database, and to a JWT with the platform role ADMIN. The token
 * is compared in constant time.
 */
@Injectable()
export class MetricsTokenGuard extends AuthGuard('jwt') {
  constructor(private readonly config: Config) {
    super();
  }

  /** @throws 401 UNAUTHENTICATED, 403 INSUFFICIENT_ROLE */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const sent = BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (sent !== undefined && this.isMetricsToken(sent)) return true;
    await super.canActivate(context);
    if (request.user?.role === 'ADMIN') return true;
    throw problem(HttpStatus.FORBIDDEN, 'INSUFFICIENT_ROLE', 'this needs the platform role ADMIN, or METRICS_TOKEN');
  }

  override handleRequest<User>(error: Error | null, user: User | false): User {
    if (error) throw error;
    if (user) return user;
    throw problem(
      HttpStatus.UNAUTHORIZED,
      'UNAUTHENTICATED',
      'send METRICS_TOKEN or an access token: Authorization: Bearer',
    );
  }

  private isMetricsToken(sent: string): boolean {
    const { metricsToken } = this.config;
    return metricsToken !== undefined && timingSafeEqual(digest(sent), digest(metricsToken));
  }
}

/** Restricts a route to METRICS_TOKEN and to the platform role ADMIN, and documents that in OpenAPI. */
export const MetricsReader = () =>
  applyDecorators(
    Public(),
    Authenticated(),
    UseGuards(MetricsTokenGuard),
    ApiForbiddenResponse({ description: 'INSUFFICIENT_ROLE: this needs the platform role ADMIN, or METRICS_TOKEN' }),
  );

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
