import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import helmet from 'helmet';

/**
 * The header with which nobody keeps an answer (H21): answers have tokens, people's names and takings. The files of the console and of /docs
 * set their own.
 */
export const NOT_STORED = { 'cache-control': 'no-store' } as const;

/** Allows nothing inline; /docs has its own policy (openapi.ts). */
const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  upgradeInsecureRequests: null,
};

/**
 * Sets the headers of every answer: X-Request-Id (H6), Cache-Control (H21), security headers, CORS.
 * @param corsOrigins origins whose pages may call the API; empty: CORS stays off
 */
export function useHeaders(app: NestFastifyApplication, corsOrigins: readonly string[]): void {
  const fastify = app.getHttpAdapter().getInstance();
  const fixed = fixedHeaders();
  fastify.addHook('onRequest', (request, reply, next) => {
    reply.headers(fixed);
    reply.header('x-request-id', request.id);
    next();
  });
  if (corsOrigins.length > 0)
    app.enableCors({
      origin: [...corsOrigins],
      methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      exposedHeaders: ['X-Request-Id'],
    });
}

/** The headers of helmet, and of H21: they are the same for every request. */
function fixedHeaders(): Record<string, string> {
  const headers: Record<string, string> = { ...NOT_STORED };
  const answer = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  const set = helmet({ contentSecurityPolicy: { directives: CONTENT_SECURITY_POLICY } });
  set({} as IncomingMessage, answer as unknown as ServerResponse, (error?: unknown) => {
    if (error) throw error;
  });
  return headers;
}
