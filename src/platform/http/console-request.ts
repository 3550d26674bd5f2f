import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** Below this prefix the console calls every route of the API, with a cookie instead of a token (N5). */
const PREFIX = '/console/api';
const MARK = Symbol('console');
const SESSION = Symbol('session');

type MarkedMessage = IncomingMessage & { [MARK]?: true; [SESSION]?: true };

/** Fastify's `rewriteUrl`: removes the prefix from the URL and marks the request; other URLs stay unchanged. */
export function takeConsolePrefix(raw: IncomingMessage): string {
  const url = raw.url ?? '/';
  if (!url.startsWith(`${PREFIX}/`)) return url;
  (raw as MarkedMessage)[MARK] = true;
  return url.slice(PREFIX.length);
}

/** Whether the URL of the request had the prefix. */
export function isOfConsole({ raw }: FastifyRequest): boolean {
  return (raw as MarkedMessage)[MARK] === true;
}

/** Says that the `Authorization` header of the request was taken from the cookie of the console. */
export function markSession({ raw }: FastifyRequest): void {
  (raw as MarkedMessage)[SESSION] = true;
}

/** Whether the token of the request comes from the cookie: only there a session's token is accepted (A37). */
export function isBySession({ raw }: FastifyRequest): boolean {
  return (raw as MarkedMessage)[SESSION] === true;
}
