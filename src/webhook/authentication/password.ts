import type { AuthService } from '../../auth/auth.service.js';
import type { PasswordSender } from '../../auth/password-queue.js';
import type { Principal } from '../../auth/principal.js';
import type { Credentials } from '../../domain/transaction.js';

/**
 * Authenticates a user by email and password, from the header or from the body (W2, orders 2 and 3).
 * @returns undefined when the credentials are wrong
 * @throws 429 TOO_MANY_REQUESTS (A9); 503 TOO_MANY_PASSWORD_CHECKS (A7); ClientGoneError
 */
export async function byCredentials(
  auth: AuthService,
  credentials: Credentials,
  sender: PasswordSender,
): Promise<Principal | undefined> {
  const user = await auth.userOfCredentials(credentials, sender);
  return user && { kind: 'user', user };
}

/**
 * Reads HTTP Basic credentials. They are split at the first colon: a password may contain one, an email does not.
 * @param encoded base64 of `email:password`
 * @returns undefined when they are malformed
 */
export function decodeBasic(encoded: string): Credentials | undefined {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon > 0 ? { email: text.slice(0, colon), password: text.slice(colon + 1) } : undefined;
}
