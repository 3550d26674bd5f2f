import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { TenderRules } from './domain/tender.js';
import { ConfigError, type Environment, Reader } from './environment.js';
import { keptSecret } from './kept-secret.js';

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
  /** 0: keep everything */
  readonly retentionDays: number;
  /** a due job that has waited longer is an alarm */
  readonly lateAlarmMs: number;
  /** a restaurant none of whose attempts succeeded for so long is an alarm */
  readonly refusingAlarmMs: number;
  readonly reaperIntervalMs: number;
  readonly processingTtlMs: number;
}

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
  return {
    workerEnabled: read.boolean('WORKER_ENABLED', true),
    tickMs: read.integer('OUTBOX_TICK_MS', 20_000, 10, 3_600_000),
    batchSize: read.integer('OUTBOX_BATCH_SIZE', 20, 1, 1_000),
    pace: read.oneOf('OUTBOX_PACE', ['tick', 'eager'], 'tick') as 'tick' | 'eager',
    retentionDays: read.integer('OUTBOX_RETENTION_DAYS', 0, 0, 36_500),
    lateAlarmMs: read.integer('ALARM_LATE_MS', 120_000, 1_000, 86_400_000),
    refusingAlarmMs: read.integer('ALARM_REFUSING_MS', 900_000, 10_000, 86_400_000),
    maxAttempts: read.integer('OUTBOX_MAX_ATTEMPTS', 30, 1, 1_000_000),
    reaperIntervalMs: read.integer('REAPER_INTERVAL_MS', 20_000, 10, 3_600_000),
    processingTtlMs: read.integer('PROCESSING_TTL_MS', 120_000, 1_000, 86_400_000),
  };
}
