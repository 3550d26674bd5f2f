import type { AuthService } from '../../auth/auth.service.js';
import type { Principal } from '../../auth/principal.js';

/**
 * Authenticates a user by a Bearer token that is a JWT (W2, order 1).
 * @returns undefined when the JWT is not valid (A3)
 */
export async function byBearerJwt(auth: AuthService, token: string): Promise<Principal | undefined> {
  const user = await auth.userOfToken(token);
  return user && { kind: 'user', user };
}
