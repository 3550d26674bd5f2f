import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../telemetry/log.js';
import { type ErrorContent, errorBody } from './problem.js';

/** The client has closed the connection in the middle of a request. */
const HUNG_UP: ReadonlySet<string> = new Set(['ECONNRESET', 'HPE_INVALID_EOF_STATE']);

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Answers what fails below the router, on the socket: late requests (L7), headers that are too large or unreadable. */
export class ClientErrors {
  /** the last request whose headers arrived on a connection */
  private readonly latest = new WeakMap<Socket, Exchange>();

  constructor(private readonly log: Log) {}

  /** Remembers requests, so that the 408 of a body that does not arrive has the id of its request. */
  follow(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', (request, reply, next) => {
      this.latest.set(request.raw.socket, { request, reply });
      next();
    });
  }

  /** Handler of the server's `clientError`: answers in the one error shape (H1) where that is still possible. */
  readonly answer = (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (socket.destroyed) return;
    if (error.code !== undefined && HUNG_UP.has(error.code)) {
      socket.destroy();
      return;
    }
    const { request, reply } = this.latest.get(socket) ?? {};
    const unfinished = request !== undefined && !request.raw.complete;
    // the request was answered before all of its body had arrived: a second answer would belong to none
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
  if (code === 'HPE_HEADER_OVERFLOW')
    return { statusCode: 431, code: 'REQUEST_HEADER_FIELDS_TOO_LARGE', message: 'the headers are too large' };
  return { statusCode: 400, code: 'BAD_REQUEST', message: 'this is no readable HTTP request' };
}
