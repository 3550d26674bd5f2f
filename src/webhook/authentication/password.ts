import { isTooLong } from '../../auth/auth.dto.js';
import type { AuthService } from '../../auth/auth.service.js';
import type { PasswordSender } from '../../auth/password-queue.js';
import { normalizeEmail } from '../../domain/account.js';
import type { Credentials } from '../../domain/transaction.js';
import type { Owner, Owners } from './owners.js';

/**
 * Authenticates a user by email and password, from the header or from the body (W2, orders 2 and 3).
 * @param fromMemory whether what is remembered of the user will do
 * @returns undefined when the credentials are wrong
 * @throws 429 TOO_MANY_REQUESTS (A9); 503 TOO_MANY_PASSWORD_CHECKS (A7); ClientGoneError
 */
export async function byCredentials(
  auth: AuthService,
  owners: Owners,
  credentials: Credentials,
  sender: PasswordSender,
  fromMemory: boolean,
): Promise<Owner | undefined> {
  if (isTooLong(credentials)) return undefined;
  const { password } = credentials;
  const account = normalizeEmail(credentials.email);
  const remembered = fromMemory ? owners.rememberedByEmail(account) : undefined;
  if (remembered && auth.isCached({ account, password, stored: remembered.passwordHash })) return remembered;
  const owner = await owners.readByEmail(account);
  return (await auth.isRight({ account, password, stored: owner?.passwordHash }, sender)) ? owner : undefined;
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
