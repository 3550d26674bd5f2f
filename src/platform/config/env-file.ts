import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * Adds the variables of a file, as in .env.example, to the environment; a variable that is set stays as it is. A file that does not exist
 * adds nothing. Editors of Windows put a byte order mark first: it is no part of the first variable's name (S1).
 */
export function loadEnvFile(path: string, environment: NodeJS.ProcessEnv): void {
  if (!existsSync(path)) return;
  // a decoder leaves the byte order mark out
  const text = new TextDecoder().decode(readFileSync(path));
  for (const [name, value] of Object.entries(parseEnv(text))) environment[name] ??= value;
}
