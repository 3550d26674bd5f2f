import { readFileSync } from 'node:fs';

/** The variables whose values are secrets. Each may be given as a file instead (S41). The doctor redacts all of them (S21). */
export const SECRET_VARIABLES = [
  ...['DATABASE_URL', 'JWT_SECRET', 'SECRETS_KEY', 'SECRETS_KEY_PREVIOUS', 'ADMIN_PASSWORD'],
  ...['TERMINAL_BEARER_TOKEN', 'TERMINAL_BEARER_TOKEN_PREVIOUS', 'METRICS_TOKEN', 'POS_SECRET', 'POS_TEST_SECRET'],
  // of many services the address is all that a sender needs
  ...['SMTP_URL', 'ALERT_WEBHOOK_URL', 'ALERT_WEBHOOK_SECRET', 'OTEL_EXPORTER_OTLP_HEADERS'],
] as const;

const SECRETS: ReadonlySet<string> = new Set(SECRET_VARIABLES);

/** The variable that names the file of a secret, such as `JWT_SECRET_FILE`; undefined: the variable is no secret. */
export function fileVariableOf(name: string): string | undefined {
  return SECRETS.has(name) ? `${name}_FILE` : undefined;
}

/** Whether a variable, or that of its file, is set and not empty. The file is not read. */
export function isGiven(env: Readonly<Record<string, string | undefined>>, name: string): boolean {
  const fileVariable = fileVariableOf(name);
  return Boolean(env[name] || (fileVariable !== undefined && env[fileVariable]));
}

/**
 * The content of the file of a secret, without a byte order mark at its start and a line end at its end, as editors and `echo` write them.
 * @throws Error whose message says why, and never quotes the content
 */
export function readSecretFile(path: string): string {
  const text = decoded(bytesOf(path)).replace(/\r?\n$/, '');
  if (text === '') throw new Error('it is empty');
  return text;
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Error(`it cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** A decoder leaves the byte order mark out. */
function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is no text in UTF-8');
  }
}
