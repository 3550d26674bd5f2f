import { isJwtShaped } from '../domain/text.js';

const NAME = 'relay_session';
/** Scripts cannot read the cookie, other sites cannot send it, and browsers send it only below /console. */
const ATTRIBUTES = 'Path=/console; HttpOnly; SameSite=Strict';

/**
 * The JWT in the header `Cookie`. The JWT is not verified.
 * @returns undefined when there is no cookie, when its value is not a JWT, or when the JWT names no session (N10; a token of
 *   `/auth/login` names none). Also undefined when two cookies are sent: another host of the domain may have set one of them
 */
export function tokenInCookie(header: string | undefined): string | undefined {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${NAME}=`))
    .map((pair) => pair.slice(NAME.length + 1));
  const [token] = values;
  return values.length === 1 && token !== undefined && isJwtShaped(token) && namesSession(token) ? token : undefined;
}

function namesSession(token: string): boolean {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
    return typeof claims?.sid === 'string';
  } catch {
    return false;
  }
}

/** `Set-Cookie` that begins a session. @param secure whether browsers send the cookie over https only */
export function sessionCookie(token: string, maxAgeSeconds: number, secure: boolean): string {
  return `${NAME}=${token}; Max-Age=${maxAgeSeconds}; ${ATTRIBUTES}${secure ? '; Secure' : ''}`;
}

/** `Set-Cookie` that ends the session. */
export function endedCookie(secure: boolean): string {
  return sessionCookie('', 0, secure);
}
