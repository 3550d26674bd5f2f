import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/** The client closed its connection before the answer. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client has closed the connection');
  }
}

/** @returns a signal that aborts when the connection closes before the answer is written */
export function clientGone({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const controller = new AbortController();
  // after the connection has closed, the response emits no `close`
  if (raw.destroyed || raw.socket?.destroyed) controller.abort();
  // the response has been closed after each answer, too: an error for each request is dear
  else raw.once('close', () => raw.writableFinished || controller.abort());
  return controller.signal;
}

/** Parameter decorator: the {@link clientGone} signal of the request. */
export const ClientGone = createParamDecorator((_: unknown, context: ExecutionContext) =>
  clientGone(context.switchToHttp().getResponse<FastifyReply>()),
);
