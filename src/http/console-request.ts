import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** Below it every route of the API is there for the console, which sends a cookie in place of a token (N5). */
const PREFIX = '/console/api';
const MARK = Symbol('console');

type MarkedMessage = IncomingMessage & { [MARK]?: true };

/** Fastify's `rewriteUrl`: takes the prefix from the address, and marks the request. Any other request is left as it is. */
export function takeConsolePrefix(raw: IncomingMessage): string {
  const url = raw.url ?? '/';
  if (!url.startsWith(`${PREFIX}/`)) return url;
  (raw as MarkedMessage)[MARK] = true;
  return url.slice(PREFIX.length);
}

/** Whether the request came below the prefix. */
export function isOfConsole({ raw }: FastifyRequest): boolean {
  return (raw as MarkedMessage)[MARK] === true;
}
