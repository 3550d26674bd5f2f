import type { Config } from './config.js';

/** A shorter static token may be guessed (S19). */
const LEAST_LENGTH = 16;

/** What is said of a weak token, after the name of its variable. */
export const WEAK_TOKEN_TEXT = `has fewer than ${LEAST_LENGTH} characters and may be guessed`;

/** The variables whose static token of the terminal platform is weak (S19). */
export function weakTokens({ terminalBearerToken, terminalBearerTokenPrevious }: Config): string[] {
  const tokens = {
    TERMINAL_BEARER_TOKEN: terminalBearerToken,
    TERMINAL_BEARER_TOKEN_PREVIOUS: terminalBearerTokenPrevious,
  };
  return Object.entries(tokens).flatMap(([name, token]) => (token && token.length < LEAST_LENGTH ? [name] : []));
}
