import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyStaticOptions } from '@fastify/static';
import { HttpStatus } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { problem } from '../http/problem.js';

/** Where `npm run build` leaves the console; as far from the sources as from what they are compiled to. */
export const BUILT_CONSOLE = fileURLToPath(new URL('../../dist-console/', import.meta.url));

const INDEX = 'index.html';
/** Their names carry a hash of their content. */
const ASSET = /^assets\/[\w-][\w.-]*$/;
const FILE = /^[\w-][\w-]*(\.[\w-]+)+$/;
/** What the relay has for debuggers only, and what it sends by itself to those who accept it. */
const NEVER = /\.(map|br|gz)$/;
/** Addresses of the page's own: any but those of files and of the relay's routes. A dot may stand in the key of an order. */
const ROUTE = /^(?!(assets|api|session)(\/|$))(?!.*\/\.\.?(\/|$))[\w-]*(\/.*)?$/;

/** Nothing inline, nothing from elsewhere, no frame around it (N7). */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the built console at /console/ (N6, N7). Nothing of it is read before somebody asks for it.
 * @param folder where it was built
 * @returns whether it was; if not, nothing is served
 */
export function servePages(app: NestFastifyApplication, folder: string): boolean {
  if (!existsSync(join(folder, INDEX))) return false;
  const fastify = app.getHttpAdapter().getInstance();
  const options: FastifyStaticOptions = { root: folder, serve: false, preCompressed: true, cacheControl: false };
  fastify.register(import('@fastify/static'), options);
  // the router takes /console/ for the same address; the browser would look for the page's files beside it
  fastify.get('/console', (request, reply) =>
    /^\/console(\?|$)/.test(request.url) ? reply.redirect('/console/', HttpStatus.FOUND) : sendPage(reply),
  );
  fastify.get<{ Params: { '*': string } }>('/console/*', ({ params: { '*': path } }, reply) => {
    if (ROUTE.test(path)) return sendPage(reply);
    if (NEVER.test(path)) throw notFound();
    if (ASSET.test(path)) return send(reply, path, 'public, max-age=31536000, immutable');
    if (FILE.test(path)) return send(reply, path, 'no-cache');
    throw notFound();
  });
  return true;
}

function sendPage(reply: FastifyReply): FastifyReply {
  return send(reply, INDEX, 'no-cache');
}

function send(reply: FastifyReply, file: string, caching: string): FastifyReply {
  return reply
    .headers({ 'Content-Security-Policy': POLICY, 'X-Frame-Options': 'DENY', 'Cache-Control': caching })
    .sendFile(file);
}

function notFound() {
  return problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'not found');
}
