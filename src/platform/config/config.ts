import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { ROOT } from '../root.js';
import { type AlertsConfig, readAlerts } from './alerts-config.js';
import { ConfigError, type Environment, EnvironmentReader } from './environment.js';
import { generatedSecret } from './generated-secret.js';
import { readPayloadHide } from './payload-hide.js';
import { type PosConfig, readPos } from './pos-config.js';
import { readSaleLabelField } from './sale-label.js';
import { readTracing, type TracingConfig } from './tracing-config.js';
import { unknownVariables } from './unknown-variables.js';

/**
 * The configuration, read once from environment variables and frozen (S1, S13). A class, for injection by type.
 * Durations are in ms unless the name says otherwise.
 */
export class Config {
  /** NODE_ENV */
  readonly environment: string;
  readonly port: number;
  readonly host: string;
  /** the address for users, without a trailing slash */
  readonly publicUrl: string;
  /** whether PUBLIC_URL is set; otherwise `publicUrl` may be an address that only this machine reaches */
  readonly hasPublicUrl: boolean;
  /** one line for each variable that may have been mistyped, with a suggestion where there is one (S18) */
  readonly unknownVariables: readonly string[];
  readonly logLevel: string;
  readonly trustProxy: boolean | number | string;
  readonly bodyLimitBytes: number;
  /** the most time for headers and body of a request to arrive (L7) */
  readonly requestTimeoutMs: number;
  /** origins whose pages may call the API; empty: none */
  readonly corsOrigins: readonly string[];
  /** whether the web console is served, with its sessions (N1) */
  readonly console: boolean;
  /** what the instance loads beside receiving, delivering and management (S43) */
  readonly capabilities: 'all' | readonly string[];
  /** the folder of the built console; without it no page is served */
  readonly consoleFolder: string;
  /** whether the documentation of the API is served (H8) */
  readonly apiDocs: boolean;
  /** identifies this process in `locked_by` and in the log: `host:pid` */
  readonly instance: string;

  /** undefined: the embedded database in `dataDir` */
  readonly databaseUrl: string | undefined;
  readonly databasePoolSize: number;
  /** the most time for a statement, and for getting a connection */
  readonly databaseTimeoutMs: number;
  readonly dataDir: string;

  readonly jwtSecret: string;
  readonly jwtExpiresInSeconds: number;
  /** 32 bytes */
  readonly secretsKey: Buffer;
  readonly secretsKeyPrevious: Buffer | undefined;
  /** the platform administrator to create at start (A10) */
  readonly admin: { readonly email: string; readonly password: string } | undefined;
  readonly bcryptCost: number;
  /** password checks for each account and address (A9); 0: no limit */
  readonly loginAttemptsPerMinute: number;

  readonly terminalBearerToken: string | undefined;
  /** accepted beside `terminalBearerToken`, so that the token can be rotated (W33) */
  readonly terminalBearerTokenPrevious: string | undefined;
  readonly terminalTestStoreCode: string | undefined;
  /** opens only the Prometheus endpoint (R7) */
  readonly metricsToken: string | undefined;

  /** who creates restaurants and sets their store codes (A18): any user, or platform administrators only */
  readonly onboarding: 'self' | 'admin';

  /** who sends orders again by API and console (R9, R35): nobody, platform administrators, or also the restaurants' staff */
  readonly resend: (typeof RESEND)[number];
  /** how staff reach the operator: a mailto:, tel: or https: address, or a text (R36) */
  readonly operatorContact: string | undefined;
  /** where the label of a sale stands in its payload (R44); empty: sales have no label */
  readonly saleLabelField: readonly string[];
  /** the fields of a payload that only OWNERs see, each the names of a dot path (S22) */
  readonly payloadHide: readonly (readonly string[])[];

  readonly alerts: AlertsConfig;
  readonly tracing: TracingConfig;
  readonly pos: PosConfig;
  readonly outbox: OutboxConfig;
}

/** The values of RESEND. */
export const RESEND = ['off', 'operators', 'restaurants'] as const;

export interface OutboxConfig {
  readonly workerEnabled: boolean;
  readonly tickMs: number;
  readonly batchSize: number;
  /** `eager`: a committed webhook wakes the worker (O9) */
  readonly pace: 'tick' | 'eager';
  readonly maxAttempts: number;
  /** days after which delivered orders are removed (O22); 0: never */
  readonly retentionDays: number;
  /** a job that has been due for longer than this raises an alarm (R14) */
  readonly lateAlarmMs: number;
  /** a restaurant whose attempts have all failed for longer than this raises an alarm (R14) */
  readonly refusingAlarmMs: number;
  readonly reaperIntervalMs: number;
  /** the lease: the reaper returns a job to PENDING that has been PROCESSING for longer than this (O17) */
  readonly processingTtlMs: number;
  /** how long a poll of a POS holds an event that it does not acknowledge (Q4); ms */
  readonly pullLeaseMs: number;
}

/**
 * Reads and validates the configuration. Without DATABASE_URL and outside production it also generates missing secrets in DATA_DIR
 * (S8).
 * @throws ConfigError with every bad or missing variable (S2)
 */
export function loadConfig(env: Environment): Config {
  const read = new EnvironmentReader(env);
  const databaseUrl = read.url('DATABASE_URL', ['postgres:', 'postgresql:']);
  const dataDir = resolve(read.line('DATA_DIR') ?? './data');
  const environment = read.line('NODE_ENV') ?? 'development';
  const secretsRequired = databaseUrl !== undefined || environment === 'production';
  const jwtSecret = read.text('JWT_SECRET');
  if (jwtSecret !== undefined && jwtSecret.length < 32) read.problem('JWT_SECRET', 'must have at least 32 characters');
  const secretsKey = read.key('SECRETS_KEY');
  const saleLabelField = readSaleLabelField(read);
  if (secretsRequired) {
    const why = databaseUrl ? 'DATABASE_URL is set' : 'NODE_ENV is production';
    if (!read.text('JWT_SECRET'))
      read.problem('JWT_SECRET', `is required when ${why}: a random text of at least 32 characters`);
    if (!read.text('SECRETS_KEY'))
      read.problem('SECRETS_KEY', `is required when ${why}: 32 random bytes in base64 (openssl rand -base64 32)`);
  }
  const port = read.integer('PORT', 3000, 0, 65_535);
  const host = read.line('HOST') ?? '0.0.0.0';
  const givenUrl = read.baseUrl('PUBLIC_URL');
  const rest = {
    environment,
    port,
    host,
    publicUrl: givenUrl ?? localUrl(host, port),
    hasPublicUrl: givenUrl !== undefined,
    logLevel: read.oneOf('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
    trustProxy: read.trustProxy('TRUST_PROXY'),
    corsOrigins: read.origins('CORS_ORIGINS'),
    bodyLimitBytes: read.integer('BODY_LIMIT_BYTES', 1_048_576, 1_024, 64 * 1_048_576),
    console: read.boolean('CONSOLE', true),
    capabilities: read.capabilities('CAPABILITIES'),
    consoleFolder: join(ROOT, 'dist-console'),
    apiDocs: read.boolean('API_DOCS', true),
    requestTimeoutMs: read.integer('REQUEST_TIMEOUT_MS', 30_000, 100, 600_000),
    instance: `${hostname()}:${process.pid}`,
    databaseUrl,
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', 10, 1, 200),
    databaseTimeoutMs: read.integer('DATABASE_TIMEOUT_MS', 5_000, 100, 60_000),
    dataDir,
    jwtExpiresInSeconds: read.durationSeconds('JWT_EXPIRES_IN', '7d'),
    secretsKeyPrevious: read.key('SECRETS_KEY_PREVIOUS'),
    admin: read.admin(),
    bcryptCost: read.integer('BCRYPT_COST', 12, 10, 15),
    loginAttemptsPerMinute: read.integer('LOGIN_ATTEMPTS_PER_MINUTE', 0, 0, 10_000),
    terminalBearerToken: read.terminalToken('TERMINAL_BEARER_TOKEN'),
    terminalBearerTokenPrevious: read.terminalToken('TERMINAL_BEARER_TOKEN_PREVIOUS'),
    terminalTestStoreCode: read.line('TERMINAL_TEST_STORE_CODE'),
    metricsToken: read.headerValue('METRICS_TOKEN'),
    onboarding: read.oneOf('ONBOARDING', ['self', 'admin'], 'self'),
    resend: read.oneOf('RESEND', RESEND, read.boolean('OPERATOR_ACTIONS', false) ? 'operators' : 'off'),
    operatorContact: read.contact('OPERATOR_CONTACT'),
    alerts: readAlerts(read),
    tracing: readTracing(read),
    saleLabelField,
    payloadHide: readPayloadHide(read, saleLabelField),
    pos: readPos(read),
    outbox: readOutbox(read),
  };
  if (rest.terminalBearerTokenPrevious && !read.text('TERMINAL_BEARER_TOKEN'))
    read.problem('TERMINAL_BEARER_TOKEN', 'is required with TERMINAL_BEARER_TOKEN_PREVIOUS');
  if (rest.pos.timeoutMs * 3 >= rest.outbox.processingTtlMs)
    read.problem('POS_TIMEOUT_MS', 'must be below a third of PROCESSING_TTL_MS, so that no call outlives its lease');
  const unknown = unknownVariables(env, read.known);
  if (read.problems.length > 0) throw new ConfigError(read.problems, unknown);
  return Object.freeze({
    ...rest,
    unknownVariables: unknown,
    alerts: Object.freeze(rest.alerts),
    tracing: Object.freeze(rest.tracing),
    pos: Object.freeze(rest.pos),
    outbox: Object.freeze(rest.outbox),
    jwtSecret: jwtSecret ?? generatedSecret(dataDir, 'jwt-secret'),
    secretsKey: secretsKey ?? Buffer.from(generatedSecret(dataDir, 'secrets-key'), 'base64'),
  });
}

/** The URL for a browser on this machine. */
function localUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function readOutbox(read: EnvironmentReader): OutboxConfig {
  return {
    workerEnabled: read.boolean('WORKER_ENABLED', true),
    tickMs: read.integer('OUTBOX_TICK_MS', 20_000, 10, 3_600_000),
    batchSize: read.integer('OUTBOX_BATCH_SIZE', 20, 1, 1_000),
    pace: read.oneOf('OUTBOX_PACE', ['tick', 'eager'], 'tick'),
    retentionDays: read.integer('OUTBOX_RETENTION_DAYS', 0, 0, 36_500),
    lateAlarmMs: read.integer('ALARM_LATE_MS', 120_000, 1_000, 86_400_000),
    refusingAlarmMs: read.integer('ALARM_REFUSING_MS', 900_000, 10_000, 86_400_000),
    maxAttempts: read.integer('OUTBOX_MAX_ATTEMPTS', 30, 1, 1_000_000),
    reaperIntervalMs: read.integer('REAPER_INTERVAL_MS', 20_000, 10, 3_600_000),
    processingTtlMs: read.integer('PROCESSING_TTL_MS', 120_000, 1_000, 86_400_000),
    pullLeaseMs: read.integer('PULL_LEASE_MS', 60_000, 1_000, 86_400_000),
  };
}
