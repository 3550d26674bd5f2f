import { hash, timingSafeEqual } from 'node:crypto';

/**
 * The check of the terminal platform's static Bearer token (W2, order 1), in constant time: digests have the same length, whatever
 * was sent.
 * @param expected TERMINAL_BEARER_TOKEN; undefined when it is not configured: no token matches then
 */
export function terminalTokenCheck(expected: string | undefined): (token: string) => boolean {
  if (expected === undefined) return () => false;
  const digestOfExpected = digest(expected);
  return (token) => timingSafeEqual(digest(token), digestOfExpected);
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
