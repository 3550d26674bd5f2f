import { hash, randomBytes } from 'node:crypto';

/** A new token: 32 random bytes, and a prefix by which scanners of secrets, and people, know what it is. */
export function newInvitationToken(): string {
  return `inv_${randomBytes(32).toString('base64url')}`;
}

/** What is stored of a token. It has more entropy than anybody can guess: a plain digest is enough, and can be looked up. */
export function digestOfToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Where the console answers an invitation. Browsers send no fragment: the token comes into no log on its way. */
export function linkOf(token: string): string {
  return `/console/invitation#${token}`;
}
