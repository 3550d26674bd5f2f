import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './environment.js';

const SECRET_BYTES = 32;

/**
 * Reads a generated secret from `dataDir`. The first start generates the secret (S8): 32 random bytes in base64, in a file of mode
 * 0600.
 * @param name the file's name
 * @throws ConfigError when the folder cannot be used, or the file does not hold 32 bytes
 */
export function generatedSecret(dataDir: string, name: string): string {
  const file = join(dataDir, name);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (!existsSync(file)) generateSecret(file);
    const secret = readFileSync(file, 'utf8').trim();
    if (Buffer.from(secret, 'base64').length === SECRET_BYTES) return secret;
  } catch (error) {
    throw new ConfigError([`DATA_DIR cannot be used: ${(error as Error).message}`]);
  }
  throw new ConfigError([`DATA_DIR holds a damaged secret, ${file}: restore it, or remove it to generate a new one`]);
}

/** Writes a temporary file, then links the final name to it, so that a crash or a second process cannot leave a partial secret. */
function generateSecret(file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(SECRET_BYTES).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
