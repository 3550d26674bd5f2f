import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../../auth/principal.js';

/**
 * Authenticates the terminal platform by the static Bearer token (W2, order 1).
 * @param expected TERMINAL_BEARER_TOKEN; undefined when it is not configured: no token matches then
 * @returns undefined when the token does not match
 */
export function byTerminalToken(expected: string | undefined, token: string): Principal | undefined {
  return expected !== undefined && equal(token, expected) ? { kind: 'terminal' } : undefined;
}

/** Compares in constant time: digests have the same length, whatever was sent. */
function equal(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
