import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './environment.js';

const KEPT_SECRET_BYTES = 32;

/**
 * A secret of the embedded default: made once, kept beside the database, readable by its owner alone.
 * @throws ConfigError when the folder cannot be used, or the secret in it is damaged
 */
export function keptSecret(dataDir: string, name: string): string {
  const file = join(dataDir, name);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (!existsSync(file)) makeSecret(file);
    const secret = readFileSync(file, 'utf8').trim();
    if (Buffer.from(secret, 'base64').length === KEPT_SECRET_BYTES) return secret;
  } catch (error) {
    throw new ConfigError([`DATA_DIR cannot be used: ${(error as Error).message}`]);
  }
  throw new ConfigError([`DATA_DIR holds a damaged secret, ${file}: restore it, or remove it to have a new one made`]);
}

/** Written whole under another name first: neither a crash nor a second process leaves half of it. */
function makeSecret(file: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(KEPT_SECRET_BYTES).toString('base64')}\n`, { flag: 'wx', mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
