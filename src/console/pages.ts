import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyStaticOptions } from '@fastify/static';
import { HttpStatus } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { problem } from '../http/problem.js';
import { ROOT } from '../root.js';

/** The folder of the built console. */
export const BUILT_CONSOLE = join(ROOT, 'dist-console');

const INDEX = 'index.html';
/** Files with a hash of their content in their names. */
const ASSET = /^assets\/[\w-][\w.-]*$/;
const IN_ASSETS = /^[\\/]assets[\\/]/;
const FILE = /^[\w-][\w-]*(\.[\w-]+)+$/;
/** Source maps are not served; compressed files only by content negotiation. */
const NOT_SERVED = /\.(map|br|gz)$/;
/** Addresses that are answered with the page: all except files and routes of the relay. The key of an order may contain a dot. */
const ROUTE = /^(?!(assets|api|session)(\/|$))(?!.*\/\.\.?(\/|$))[\w-]*(\/.*)?$/;

/** Allows no inline content, no other origin and no frame (N7). */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
  "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Serves the built console at /console/ (N6, N7).
 * @param folder the folder of the build
 * @returns false when there is no build: then nothing is served
 */
export function servePages(app: NestFastifyApplication, folder: string): boolean {
  if (!existsSync(join(folder, INDEX))) return false;
  const fastify = app.getHttpAdapter().getInstance();
  const options: FastifyStaticOptions = {
    ...{ root: folder, serve: false, preCompressed: true, cacheControl: false },
    // of a file that is there: a 404 is not stored, since another version of the relay may have the file
    setHeaders: (reply, path) =>
      void reply.header(
        'Cache-Control',
        IN_ASSETS.test(path.slice(folder.length)) ? 'public, max-age=31536000, immutable' : 'no-cache',
      ),
  };
  fastify.register(import('@fastify/static'), options);
  // the router uses this route for /console/ too. Without the slash the browser would resolve relative paths wrongly
  fastify.get('/console', (request, reply) =>
    /^\/console(\?|$)/.test(request.url) ? reply.redirect('/console/', HttpStatus.FOUND) : sendPage(reply),
  );
  fastify.get<{ Params: { '*': string } }>('/console/*', ({ params: { '*': path } }, reply) => {
    if (ROUTE.test(path)) return sendPage(reply);
    if (NOT_SERVED.test(path)) throw notFound();
    if (ASSET.test(path) || FILE.test(path)) return send(reply, path);
    throw notFound();
  });
  return true;
}

function sendPage(reply: FastifyReply): FastifyReply {
  return send(reply, INDEX);
}

function send(reply: FastifyReply, file: string): FastifyReply {
  return reply.headers({ 'Content-Security-Policy': POLICY, 'X-Frame-Options': 'DENY' }).sendFile(file);
}

function notFound() {
  return problem('NOT_FOUND', 'not found');
}
