import { hash, randomBytes } from 'node:crypto';

/** A new token: 32 random bytes, with a prefix that secret scanners can recognize. */
export function newInvitationToken(): string {
  return `inv_${randomBytes(32).toString('base64url')}`;
}

/** The stored form of a token. It has 256 bits of entropy, so an unsalted digest is enough, and can be indexed. */
export function digestOfToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** The link to the console's page. Browsers do not send the fragment, so that the token is in no access log. */
export function linkOf(token: string): string {
  return `/console/invitation#${token}`;
}
