import { applyDecorators, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { ApiForbiddenResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { bearerTokenOf, staticTokenCheck } from '../auth/bearer-token.js';
import { Authenticated, type AuthenticatedRequest, Public } from '../auth/principal.js';
import { Config } from '../platform/config/config.js';
import { proveSender } from '../platform/http/body/body.js';
import { Shares } from '../platform/http/limits/shares.js';
import { problem } from '../platform/http/problem.js';

/**
 * Allows requests with METRICS_TOKEN (R7) and requests with a JWT of a user whose platform role is ADMIN. METRICS_TOKEN is compared in
 * constant time and without a database read.
 */
@Injectable()
export class MetricsTokenGuard extends AuthGuard('jwt') {
  private readonly isMetricsToken: (token: string) => boolean;

  constructor(
    { metricsToken }: Config,
    private readonly shares: Shares,
  ) {
    super();
    this.isMetricsToken = staticTokenCheck(metricsToken);
  }

  /** @throws 401 UNAUTHENTICATED, 403 INSUFFICIENT_ROLE */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const sent = bearerTokenOf(request);
    if (sent !== undefined && this.isMetricsToken(sent)) {
      proveSender(request, undefined);
      return true;
    }
    this.shares.announce(request, context.switchToHttp().getResponse<FastifyReply>(), 'reports');
    await super.canActivate(context);
    if (request.user?.role === 'ADMIN') return true;
    throw problem('INSUFFICIENT_ROLE', 'this needs the platform role ADMIN, or METRICS_TOKEN');
  }

  override handleRequest<User>(error: Error | null, user: User | false): User {
    if (error) throw error;
    if (user) return user;
    throw problem('UNAUTHENTICATED', 'send METRICS_TOKEN or an access token: Authorization: Bearer');
  }
}

/** Restricts a route to METRICS_TOKEN and the platform role ADMIN, and documents the restriction in OpenAPI. */
export const MetricsReader = () =>
  applyDecorators(
    Public(),
    Authenticated(),
    UseGuards(MetricsTokenGuard),
    ApiForbiddenResponse({ description: 'INSUFFICIENT_ROLE: this needs the platform role ADMIN, or METRICS_TOKEN' }),
  );
