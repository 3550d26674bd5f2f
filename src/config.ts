import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type PosPayment, TENDER_TYPES, type TenderRules } from './domain/tender.js';
import { isJwtShaped, isPrintable } from './domain/text.js';

/**
 * Everything the environment decides, read once and frozen (DECISIONS 1). A class only so that Nest can inject it by type.
 * Durations are in ms unless the name says otherwise.
 */
export class Config {
  readonly environment: string;
  readonly port: number;
  readonly host: string;
  readonly logLevel: string;
  readonly trustProxy: boolean | number | string;
  readonly bodyLimitBytes: number;
  /** origins whose pages may call the API; empty: none */
  readonly corsOrigins: readonly string[];
  /** names this process in `locked_by` and in the log */
  readonly instance: string;

  /** undefined: the embedded database in `dataDir` */
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize: number;
  readonly dataDir: string;

  readonly jwtSecret: string;
  readonly jwtExpiresInSeconds: number;
  readonly secretsKey: Buffer;
  readonly secretsKeyPrevious: Buffer | undefined;
  readonly admin: { readonly email: string; readonly password: string } | undefined;
  readonly bcryptCost: number;
  /** 0: no limit */
  readonly loginAttemptsPerMinute: number;

  readonly terminalBearerToken: string | undefined;
  readonly terminalTestStoreCode: string | undefined;

  readonly pos: PosConfig;
  readonly outbox: OutboxConfig;
}

export interface PosConfig {
  /** no trailing slash */
  readonly baseUrl: string;
  readonly testBaseUrl: string;
  readonly credentials: PosCredentials | undefined;
  readonly testCredentials: PosCredentials | undefined;
  /** one deadline for a whole call */
  readonly timeoutMs: number;
  readonly tokenTtlMs: number;
  /** empty: the bare token */
  readonly tokenScheme: string;
  readonly cancelPath: string;
  readonly duplicateErrorCodes: ReadonlySet<number>;
  readonly temporaryErrorCodes: ReadonlySet<number>;
  readonly orderExtra: Readonly<Record<string, unknown>>;
  readonly tenders: TenderRules;
}

export interface PosCredentials {
  readonly partnerId: string;
  readonly secret: string;
}

export interface OutboxConfig {
  readonly workerEnabled: boolean;
  readonly tickMs: number;
  readonly batchSize: number;
  readonly pace: 'tick' | 'eager';
  readonly maxAttempts: number;
  readonly reaperIntervalMs: number;
  readonly processingTtlMs: number;
}

/** All problems at once, by variable name, without a value: what the operator reads before exit code 1. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      [
        `The relay cannot start: its configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}.`,
        ...problems.map((problem) => `  - ${problem}`),
        'Every variable is described in .env.example.',
      ].join('\n'),
    );
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws ConfigError naming every bad or missing variable */
export function loadConfig(env: Environment): Config {
  const read = new Reader(env);
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const dataDir = resolve(read.text('DATA_DIR') ?? './data');
  const environment = read.text('NODE_ENV') ?? 'development';
  const secretsRequired = databaseUrl !== undefined || environment === 'production';
  const jwtSecret = read.text('JWT_SECRET');
  if (jwtSecret !== undefined && jwtSecret.length < 32) read.problem('JWT_SECRET', 'must have at least 32 characters');
  const secretsKey = read.key('SECRETS_KEY');
  if (secretsRequired) {
    const why = databaseUrl ? 'DATABASE_URL is set' : 'NODE_ENV is production';
    if (!read.text('JWT_SECRET'))
      read.problem('JWT_SECRET', `is required when ${why}: a random text of at least 32 characters`);
    if (!read.text('SECRETS_KEY'))
      read.problem('SECRETS_KEY', `is required when ${why}: 32 random bytes in base64 (openssl rand -base64 32)`);
  }
  const rest = {
    environment,
    port: read.integer('PORT', 3000, 0, 65_535),
    host: read.text('HOST') ?? '0.0.0.0',
    logLevel: read.oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
    trustProxy: read.trustProxy('TRUST_PROXY'),
    corsOrigins: read.origins('CORS_ORIGINS'),
    bodyLimitBytes: read.integer('BODY_LIMIT_BYTES', 1_048_576, 1_024, 64 * 1_048_576),
    instance: `${hostname()}:${process.pid}`,
    databaseUrl,
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', 10, 1, 200),
    dataDir,
    jwtExpiresInSeconds: read.durationSeconds('JWT_EXPIRES_IN', '7d'),
    secretsKeyPrevious: read.key('SECRETS_KEY_PREVIOUS'),
    admin: read.admin(),
    bcryptCost: read.integer('BCRYPT_COST', 12, 10, 15),
    loginAttemptsPerMinute: read.integer('LOGIN_ATTEMPTS_PER_MINUTE', 0, 0, 10_000),
    terminalBearerToken: read.terminalToken(),
    terminalTestStoreCode: read.text('TERMINAL_TEST_STORE_CODE'),
    pos: readPos(read),
    outbox: readOutbox(read),
  };
  if (rest.pos.timeoutMs * 3 >= rest.outbox.processingTtlMs)
    read.problem('POS_TIMEOUT_MS', 'must be below a third of PROCESSING_TTL_MS, so that no call outlives its lease');
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return Object.freeze({
    ...rest,
    pos: Object.freeze(rest.pos),
    outbox: Object.freeze(rest.outbox),
    jwtSecret: jwtSecret ?? keptSecret(dataDir, 'jwt-secret'),
    secretsKey: secretsKey ?? Buffer.from(keptSecret(dataDir, 'secrets-key'), 'base64'),
  });
}

function readPos(read: Reader): PosConfig {
  const baseUrl = read.baseUrl('POS_BASE_URL');
  if (!read.text('POS_BASE_URL'))
    read.problem(
      'POS_BASE_URL',
      'is required: the address of the POS order interface, for example https://pos.example',
    );
  const credentials = read.credentials('POS_PARTNER_ID', 'POS_SECRET');
  return {
    baseUrl: baseUrl ?? '',
    testBaseUrl: read.baseUrl('POS_TEST_BASE_URL') ?? baseUrl ?? '',
    credentials,
    testCredentials: read.credentials('POS_TEST_PARTNER_ID', 'POS_TEST_SECRET'),
    timeoutMs: read.integer('POS_TIMEOUT_MS', 10_000, 100, 300_000),
    tokenTtlMs: read.integer('POS_TOKEN_TTL_MS', 3_000_000, 1_000, 30 * 86_400_000),
    tokenScheme: read.scheme('POS_TOKEN_SCHEME', 'Bearer'),
    cancelPath: read.path('POS_CANCEL_PATH', '/cancel-order'),
    duplicateErrorCodes: read.codes('POS_DUPLICATE_ERROR_CODES', '904'),
    temporaryErrorCodes: read.codes('POS_TEMPORARY_ERROR_CODES', ''),
    orderExtra: read.object('POS_ORDER_EXTRA') ?? {},
    tenders: { table: read.tenders('POS_TENDER_TYPES'), unknown: read.text('POS_UNKNOWN_TENDER') ?? 'PARTNER_PAYMENT' },
  };
}

function readOutbox(read: Reader): OutboxConfig {
  if (read.integer('OUTBOX_RETENTION_DAYS', 0, 0, 36_500) > 0)
    read.problem('OUTBOX_RETENTION_DAYS', 'can only be 0 (keep everything) in this version');
  return {
    workerEnabled: read.boolean('WORKER_ENABLED', true),
    tickMs: read.integer('OUTBOX_TICK_MS', 20_000, 10, 3_600_000),
    batchSize: read.integer('OUTBOX_BATCH_SIZE', 20, 1, 1_000),
    pace: read.oneOf('OUTBOX_PACE', ['tick', 'eager'], 'tick') as 'tick' | 'eager',
    maxAttempts: read.integer('OUTBOX_MAX_ATTEMPTS', 30, 1, 1_000_000),
    reaperIntervalMs: read.integer('REAPER_INTERVAL_MS', 20_000, 10, 3_600_000),
    processingTtlMs: read.integer('PROCESSING_TTL_MS', 120_000, 1_000, 86_400_000),
  };
}

const KEPT_SECRET_BYTES = 32;

/**
 * A secret of the embedded default: made once, kept beside the database, readable by its owner alone.
 * @throws ConfigError when the folder cannot be used, or the secret in it is damaged
 */
function keptSecret(dataDir: string, name: string): string {
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

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
const EMAIL = /^[^\s@]+@[^\s@]+$/;

/** Reads variables by name and collects what is wrong with them; an empty value is an absent one. */
class Reader {
  readonly problems: string[] = [];

  constructor(private readonly env: Environment) {}

  problem(name: string, text: string): undefined {
    this.problems.push(`${name} ${text}`);
    return undefined;
  }

  text(name: string): string | undefined {
    return this.env[name] || undefined;
  }

  integer(name: string, fallback: number, least: number, most: number): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    this.problem(name, `must be a whole number from ${least} to ${most}`);
    return fallback;
  }

  boolean(name: string, fallback: boolean): boolean {
    return this.oneOf(name, ['true', 'false'], String(fallback)) === 'true';
  }

  oneOf(name: string, allowed: readonly string[], fallback: string): string {
    const text = this.text(name) ?? fallback;
    if (allowed.includes(text)) return text;
    this.problem(name, `must be one of: ${allowed.join(', ')}`);
    return fallback;
  }

  durationSeconds(name: string, fallback: string): number {
    const [, count, unit = ''] = /^(\d{1,9})([smhdw])$/.exec(this.text(name) ?? fallback) ?? [];
    const seconds = Number(count) * (UNIT_SECONDS[unit] ?? Number.NaN);
    if (seconds > 0) return seconds;
    this.problem(name, 'must be a duration with its unit: 900s, 30m, 12h, 7d or 2w');
    return 0;
  }

  url(name: string, protocols: readonly string[]): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    return this.problem(name, `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`);
  }

  baseUrl(name: string): string | undefined {
    const text = this.url(name, ['http:', 'https:']);
    if (text === undefined) return undefined;
    const url = new URL(text);
    if (url.username || url.password || url.search || url.hash)
      return this.problem(name, 'must not carry credentials, a query or a fragment');
    return text.replace(/\/+$/, '');
  }

  key(name: string): Buffer | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const key = Buffer.from(text, 'base64');
    if (key.length === 32 && /^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return key;
    return this.problem(name, 'must be 32 bytes in base64 (openssl rand -base64 32)');
  }

  credentials(partnerName: string, secretName: string): PosCredentials | undefined {
    const partnerId = this.headerValue(partnerName);
    const secret = this.headerValue(secretName);
    if (partnerId && secret) return { partnerId, secret };
    if (this.text(partnerName) && !this.text(secretName)) this.problem(secretName, `is required with ${partnerName}`);
    if (this.text(secretName) && !this.text(partnerName)) this.problem(partnerName, `is required with ${secretName}`);
    return undefined;
  }

  admin(): Config['admin'] {
    const email = this.text('ADMIN_EMAIL');
    const password = this.text('ADMIN_PASSWORD');
    if (email && !EMAIL.test(email)) this.problem('ADMIN_EMAIL', 'must be an email address');
    if (password && (password.length < 8 || Buffer.byteLength(password) > 72))
      this.problem('ADMIN_PASSWORD', 'must have 8 characters at least and 72 bytes at most');
    if (email && !password) this.problem('ADMIN_PASSWORD', 'is required with ADMIN_EMAIL');
    if (password && !email) this.problem('ADMIN_EMAIL', 'is required with ADMIN_PASSWORD');
    return email && password ? { email: email.toLowerCase(), password } : undefined;
  }

  terminalToken(): string | undefined {
    const name = 'TERMINAL_BEARER_TOKEN';
    const token = this.headerValue(name);
    if (token && isJwtShaped(token))
      return this.problem(
        name,
        'must not be shaped like a JWT (three parts joined by dots): it would never be compared',
      );
    return token;
  }

  path(name: string, fallback: string): string {
    const text = this.text(name) ?? fallback;
    if (/^\/[\w./~%-]*$/.test(text)) return text;
    this.problem(name, 'must be a path that begins with a slash, for example /cancel-order');
    return fallback;
  }

  scheme(name: string, fallback: string): string {
    const text = this.env[name] ?? fallback;
    if (/^[A-Za-z0-9-]*$/.test(text)) return text;
    this.problem(name, 'must be one word, for example Bearer, or empty for the bare token');
    return fallback;
  }

  codes(name: string, fallback: string): ReadonlySet<number> {
    const words = (this.env[name] ?? fallback).split(',').map((word) => word.trim());
    const codes = words.filter((word) => word !== '');
    if (!codes.every((code) => /^\d{1,9}$/.test(code))) this.problem(name, 'must be whole numbers separated by commas');
    return new Set(codes.map(Number));
  }

  origins(name: string): readonly string[] {
    const origins = (this.text(name) ?? '').split(',').map((word) => word.trim());
    const named = origins.filter((origin) => origin !== '');
    for (const origin of named)
      if (!URL.canParse(origin) || new URL(origin).origin !== origin)
        this.problem(name, 'must be origins separated by commas, for example https://staff.example');
    return named;
  }

  object(name: string): Readonly<Record<string, unknown>> | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // the same answer as for JSON that is no object: the value may hold a secret, so it is not repeated
    }
    return this.problem(name, 'must be a JSON object');
  }

  tenders(name: string): TenderRules['table'] {
    const table: Record<string, PosPayment> = { ...TENDER_TYPES };
    for (const [tenderType, value] of Object.entries(this.object(name) ?? {})) {
      const payment = typeof value === 'string' ? { code: value } : (value as PosPayment | null);
      if (typeof payment?.code === 'string' && payment.code !== '') table[tenderType] = payment;
      else this.problem(name, `must give tender type "${tenderType}" a code, or an object with a code`);
    }
    return table;
  }

  trustProxy(name: string): boolean | number | string {
    const text = this.text(name) ?? 'false';
    if (text === 'true' || text === 'false') return text === 'true';
    if (/^\d{1,2}$/.test(text)) return Number(text);
    if (/^[0-9a-fA-F.:/, ]+$/.test(text) || /^(loopback|linklocal|uniquelocal)$/.test(text)) return text;
    this.problem(name, 'must be true, false, a number of hops, or addresses separated by commas');
    return false;
  }

  /** Text that becomes an HTTP header: anything else makes HTTP clients throw, with the value in the error. */
  private headerValue(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || isPrintable(text)) return text;
    return this.problem(name, 'must be 1 to 256 printable ASCII characters without spaces');
  }
}
