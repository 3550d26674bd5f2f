import { hash, randomBytes } from 'node:crypto';

/** How long the token of a test message can be used; ms (L45). */
const VALID_MS = 24 * 3_600_000;

/** A single-use token: 32 random bytes in base64url, with what is stored of it. */
export interface ConfirmToken {
  readonly token: string;
  /** SHA-256 in hex */
  readonly digest: string;
  readonly until: Date;
}

export function newConfirmToken(): ConfirmToken {
  const token = `cfm_${randomBytes(32).toString('base64url')}`;
  return { token, digest: digestOfConfirmToken(token), until: new Date(Date.now() + VALID_MS) };
}

/** The stored form: an unsalted digest is safe, because a token has 256 bits of entropy. */
export function digestOfConfirmToken(token: string): string {
  return hash('sha256', token, 'hex');
}
