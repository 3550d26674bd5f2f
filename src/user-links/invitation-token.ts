import { hash, randomBytes } from 'node:crypto';

/** A new token: 32 random bytes, with a prefix that secret scanners can recognize. */
export function newInvitationToken(): string {
  return `inv_${randomBytes(32).toString('base64url')}`;
}

/** The stored form of a token: an unsalted digest, which can be indexed. It is safe because a token has 256 bits of entropy. */
export function digestOfToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** The link to the console's page. Browsers do not send the fragment, so the token is in no access log. */
export function linkOf(token: string): string {
  return `/console/invitation#${token}`;
}
