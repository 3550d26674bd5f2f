import { HttpException } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest, onRequestHookHandler, RouteOptions } from 'fastify';
import { isOfConsole, markSession } from '../../platform/http/console-request.js';
import { problem } from '../../platform/http/problem.js';
import { PACE_HEADER, Pace, SLOW_PACE_SECONDS } from '../../platform/schedule/pace.js';
import { CONSOLE_CODES } from './error-codes.js';

import { tokenInCookie } from './session-cookie.js';

export const SESSION_PATH = '/console/session';

/** Routes that /console/api does not offer: pages, the session, and the login, because the answer of the login contains a token. */
const EXCLUDED = /^\/(console\b|docs\b|auth\/login$|$)/;

/**
 * Authenticates the console by its cookie (N3 to N5), and asks the pages to poll less often while the process is busy (N9). A request
 * below /console/api must come from a page of the same origin. The token of the session replaces the `Authorization` header of such a
 * request, so that guards and webhook read only this header. The cookies of other requests are ignored. Must be called before the
 * routes are registered.
 */
export function openConsoleDoor(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const pace = app.get(Pace);
  fastify.addHook('onRequest', (request, reply, next) => {
    pace.count();
    if (!isOfConsole(request)) return next();
    const refusal = refusalOf(request);
    if (refusal) return next(refusal);
    if (EXCLUDED.test(request.routeOptions.url ?? '')) return next(problem('NOT_FOUND', 'not found'));
    if (request.raw.headers.authorization === undefined) return next(signedOut());
    if (request.method === 'GET' && pace.isBusy()) reply.header(PACE_HEADER, SLOW_PACE_SECONDS);
    return next();
  });
  const atSession: onRequestHookHandler = (request, _reply, next) => next(refusalOf(request));
  // the hook is added to the route, because an address can be spelled in several ways
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (route.url !== SESSION_PATH && !route.url.startsWith(`${SESSION_PATH}/`)) return;
    route.onRequest = [...[route.onRequest ?? []].flat(), atSession];
  });
}

/**
 * Sets the header `Authorization` to the token of the cookie; without a token, removes the header.
 * @returns the error for a request that does not come from a page of the same origin
 */
function refusalOf(request: FastifyRequest): HttpException | undefined {
  const { headers } = request.raw;
  delete headers.authorization;
  // browsers set this header and scripts cannot set it: a request without it is refused too
  if (headers['sec-fetch-site'] !== 'same-origin') return crossSite(headers['sec-fetch-site']);
  const token = tokenInCookie(request);
  if (token !== undefined) {
    headers.authorization = `Bearer ${token}`;
    markSession(request);
  }
  return undefined;
}

function crossSite(sent: unknown): HttpException {
  const message =
    sent === undefined
      ? 'the browser does not say which page this comes from: open the console by https, or on localhost'
      : 'only for the pages of the console';
  return problem(CONSOLE_CODES.CROSS_SITE, message);
}

function signedOut(): HttpException {
  return problem('UNAUTHENTICATED', 'sign in to the console');
}
