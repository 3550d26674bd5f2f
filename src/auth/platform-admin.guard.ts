import { applyDecorators, type CanActivate, type ExecutionContext, Injectable, UseGuards } from '@nestjs/common';
import { ApiForbiddenResponse } from '@nestjs/swagger';
import { problem } from '../platform/http/problem.js';
import { Authenticated, type AuthenticatedRequest } from './principal.js';

const REQUIRED_ROLE_TEXT = 'this needs the platform role ADMIN';

/** Requires the platform role ADMIN, read from the database; restaurant roles do not count (R5, A12). */
@Injectable()
export class PlatformAdminGuard implements CanActivate {
  /** @throws 403 INSUFFICIENT_ROLE */
  canActivate(context: ExecutionContext): boolean {
    const { user } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (user?.role === 'ADMIN') return true;
    throw problem('INSUFFICIENT_ROLE', REQUIRED_ROLE_TEXT);
  }
}

/** Restricts a controller or route to the platform role ADMIN, and documents the restriction in OpenAPI. */
export const PlatformAdmin = () =>
  applyDecorators(
    Authenticated(),
    UseGuards(PlatformAdminGuard),
    ApiForbiddenResponse({ description: `INSUFFICIENT_ROLE: ${REQUIRED_ROLE_TEXT}` }),
  );
