import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerTokenOf } from '../../auth/bearer-token.js';
import { proveSender } from '../../platform/http/body/body.js';
import { PartyTurns } from '../../platform/http/limits/party-turns.js';
import { problem } from '../../platform/http/problem.js';
import { type PosPrincipal, PosTokens } from './pos-tokens.js';
import { PosTurns } from './pos-turns.js';

/** A request that {@link PosGuard} has let in. */
export type PosRequest = FastifyRequest & { pos?: PosPrincipal };

/** Parameter decorator: the {@link PosPrincipal} of the request, set by PosGuard. */
export const CallingPos = createParamDecorator(
  (_: unknown, context: ExecutionContext) => context.switchToHttp().getRequest<PosRequest>().pos,
);

/** Requires a token of {@link PosTokens}. Whether its credentials still work is read by the statement of the request (Q3). */
@Injectable()
export class PosGuard implements CanActivate {
  constructor(
    private readonly tokens: PosTokens,
    private readonly turns: PosTurns,
    private readonly parties: PartyTurns,
  ) {}

  /** @throws 401 UNAUTHENTICATED, 429, 503 TOO_MANY_AT_ONCE; ClientGoneError */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<PosRequest>();
    const token = bearerTokenOf(request);
    const pos = token === undefined ? undefined : await this.tokens.principalOf(token);
    if (!pos) throw unauthenticated();
    const { restaurantId, foundedBy = restaurantId } = pos;
    proveSender(request, foundedBy);
    await this.parties.begin(request, http.getResponse<FastifyReply>(), foundedBy);
    this.turns.count(pos);
    request.pos = pos;
    return true;
  }
}

export function unauthenticated() {
  return problem('UNAUTHENTICATED', 'send a valid token of POST /oauth/token: Authorization: Bearer <access_token>');
}
