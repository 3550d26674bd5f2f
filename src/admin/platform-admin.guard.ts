import { type CanActivate, type ExecutionContext, HttpStatus, Injectable } from '@nestjs/common';
import type { AuthenticatedRequest } from '../auth/principal.js';
import { problem } from '../problem.js';

/** Lets the platform role ADMIN in, as the database has it; no role in any restaurant opens this. */
@Injectable()
export class PlatformAdminGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { user } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (user?.role === 'ADMIN') return true;
    throw problem(HttpStatus.FORBIDDEN, 'INSUFFICIENT_ROLE', 'this needs the platform role ADMIN');
  }
}
