import type { Config } from './config.js';

/** A shorter static token may be guessed (S19). */
const LEAST_LENGTH = 16;

/** Follows the name of the variable in a warning. */
export const WEAK_TOKEN_TEXT = `has fewer than ${LEAST_LENGTH} characters and may be guessed`;

/** @returns the names of the variables with a weak token (S19) */
export function weakTokens({ terminalBearerToken, terminalBearerTokenPrevious }: Config): string[] {
  const tokens = {
    TERMINAL_BEARER_TOKEN: terminalBearerToken,
    TERMINAL_BEARER_TOKEN_PREVIOUS: terminalBearerTokenPrevious,
  };
  return Object.entries(tokens).flatMap(([name, token]) => (token && token.length < LEAST_LENGTH ? [name] : []));
}
