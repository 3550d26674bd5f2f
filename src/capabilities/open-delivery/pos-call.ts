import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { acceptedBody, limitBody } from '../../platform/http/body/body.js';
import { clientGone } from '../../platform/http/client-gone.js';
import type { PosRequest } from './pos.guard.js';
import type { PosPrincipal } from './pos-tokens.js';

const JSON_LIMITS = {
  bytes: 65_536,
  depth: 4,
  keys: 1_000,
  values: 2_000,
  keepsUnknown: true,
  code: 'VALIDATION_FAILED',
} as const;

/** A request of a POS. */
export interface PosCall {
  readonly pos: PosPrincipal;
  /** aborts when the client has gone */
  readonly gone: AbortSignal;
  /** Reads the body. @throws as `acceptedBody` */
  readonly body: () => Promise<unknown>;
}

/** Parameter decorator: the {@link PosCall} of a route with PosGuard and `ReadsJsonLater`. */
export const CallOfPos = createParamDecorator((_: unknown, context: ExecutionContext): PosCall => {
  const http = context.switchToHttp();
  const request = http.getRequest<PosRequest>();
  const reply = http.getResponse<FastifyReply>();
  return {
    pos: request.pos as PosPrincipal,
    gone: clientGone(reply),
    body() {
      limitBody(request, JSON_LIMITS);
      return acceptedBody(request, reply);
    },
  };
});
