import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../telemetry/log.js';
import { TOO_MANY_CHUNKS } from './body/chunk-limit.js';
import { NOT_STORED } from './headers.js';
import { type ErrorContent, errorBody } from './problem.js';

/** Errors of a connection that the client closed during a request. */
const HUNG_UP: ReadonlySet<string> = new Set(['ECONNRESET', 'HPE_INVALID_EOF_STATE']);

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Answers errors below the router: late requests (L7), headers that are too large or invalid. */
export class ClientErrors {
  /** connection -> its last request */
  private readonly latest = new WeakMap<Socket, Exchange>();

  constructor(private readonly log: Log) {}

  /** Keeps the last request of each connection, so that the 408 for a late body has the id of the request. */
  follow(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, next) => {
      this.latest.set(request.raw.socket, { request, reply });
      next();
    });
  }

  /** Handler of the server's `clientError`. Answers with the error shape of every route (H1), if the request has no answer yet. */
  readonly answer = (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (socket.destroyed) return;
    if (error.code !== undefined && HUNG_UP.has(error.code)) {
      socket.destroy();
      return;
    }
    const { request, reply } = this.latest.get(socket) ?? {};
    const unfinished = request !== undefined && !request.raw.complete;
    // a request that was answered before its body arrived gets no second answer
    if (socket.writable && !(unfinished && reply?.raw.headersSent)) {
      const id = (unfinished && request?.id) || randomUUID();
      const content = contentOf(error);
      this.log.info({ event: 'http.refused', requestId: id, ...content });
      const body = JSON.stringify(errorBody(content, id));
      socket.write(
        [
          `HTTP/1.1 ${content.statusCode} ${STATUS_CODES[content.statusCode]}`,
          'Content-Type: application/json; charset=utf-8',
          `Content-Length: ${Buffer.byteLength(body)}`,
          ...Object.entries(NOT_STORED).map(([name, value]) => `${name}: ${value}`),
          `X-Request-Id: ${id}`,
          'Connection: close',
          '',
          body,
        ].join('\r\n'),
      );
    }
    socket.destroySoon();
  };
}

function contentOf({ code }: NodeJS.ErrnoException): ErrorContent {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return {
      statusCode: 408,
      code: 'REQUEST_TIMEOUT',
      message: 'headers and body of the request did not arrive in time',
    };
  if (code === TOO_MANY_CHUNKS)
    return {
      statusCode: 413,
      code: 'PAYLOAD_TOO_LARGE',
      message: 'body: has too many chunks; send it with Content-Length, or in larger chunks',
    };
  if (code === 'HPE_HEADER_OVERFLOW')
    return { statusCode: 431, code: 'REQUEST_HEADER_FIELDS_TOO_LARGE', message: 'the headers are too large' };
  return { statusCode: 400, code: 'BAD_REQUEST', message: 'the HTTP request cannot be parsed' };
}
