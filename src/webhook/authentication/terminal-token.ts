import { hash, timingSafeEqual } from 'node:crypto';

/**
 * The check of the terminal platform's static Bearer token (W2, order 1; W33). It takes the same time for every token: digests have
 * one length, and each expected token is compared.
 * @param expected TERMINAL_BEARER_TOKEN and its previous value; an undefined one is not configured and matches nothing
 */
export function terminalTokenCheck(expected: readonly (string | undefined)[]): (token: string) => boolean {
  const digests = expected.filter((token) => token !== undefined).map(digest);
  return (token) => {
    const sent = digest(token);
    return digests.filter((known) => timingSafeEqual(sent, known)).length > 0;
  };
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
