import { HttpException, HttpStatus } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import { isOfConsole } from '../http/console-request.js';
import { problem } from '../http/problem.js';
import { PACE_HEADER, Pace, SLOW_PACE_SECONDS } from './pace.js';
import { tokenInCookie } from './session-cookie.js';

export const SESSION_PATH = '/console/session';

/** Routes that are not below /console/api: pages, the session itself, and the login, whose answer shows a token to the script. */
const LEFT_OUT = /^\/(console\b|docs\b|auth\/login$|$)/;

/**
 * Lets the console in by its cookie (N3 to N5), and tells its pages to ask less often while there is much to do (N9). A request
 * below /console/api must come from a page of this very origin, and goes on as if it had sent the session's token as
 * `Authorization: Bearer`, whatever it sent there itself: so that guards, and the webhook, know one way only. No other request's
 * cookies are ever looked at. Must be called before the routes are registered.
 */
export function openConsoleDoor(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const pace = new Pace();
  fastify.addHook('onRequest', (request, reply, next) => {
    pace.count();
    if (!isOfConsole(request)) return next();
    const refusal = refusalOf(request, reply);
    if (refusal) return next(refusal);
    if (LEFT_OUT.test(request.routeOptions.url ?? ''))
      return next(problem(HttpStatus.NOT_FOUND, 'NOT_FOUND', 'not found'));
    if (request.raw.headers.authorization === undefined) return next(signedOut());
    if (request.method === 'GET' && pace.isBusy()) reply.header(PACE_HEADER, SLOW_PACE_SECONDS);
    return next();
  });
  const atSession: onRequestHookHandler = (request, reply, next) => next(refusalOf(request, reply));
  // by the route, not by the address, which can be written in many ways
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (route.url !== SESSION_PATH && !route.url.startsWith(`${SESSION_PATH}/`)) return;
    route.onRequest = [...[route.onRequest ?? []].flat(), atSession];
  });
}

/** Puts the session's token, and nothing else, where tokens stand. @returns the answer to who may not come in */
function refusalOf(request: FastifyRequest, reply: FastifyReply): HttpException | undefined {
  const { headers } = request.raw;
  reply.header('Cache-Control', 'no-store');
  delete headers.authorization;
  // browsers set it, and no script can: absent is as bad as false
  if (headers['sec-fetch-site'] !== 'same-origin') return crossSite(headers['sec-fetch-site']);
  const token = tokenInCookie(headers.cookie);
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  return undefined;
}

function crossSite(sent: unknown): HttpException {
  const message =
    sent === undefined
      ? 'the browser does not say which page this comes from: open the console by https, or on localhost'
      : 'this is for the pages of the console alone';
  return problem(HttpStatus.FORBIDDEN, 'CROSS_SITE', message);
}

function signedOut(): HttpException {
  return problem(HttpStatus.UNAUTHORIZED, 'UNAUTHENTICATED', 'sign in to the console');
}
