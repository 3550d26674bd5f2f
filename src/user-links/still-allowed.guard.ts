import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { CONFIRMED_FOR_MS } from '../auth/principal.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { Shares } from '../platform/http/limits/shares.js';
import type { LinkedRequest } from './restaurant.guard.js';

/**
 * Refuses a request whose token, session or role has ended while it waited for its body and its turn (A40). Runs after the guards that
 * wait. A change is confirmed once more, in its transaction.
 */
@Injectable()
export class StillAllowedGuard implements CanActivate {
  constructor(
    private readonly prisma: PrismaService,
    private readonly shares: Shares,
  ) {}

  /** @throws 401 UNAUTHENTICATED, 403 NO_ACCESS or INSUFFICIENT_ROLE, 404 for a deleted restaurant */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<LinkedRequest>();
    const { confirmedAt, confirm, link } = request;
    if (confirmedAt === undefined) return true;
    this.shares.confirmPieces(request, async () => void (await (link?.confirm ?? confirm)?.(this.prisma)));
    if (performance.now() - confirmedAt < CONFIRMED_FOR_MS) return true;
    // what is shown follows from the role of now
    if (link) request.link = { ...link, role: await link.confirm(this.prisma) };
    else await confirm?.(this.prisma);
    return true;
  }
}
