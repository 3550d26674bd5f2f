import { maskCards } from '../../domain/card-numbers.js';
import { withoutSecrets } from './redaction.js';

const MAX_ERROR_LENGTH = 1_000;
/**
 * The characters of a longer text that are read, and those at their end that are left out: the end may cut a secret, whose beginning alone is not
 * found. The worst text takes a few milliseconds.
 */
const [READ, LEFT_OUT] = [4_096, 2_048];

/**
 * Makes a text fit for `lastError` (D18, L12): one line of at most 1,000 characters, control characters replaced by spaces, card
 * numbers masked (W38).
 * @param secrets replaced by {@link withoutSecrets}
 */
export function errorLine(text: string, secrets: readonly string[] = []): string {
  const isCut = text.length > READ;
  const found = maskCards(withoutSecrets(isCut ? text.slice(0, READ) : text, secrets));
  const shown = isCut ? found.slice(0, -LEFT_OUT) : found;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
  const line = shown.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/g, ' ').trim();
  return line.length > MAX_ERROR_LENGTH
    ? `${line.slice(0, MAX_ERROR_LENGTH - 1).toWellFormed()}…`
    : line.toWellFormed();
}
