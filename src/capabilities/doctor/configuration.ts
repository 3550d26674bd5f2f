import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { percentDecoded } from '../../domain/text.js';
import { type Config, loadConfig } from '../../platform/config/config.js';
import { ConfigError, type Environment } from '../../platform/config/environment.js';
import { isGiven } from '../../platform/config/secret-files.js';
import { secretsOfMail } from '../channels/mail-transport.js';
import { bad, count, errorText, ok, type Result } from './check.js';

/**
 * Loads the configuration like the relay at its start, but creates no secrets.
 * @returns the check, and the configuration when it is valid
 */
export function readConfiguration(env: Environment): { readonly check: Result; readonly config?: Config } {
  try {
    const config = loadConfig({ ...env, ...placeholderSecrets(env) });
    return { config, check: ok(`complete (${config.environment})`) };
  } catch (error) {
    if (!(error instanceof ConfigError)) return { check: bad(`cannot be read: ${errorText(error)}`) };
    const { problems } = error;
    const text = `the relay cannot start: ${count(problems.length, 'problem')}`;
    return { check: bad(text, { details: problems, hint: 'every variable is described in .env.example' }) };
  }
}

/** Random values for the missing secrets, which loadConfig() would otherwise generate and write into DATA_DIR. */
function placeholderSecrets(env: Environment): Environment {
  if (isGiven(env, 'DATABASE_URL') || env.NODE_ENV === 'production') return {};
  const dataDir = resolve(env.DATA_DIR || './data');
  const missing = (variable: string, file: string) =>
    !isGiven(env, variable) && !pathExists(join(dataDir, file))
      ? { [variable]: randomBytes(32).toString('base64') }
      : {};
  try {
    return { ...missing('JWT_SECRET', 'jwt-secret'), ...missing('SECRETS_KEY', 'secrets-key') };
  } catch (error) {
    throw new ConfigError([`DATA_DIR cannot be used: ${errorText(error)}`]);
  }
}

/** @throws when the path cannot be read, for example without permission: the path may exist then */
export function pathExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Shorter secrets are not redacted: they may be part of other words, and the report would become unreadable (S21). */
const LEAST_STRUCK_LENGTH = 6;

/** The secrets that are redacted in the doctor's output. */
export function struckSecrets(secrets: Iterable<string | null | undefined>): string[] {
  return [...secrets].filter((secret) => secret != null).filter((secret) => secret.length >= LEAST_STRUCK_LENGTH);
}

/** Lists the secrets of the configuration, for redaction: those of SECRET_VARIABLES, and what they contain. */
export function secretsOf(config: Config): (string | undefined)[] {
  const { pos, databaseUrl } = config;
  const url = databaseUrl ? new URL(databaseUrl) : undefined;
  const passwords = url
    ? [url.password, percentDecoded(url.password), url.searchParams.get('password') ?? undefined]
    : [];
  const keys = [config.secretsKey, config.secretsKeyPrevious].map((key) => key?.toString('base64'));
  const tokens = [config.jwtSecret, config.terminalBearerToken, config.terminalBearerTokenPrevious];
  const { metricsToken, admin, alerts, tracing } = config;
  return [
    ...[...passwords, ...keys, ...tokens, metricsToken, admin?.password],
    ...[pos.credentials?.secret, pos.testCredentials?.secret, alerts.webhook?.secret, alerts.webhook?.url],
    ...secretsOfMail(alerts.mail?.smtpUrl),
    ...Object.values(tracing.collector?.headers ?? {}),
  ];
}
