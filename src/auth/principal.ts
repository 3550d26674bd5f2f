import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PlatformRole } from '../domain/role.js';
import type { Actor } from '../platform/audit/actions.js';
import { clientGone } from '../platform/http/client-gone.js';
import { Refuses } from '../platform/http/openapi/errors.js';
import type { PasswordSender } from './password-queue.js';

/** The authenticated user of a request, read from the database for this request. */
export interface CurrentUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: PlatformRole;
}

/** What the token of a request names: the version of the account's tokens, and the session of the console (N10). */
export interface SignIn {
  readonly version: number;
  readonly session?: string | undefined;
}

/** A request that has waited longer than this since its user was confirmed is confirmed again, in ms (L177). */
export const CONFIRMED_FOR_MS = 100;

/** A request after the guards. */
export type AuthenticatedRequest = FastifyRequest & {
  user?: CurrentUser;
  signIn?: SignIn;
  /** the account whose accounts and restaurants take turns as one (O44, H20); of routes without a restaurant */
  account?: { readonly foundedBy: string | null };
  /** when its user was last confirmed, by performance.now(), ms */
  confirmedAt?: number;
  /** refuses a user whose token or session has ended (A40) */
  confirm?: NonNullable<Actor['confirm']>;
};

/** Metadata key of {@link Public}. */
export const PUBLIC = 'public';

/** Marks a route or controller as needing no JWT; every other route needs a JWT (A4). */
export const Public = () => SetMetadata(PUBLIC, true);

/** Documents in OpenAPI that a route needs a JWT, may answer 401, and counts in the share of its account (H19). JwtGuard checks the JWT. */
export const Authenticated = () => applyDecorators(ApiBearerAuth(), Refuses('UNAUTHENTICATED', 'TOO_MANY_AT_ONCE'));

/** Parameter decorator: the authenticated {@link CurrentUser}. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AuthenticatedRequest>().user,
);

/** Parameter decorator: the {@link SignIn} of the request. */
export const CallerSignIn = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<AuthenticatedRequest>().signIn,
);

/** The authenticated user and the request id, for the audit (R27). */
export function actorOf({ user, id, confirm }: AuthenticatedRequest): Actor {
  if (!user) throw new Error('the request is not authenticated');
  return { userId: user.id, email: user.email, requestId: id, confirm };
}

/** Parameter decorator: the {@link Actor} of the request. */
export const Acting = createParamDecorator((_: unknown, context: ExecutionContext) =>
  actorOf(context.switchToHttp().getRequest<AuthenticatedRequest>()),
);

/** Parameter decorator: the {@link PasswordSender} of the request. */
export const SentBy = createParamDecorator((_: unknown, context: ExecutionContext): PasswordSender => {
  const http = context.switchToHttp();
  const { ip, id } = http.getRequest<FastifyRequest>();
  return { address: ip, gone: clientGone(http.getResponse<FastifyReply>()), requestId: id };
});
