import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

/** Matches the whole header: nothing may follow the token. */
const BEARER = /^Bearer +(\S+)$/i;

/** The token of the Authorization header; undefined when the header has no Bearer token. */
export function bearerTokenOf({ headers }: FastifyRequest): string | undefined {
  return BEARER.exec(headers.authorization ?? '')?.[1];
}

/**
 * Creates the check of a configured token: a token of the terminal platform (W2, W33) or METRICS_TOKEN (R7). The check takes the same
 * time for every sent token: all digests have the same length, and every expected digest is compared.
 * @param expected the configured tokens; undefined: not configured, nothing matches
 */
export function staticTokenCheck(...expected: readonly (string | undefined)[]): (token: string) => boolean {
  const digests = expected.filter((token) => token !== undefined).map(digest);
  return (token) => {
    const sent = digest(token);
    return digests.filter((known) => timingSafeEqual(sent, known)).length > 0;
  };
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
