import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Config, loadConfig } from '../config.js';
import { ConfigError, type Environment } from '../environment.js';
import { bad, type Check, count, good, reasonOf } from './check.js';

const NAME = 'configuration';

/** What the relay would read, and whether it could start with it. Creates nothing. */
export function readConfiguration(env: Environment): { readonly check: Check; readonly config?: Config } {
  try {
    const config = loadConfig({ ...env, ...standIns(env) });
    return { config, check: good(NAME, `complete (${config.environment})`) };
  } catch (error) {
    if (!(error instanceof ConfigError)) return { check: bad(NAME, `cannot be read: ${reasonOf(error)}`) };
    const { problems } = error;
    const text = `the relay cannot start: ${count(problems.length, 'problem')}`;
    return { check: bad(NAME, text, { details: problems, hint: 'every variable is described in .env.example' }) };
  }
}

/** Secrets that the relay would make at its first start, so that reading its configuration does not make them. */
function standIns(env: Environment): Environment {
  if (env.DATABASE_URL || env.NODE_ENV === 'production') return {};
  const dataDir = resolve(env.DATA_DIR || './data');
  const missing = (variable: string, file: string) =>
    !env[variable] && !isThere(join(dataDir, file)) ? { [variable]: randomBytes(32).toString('base64') } : {};
  try {
    return { ...missing('JWT_SECRET', 'jwt-secret'), ...missing('SECRETS_KEY', 'secrets-key') };
  } catch (error) {
    throw new ConfigError([`DATA_DIR cannot be used: ${reasonOf(error)}`]);
  }
}

/** @throws when that cannot be known: a folder in which we may not look is not a new one */
export function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Everything in the configuration that must not be printed. */
export function secretsOf(config: Config): (string | undefined)[] {
  const { pos, databaseUrl } = config;
  const url = databaseUrl ? new URL(databaseUrl) : undefined;
  const passwords = url ? [url.password, decoded(url.password), url.searchParams.get('password') ?? undefined] : [];
  const keys = [config.secretsKey, config.secretsKeyPrevious].map((key) => key?.toString('base64'));
  const tokens = [config.jwtSecret, config.terminalBearerToken, config.admin?.password];
  return [...passwords, ...keys, ...tokens, pos.credentials?.secret, pos.testCredentials?.secret];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
