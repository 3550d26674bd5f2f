import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { HttpStatus } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../telemetry/log.js';
import { ClientErrors } from './client-errors.js';
import { takeConsolePrefix } from './console-request.js';
import { NOT_STORED } from './headers.js';
import { errorBody, problem } from './problem.js';

/** An idle connection is closed after this time, for example when a client does not read its answer. */
const IDLE_CONNECTION_MS = 120_000;
/** A stopping server closes connections that have sent nothing after this time; ms. */
const SILENT_CONNECTION_MS = 500;
/** The longest interval between Node's checks for late requests. */
const MAX_CHECKING_INTERVAL_MS = 2_000;

/** The configuration of the HTTP server. */
export interface ServerOptions {
  /**
   * the proxies whose X-Forwarded-For is trusted (TRUST_PROXY); true: all, false: none, a text: these addresses, a number: the number
   * of proxies
   */
  readonly trustProxy: boolean | number | string;
  /** the most time for headers and body to arrive (L7) */
  readonly requestTimeoutMs: number;
  /** whether URLs below /console/api are accepted (CONSOLE) */
  readonly console: boolean;
}

/** The most headers of a request (L163): 1,800 short ones take the process half a millisecond. */
const MAX_HEADERS = 100;
const TOO_MANY_HEADERS = `the request has more than ${MAX_HEADERS} headers`;

const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Creates the HTTP server; it does not listen yet. */
export function createServer(
  { trustProxy, requestTimeoutMs, console: hasConsole }: ServerOptions,
  log: Log,
): FastifyAdapter {
  const clientErrors = new ClientErrors(log);
  const adapter = new FastifyAdapter({
    // a percent-encoded transactionKey in a path exceeds Fastify's default of 100 characters
    routerOptions: { maxParamLength: 4_096, ignoreTrailingSlash: true },
    requestTimeout: requestTimeoutMs,
    connectionTimeout: IDLE_CONNECTION_MS,
    http: {
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      // refuseWrongHeaders checks the header instead: the refusal of Node has no body
      requireHostHeader: false,
      connectionsCheckingInterval: Math.min(MAX_CHECKING_INTERVAL_MS, Math.ceil(requestTimeoutMs / 4)),
    },
    clientErrorHandler: clientErrors.answer,
    rewriteUrl: (request: IncomingMessage) => asPath(hasConsole ? takeConsolePrefix(request) : request.url),
    trustProxy: typeof trustProxy === 'number' ? (_: string, hop: number) => hop < trustProxy : trustProxy,
    // an undecodable URL fails in the router, before the error filter
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const content = { statusCode: HttpStatus.BAD_REQUEST, message: 'the URL cannot be decoded' };
      const headers = { ...NOT_STORED, 'X-Request-Id': request.id };
      reply.status(content.statusCode).headers(headers).send(errorBody(content, request.id));
    },
    genReqId: ({ headers }: IncomingMessage) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
  });
  const fastify = adapter.getInstance();
  // Node leaves out the others
  fastify.server.maxHeadersCount = MAX_HEADERS;
  // Node would answer 417 to an unknown Expect header; here the header is ignored
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
  clientErrors.follow(fastify);
  return adapter;
}

/** `*` (RFC 9112, section 3.2.4) is no path: Fastify would answer it without hooks, and so without the headers of every answer. */
function asPath(target = '/'): string {
  return target.startsWith('*') ? `/${target}` : target;
}

/**
 * Answers 431 when a request has more headers than Node reads (L163), and 400 when it has no Host header or several (RFC 9112, section 3.2). The
 * answers have a body (H1).
 */
export function refuseWrongHeaders(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', ({ raw }: FastifyRequest, _reply, next) => {
    if (raw.rawHeaders.length > 2 * MAX_HEADERS)
      return next(problem('REQUEST_HEADER_FIELDS_TOO_LARGE', TOO_MANY_HEADERS));
    const hosts = hostsOf(raw);
    if (hosts === 0 && raw.httpVersion === '1.1') next(badRequest('the request has no Host header'));
    else if (hosts > 1) next(badRequest('the request has several Host headers'));
    else next();
    return undefined;
  });
}

/** The number of Host headers; `headers` has only the first one. */
function hostsOf({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  return hosts;
}

function badRequest(message: string) {
  return problem('BAD_REQUEST', message);
}

/**
 * Sends `Connection: close` while the process stops: a kept-alive connection would delay the stop until its idle timeout. Connections
 * that have sent nothing are closed: clients open them in advance, and Node does not count them as idle. Connections that are still
 * open after REQUEST_TIMEOUT_MS are closed, because Node does not look for late requests after its server has closed.
 */
export function closeConnectionsWhenStopping(app: NestFastifyApplication, requestTimeoutMs: number): void {
  const fastify = app.getHttpAdapter().getInstance();
  const stopping = app.get(AbortSignal);
  fastify.addHook('onSend', (_request, reply, payload, next) => {
    if (stopping.aborted) reply.header('Connection', 'close');
    next(null, payload);
  });
  const connections = new Set<Socket>();
  fastify.server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const closeSilent = () => {
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  };
  stopping.addEventListener('abort', () => {
    setTimeout(closeSilent, SILENT_CONNECTION_MS).unref();
    setTimeout(() => fastify.server.closeAllConnections(), requestTimeoutMs).unref();
  });
}
