import { digestOf, newToken } from '../../platform/secrets/token.js';

/** How long the token of a test message can be used; ms (L45). */
const VALID_MS = 24 * 3_600_000;

/** A single-use token, with what is stored of it. */
export interface ConfirmToken {
  readonly token: string;
  /** SHA-256 in hex */
  readonly digest: string;
  readonly until: Date;
}

export function newConfirmToken(): ConfirmToken {
  const token = newToken('cfm_');
  return { token, digest: digestOf(token), until: new Date(Date.now() + VALID_MS) };
}
