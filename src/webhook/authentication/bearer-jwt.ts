import type { AuthService } from '../../auth/auth.service.js';
import type { Owner, Owners } from './owners.js';

/**
 * Authenticates a user by a Bearer token that is a JWT (W2, order 1).
 * @param fromMemory whether what is remembered of the user will do
 * @returns undefined when the JWT is not valid (A3)
 */
export async function byBearerJwt(
  auth: AuthService,
  owners: Owners,
  token: string,
  fromMemory: boolean,
): Promise<Owner | undefined> {
  const claims = await auth.claimsOf(token);
  if (!claims) return undefined;
  // what is remembered of a user says nothing of the console's session (N10)
  if (claims.sid !== undefined && !(await auth.userOfClaims(claims))) return undefined;
  const remembered = fromMemory ? owners.remembered(claims.sub) : undefined;
  if (remembered?.tokenVersion === claims.ver) return remembered;
  const owner = await owners.read(claims.sub);
  return owner?.tokenVersion === claims.ver ? owner : undefined;
}
