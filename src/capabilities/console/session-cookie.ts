import type { FastifyRequest } from 'fastify';
import { isJwtShaped } from '../../domain/text.js';

const NAME = 'relay_session';
/** By https: only this host can set a cookie with the prefix, and only for all of its paths. */
const HOST_NAME = `__Host-${NAME}`;
/** Scripts cannot read the cookie, and other sites cannot send it. */
const ATTRIBUTES = 'HttpOnly; SameSite=Strict';
/** Hosts that browsers trust without TLS; all other hosts need https (N3, N5). */
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])$/i;

/**
 * Whether the browser uses https: X-Forwarded-Proto says so (if TRUST_PROXY allows it), the Origin of the page says so, or the host is
 * not local. Behind a proxy that sets the host of the upstream, Origin still shows https.
 */
function isSecure({ protocol, hostname, headers }: FastifyRequest): boolean {
  return protocol === 'https' || headers.origin?.startsWith('https:') === true || !LOCAL_HOST.test(hostname);
}

/**
 * The JWT in the cookie of a request (N3). The JWT is not verified.
 * @returns undefined when there is no cookie, when its value is not a JWT, or when the JWT names no session (N10; a token of
 *   `/auth/login` names none). Also undefined when two cookies of the name are sent, or by https one without the prefix for a session that
 *   has the prefix: another host of the domain may have set it
 */
export function tokenInCookie(request: FastifyRequest): string | undefined {
  const { cookie } = request.raw.headers;
  const own = valuesOf(HOST_NAME, cookie);
  if (own.length > 0) return sessionIn(own)?.token;
  const plain = sessionIn(valuesOf(NAME, cookie));
  return plain?.hasPrefix && isSecure(request) ? undefined : plain?.token;
}

/** The JWTs of all cookies of a request, whatever their names: a sign-out ends each. */
export function tokensInCookies({ raw }: FastifyRequest): string[] {
  const { cookie } = raw.headers;
  return [HOST_NAME, NAME].flatMap((name) => sessionIn(valuesOf(name, cookie))?.token ?? []);
}

function valuesOf(name: string, cookies = ''): string[] {
  return cookies
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** The one value, if it names a session. */
function sessionIn([token, ...others]: readonly string[]) {
  if (token === undefined || others.length > 0 || !isJwtShaped(token)) return undefined;
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
    return typeof claims?.sid === 'string' ? { token, hasPrefix: claims.pre === true } : undefined;
  } catch {
    return undefined;
  }
}

/** The values of `Set-Cookie` that begin a session. By https they end a cookie of the version before, which had no prefix. */
export function sessionCookies(token: string, maxAgeSeconds: number, request: FastifyRequest): string[] {
  if (!isSecure(request)) return [plainCookie(token, maxAgeSeconds)];
  const own = `${HOST_NAME}=${token}; Max-Age=${maxAgeSeconds}; Path=/; ${ATTRIBUTES}; Secure`;
  return [own, `${plainCookie('', 0)}; Secure`];
}

/** The values of `Set-Cookie` that end the session. */
export function endedCookies(request: FastifyRequest): string[] {
  return sessionCookies('', 0, request);
}

/** Without https there is no prefix; browsers then send the cookie only below /console. */
function plainCookie(token: string, maxAgeSeconds: number): string {
  return `${NAME}=${token}; Max-Age=${maxAgeSeconds}; Path=/console; ${ATTRIBUTES}`;
}
