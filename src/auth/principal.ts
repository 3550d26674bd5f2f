import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { PlatformRole } from '../domain/role.js';

/** The user behind a request, as the database knows them now. */
export interface CurrentUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: PlatformRole;
}

/** Who calls the webhook (DECISIONS 2.2). */
export type Principal = { readonly kind: 'user'; readonly user: CurrentUser } | { readonly kind: 'terminal' };

export type AuthenticatedRequest = FastifyRequest & { user?: CurrentUser; principal?: Principal };

export const PUBLIC = 'public';

/** Marks a route that asks for no JWT; without the mark it does. */
export const Public = () => SetMetadata(PUBLIC, true);

/** The user a JWT stands for. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AuthenticatedRequest>().user,
);
