import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** The client closed its connection before it was answered: nobody waits for an answer any more. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client has closed the connection');
  }
}

/** @returns a signal that aborts when the connection closes before the answer was sent, or afterwards */
export function clientGone({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  // a response whose connection has closed already emits nothing any more
  if (raw.destroyed || raw.socket?.destroyed) controller.abort();
  else raw.once('close', () => controller.abort());
  return controller.signal;
}

/** Parameter decorator: the {@link clientGone} signal of the request. */
export const ClientGone = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientGone(context.switchToHttp().getResponse<FastifyReply>()),
);
