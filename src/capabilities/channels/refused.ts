import { errorLine } from '../../platform/redaction/error-line.js';
import { maskTokens } from '../../platform/redaction/masked-tokens.js';
import type { Message } from './channel.js';

/** The most characters of a text of the other side in a reason. */
const MAX_REASON = 300;

/**
 * The reason of a try that failed, from a text of the other side (G20), which may quote the message: one line without secrets and tokens, masked
 * before it is cut.
 * @param secrets besides those of the message
 */
export function reasonFor(message: Message, text: string, secrets: readonly string[] = []): string {
  const line = errorLine(text, [...secretsOf(message), ...secrets]);
  return maskTokens(line).slice(0, MAX_REASON).toWellFormed();
}

/** What stands behind the `#` of the links of a message: a token (G21, A44). */
function secretsOf({ path, links = [] }: Message): string[] {
  return [path, ...links.map((link) => link.path)].map((link) => link.split('#').slice(1).join('#'));
}
