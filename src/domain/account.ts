import { normalized, storableText } from './text.js';

/** bcrypt ignores every byte of a password after this one. */
export const MAX_PASSWORD_BYTES = 72;
const MIN_PASSWORD_LENGTH = 8;

/** The password rule (A5) as an error text; the name of the field or variable comes before it. */
export const PASSWORD_RULE = `must have ${MIN_PASSWORD_LENGTH} characters at least and ${MAX_PASSWORD_BYTES} bytes at most`;

/** Whether the value is a string that meets {@link PASSWORD_RULE}. Length counts characters, not UTF-16 units. */
export function isPassword(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    [...value].length >= MIN_PASSWORD_LENGTH &&
    new TextEncoder().encode(value).length <= MAX_PASSWORD_BYTES
  );
}

/**
 * The email as it is stored and compared (A5): trimmed, in lower case, in Unicode's composed form (both spellings of an
 * accented letter lead to one account), and without characters that Postgres refuses.
 */
export function normalizeEmail(email: string): string {
  return storableText(normalized(email.trim().toLowerCase(), 'NFC'));
}
