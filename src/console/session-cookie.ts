import { isJwtShaped } from '../domain/text.js';

const NAME = 'relay_session';
/** Scripts cannot read it, other sites cannot send it, and only what is below /console gets it. */
const ATTRIBUTES = 'Path=/console; HttpOnly; SameSite=Strict';

/**
 * The JWT in the header `Cookie`. It is not verified yet.
 * @returns undefined when there is none, when it has not the shape of one, when it names no session (N10): a token of
 * `/auth/login` is not for cookies; and when two are sent: a neighbour in the same domain may have set the other, and nobody can
 * tell which is ours
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

/** `Set-Cookie` that begins a session. @param secure whether it may be sent by https alone */
export function sessionCookie(token: string, maxAgeSeconds: number, secure: boolean): string {
  return `${NAME}=${token}; Max-Age=${maxAgeSeconds}; ${ATTRIBUTES}${secure ? '; Secure' : ''}`;
}

/** `Set-Cookie` that ends the session. */
export function endedCookie(secure: boolean): string {
  return sessionCookie('', 0, secure);
}
