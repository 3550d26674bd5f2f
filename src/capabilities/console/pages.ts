import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HttpStatus } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '../../platform/http/problem.js';
import { SharedFiles } from '../../platform/http/shared-files.js';

const INDEX = 'index.html';
/** Files with a hash of their content in their names. */
const ASSET = /^assets\/[\w-][\w.-]*$/;
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
  const files = new SharedFiles(folder);
  // the router uses this route for /console/ too. Without the slash the browser would resolve relative paths wrongly
  fastify.get('/console', (request, reply) =>
    /^\/console(\?|$)/.test(request.url)
      ? reply.redirect('/console/', HttpStatus.FOUND)
      : send(files, INDEX, request, reply),
  );
  fastify.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    const { '*': path } = request.params;
    if (ROUTE.test(path)) return send(files, INDEX, request, reply);
    if (!NOT_SERVED.test(path) && (ASSET.test(path) || FILE.test(path))) return send(files, path, request, reply);
    throw notFound();
  });
  return true;
}

/** @throws 404, which is not stored: another version of the relay may have the file */
function send(files: SharedFiles, name: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const sent = files.send(name, request, reply, {
    'Content-Security-Policy': POLICY,
    'X-Frame-Options': 'DENY',
    'Cache-Control': ASSET.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  if (!sent) throw notFound();
  return sent;
}

function notFound() {
  return problem('NOT_FOUND', 'not found');
}
