import { normalizeEmail } from './account.js';
import { FREQUENT_PASSWORDS } from './frequent-passwords.js';

/** A local part of fewer characters is no password by itself (A5), so it is not compared. */
const MIN_LOCAL_PART = 8;

/**
 * Why others may guess a new password of this account (A33). Letters are compared without case, whole passwords only.
 * @returns a text that follows the name of the field or variable; undefined: nothing is known against the password
 */
export function whyGuessable(password: string, email: string): string | undefined {
  const lower = password.toLowerCase();
  if (FREQUENT_PASSWORDS.has(lower)) return 'is one of the 3,000 most frequent passwords';
  const address = normalizeEmail(email);
  const [localPart = ''] = address.split('@');
  const same = normalizeEmail(password);
  const isOwn = same === address || (localPart.length >= MIN_LOCAL_PART && same === localPart);
  return isOwn ? 'is the email of the account' : undefined;
}
