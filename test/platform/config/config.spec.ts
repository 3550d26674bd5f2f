import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Config, loadConfig } from '../../../src/platform/config/config.js';
import { ConfigError } from '../../../src/platform/config/environment.js';
import { marked } from '../../support/secrets.js';

const JWT_SECRET = 'a secret of the tests, long enough for HS256';
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
const POS_BASE_URL = 'https://pos.example';
/** The required variables with a database server. */
const ENOUGH = { DATABASE_URL: 'postgresql://relay@db.example/relay', JWT_SECRET, SECRETS_KEY, POS_BASE_URL };

type Environment = Record<string, string>;
const config = (changes: Environment = {}): Config => loadConfig({ ...ENOUGH, ...changes });

/** The variables named by the problems, in order. */
function problemsOf(environment: Environment): string[] {
  return messageOf(environment).problems.map((problem) => problem.split(' ')[0] as string);
}

function messageOf(environment: Environment): ConfigError {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('this environment was accepted');
}

describe('the configuration', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'relay-config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each<[string, (config: Config) => unknown, unknown]>([
    ['PORT', (c) => c.port, 3000],
    ['HOST', (c) => c.host, '0.0.0.0'],
    ['DATA_DIR', (c) => c.dataDir, resolve('data')],
    ['JWT_EXPIRES_IN', (c) => c.jwtExpiresInSeconds, 7 * 86_400],
    ['ADMIN_EMAIL, ADMIN_PASSWORD', (c) => c.admin, undefined],
    ['TERMINAL_BEARER_TOKEN', (c) => c.terminalBearerToken, undefined],
    ['TERMINAL_BEARER_TOKEN_PREVIOUS', (c) => c.terminalBearerTokenPrevious, undefined],
    ['TERMINAL_TEST_STORE_CODE', (c) => c.terminalTestStoreCode, undefined],
    ['ONBOARDING', (c) => c.onboarding, 'self'],
    ['RESEND, OPERATOR_ACTIONS', (c) => c.resend, 'off'],
    ['OPERATOR_CONTACT', (c) => c.operatorContact, undefined],
    ['ALERT_CONTACT', (c) => c.alerts.contact, undefined],
    ['SMTP_URL, MAIL_FROM', (c) => c.alerts.mail, undefined],
    ['ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET', (c) => c.alerts.webhook, undefined],
    ['OUTBOUND_ALLOW', (c) => c.alerts.outboundAllow, []],
    ['SALE_LABEL_FIELD', (c) => c.saleLabelField, []],
    ['PAYLOAD_HIDE', (c) => c.payloadHide, []],
    ['POS_TEST_BASE_URL', (c) => c.pos.testBaseUrl, POS_BASE_URL],
    ['POS_PARTNER_ID, POS_SECRET', (c) => c.pos.credentials, undefined],
    ['POS_TEST_PARTNER_ID, POS_TEST_SECRET', (c) => c.pos.testCredentials, undefined],
    ['POS_TIMEOUT_MS', (c) => c.pos.timeoutMs, 10_000],
    ['POS_TOKEN_TTL_MS', (c) => c.pos.tokenTtlMs, 3_000_000],
    ['POS_TOKEN_SCHEME', (c) => c.pos.wire.tokenScheme, undefined],
    ['POS_CANCEL_PATH', (c) => c.pos.wire.cancelPath, undefined],
    ['POS_DUPLICATE_ERROR_CODES', (c) => c.pos.wire.duplicateErrorCodes, undefined],
    ['POS_TEMPORARY_ERROR_CODES', (c) => [...(c.pos.wire.temporaryErrorCodes ?? [])], []],
    ['POS_PRODUCT_ERROR_CODES', (c) => [...(c.pos.wire.productErrorCodes ?? [])], []],
    ['POS_STORE_ERROR_CODES', (c) => [...(c.pos.wire.storeErrorCodes ?? [])], []],
    ['POS_ORDER_EXTRA', (c) => c.pos.wire.orderExtra, undefined],
    ['POS_TENDER_TYPES', (c) => c.pos.wire.tenderTypes, {}],
    ['POS_UNKNOWN_TENDER', (c) => c.pos.wire.unknownTender, undefined],
    ['POS_ODD_LINES', (c) => c.pos.wire.oddLines, 'send'],
    ['POS_ITEM_NOTES_FIELD', (c) => c.pos.wire.itemNotesField, undefined],
    ['POS_ORDER_NOTES_FIELD', (c) => c.pos.wire.orderNotesField, undefined],
    ['POS_OPTIONS_FIELD', (c) => c.pos.wire.optionsField, undefined],
    ['POS_PAYMENT_FIELDS', (c) => c.pos.wire.paymentFields, undefined],
    ['POS_TRACEPARENT', (c) => c.pos.traceparent, false],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', (c) => c.tracing.collector, undefined],
    ['OTEL_TRACES_SAMPLER_ARG', (c) => c.tracing.ratio, 1],
    ['POS_VENDOR', (c) => c.pos.vendor, 'partner'],
    ['OUTBOX_TICK_MS', (c) => c.outbox.tickMs, 20_000],
    ['OUTBOX_BATCH_SIZE', (c) => c.outbox.batchSize, 20],
    ['OUTBOX_PACE', (c) => c.outbox.pace, 'tick'],
    ['OUTBOX_MAX_ATTEMPTS', (c) => c.outbox.maxAttempts, 30],
    ['REAPER_INTERVAL_MS', (c) => c.outbox.reaperIntervalMs, 20_000],
    ['PROCESSING_TTL_MS', (c) => c.outbox.processingTtlMs, 120_000],
    ['PULL_LEASE_MS', (c) => c.outbox.pullLeaseMs, 60_000],
    ['WORKER_ENABLED', (c) => c.outbox.workerEnabled, true],
    ['CONSOLE', (c) => c.console, true],
    ['CAPABILITIES', (c) => c.capabilities, 'all'],
    ['API_DOCS', (c) => c.apiDocs, true],
    ['SECRETS_KEY_PREVIOUS', (c) => c.secretsKeyPrevious, undefined],
    ['BODY_LIMIT_BYTES', (c) => c.bodyLimitBytes, 1_048_576],
    ['BCRYPT_COST', (c) => c.bcryptCost, 12],
    ['LOGIN_ATTEMPTS_PER_MINUTE', (c) => c.loginAttemptsPerMinute, 0],
    ['LOG_LEVEL', (c) => c.logLevel, 'info'],
    ['TRUST_PROXY', (c) => c.trustProxy, false],
  ])('%s has its default when absent or empty (S13, L1 to L4)', (names, read, expected) => {
    expect(read(config())).toEqual(expected);
    if (names === 'POS_TOKEN_SCHEME' || names === 'POS_DUPLICATE_ERROR_CODES') return; // empty has a meaning
    expect(read(config(Object.fromEntries(names.split(', ').map((name) => [name, '']))))).toEqual(expected);
  });

  test('the fields of the POS for notes, options and evidence (M19, M21, M22); a field that the relay writes is refused by its name', () => {
    const names = { POS_ITEM_NOTES_FIELD: 'remark', POS_ORDER_NOTES_FIELD: 'remark', POS_OPTIONS_FIELD: 'sub_items' };
    expect(config({ ...names, POS_PAYMENT_FIELDS: '{"brand":"card.brand"}' }).pos.wire).toMatchObject({
      ...{ itemNotesField: 'remark', orderNotesField: 'remark', optionsField: 'sub_items' },
      paymentFields: { brand: 'card.brand' },
    });
    const problems = (environment: Environment) => messageOf({ ...ENOUGH, ...environment }).problems;
    expect(problems({ POS_ITEM_NOTES_FIELD: 'desc_item' })).toEqual([
      'POS_ITEM_NOTES_FIELD must not be desc_item, which the relay writes itself',
    ]);
    expect(problems({ POS_ITEM_NOTES_FIELD: 'x', POS_OPTIONS_FIELD: 'x' })).toEqual([
      'POS_OPTIONS_FIELD must not be the same field as POS_ITEM_NOTES_FIELD',
    ]);
    expect(problems({ POS_PAYMENT_FIELDS: '{"brand":"amount"}' })).toEqual([
      'POS_PAYMENT_FIELDS brand: must be another field than code, amount and those of other evidence',
    ]);
  });

  test('TERMINAL_BEARER_TOKEN_PREVIOUS requires TERMINAL_BEARER_TOKEN (W33)', () => {
    const both = { TERMINAL_BEARER_TOKEN: marked('present'), TERMINAL_BEARER_TOKEN_PREVIOUS: marked('previous') };
    expect(config(both)).toMatchObject({ terminalBearerTokenPrevious: marked('previous') });
    expect(() => config({ ...both, TERMINAL_BEARER_TOKEN: '' })).toThrow(
      'TERMINAL_BEARER_TOKEN is required with TERMINAL_BEARER_TOKEN_PREVIOUS',
    );
  });

  test('the collector of traces: its address, service name and headers (X7)', () => {
    const collector = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318/base/',
      OTEL_EXPORTER_OTLP_HEADERS: ` Authorization=Basic%20${marked('collector')} , x-tenant=a=b`,
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    };
    expect(config(collector).tracing).toEqual({
      ratio: 0.25,
      collector: {
        url: 'http://collector.example:4318/base/v1/traces',
        headers: { authorization: `Basic ${marked('collector')}`, 'x-tenant': 'a=b' },
        serviceName: 'terminal-pos-relay',
      },
    });
    const named = config({ ...collector, OTEL_SERVICE_NAME: 'relay of the mall', OTEL_TRACES_SAMPLER_ARG: '.5' });
    expect(named.tracing).toMatchObject({ ratio: 0.5, collector: { serviceName: 'relay of the mall' } });
  });

  test('it is frozen (S1)', () => {
    expect(Object.isFrozen(config())).toBe(true);
  });

  test.each<[string, string[]]>([
    ['PORT', ['x', '-1', '65536', '3000.5', '0x10', '1e3', ' 80']],
    ['DATABASE_URL', ['db.example', 'mysql://db.example/relay', 'http://db.example']],
    ['JWT_SECRET', ['short', 'x'.repeat(31)]],
    ['JWT_EXPIRES_IN', ['604800', '7 d', 'd', '0d', '-1d', '1.5h', '7days', '7D', '7d ']],
    ['SECRETS_KEY', ['x', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64'), '~'.repeat(44)]],
    ['SECRETS_KEY_PREVIOUS', ['x', Buffer.alloc(16).toString('base64')]],
    ['ADMIN_EMAIL', ['admin', 'admin@', 'a b@example.com']],
    ['ADMIN_PASSWORD', ['seven77', 'é'.repeat(37), 'x'.repeat(73)]],
    ['TERMINAL_BEARER_TOKEN_PREVIOUS', ['a.b.c', 'two words', 'x'.repeat(257)]],
    ['TERMINAL_BEARER_TOKEN', ['a.b.c', 'header.payload.', 'two words', 'line\nbreak', 'é', 'x'.repeat(257)]],
    [
      'POS_BASE_URL',
      ['pos.example', 'ftp://pos.example', 'https://u:p@pos.example', 'https://pos.example/?a=b', '/pos'],
    ],
    ['POS_TEST_BASE_URL', ['pos.example', 'https://pos.example/#x']],
    [
      'ALERT_CONTACT',
      ['operator@example.com', 'mailto:', 'mailto:a', 'mailto:a@b c', 'http://example.com', 'https://'],
    ],
    [
      'OUTBOUND_ALLOW',
      ['https://hooks.example', '10.0.0.0/33', 'a b', 'host:port', 'host:99999', 'user@host', '10.0.0.1/8/8'],
    ],
    ['POS_PARTNER_ID', ['two words', 'é', 'line\r\nbreak']],
    ['POS_SECRET', ['two words', 'é', 'line\r\nbreak', 'x'.repeat(257)]],
    ['POS_TEST_PARTNER_ID', ['two words']],
    ['POS_TEST_SECRET', ['two words']],
    ['POS_TIMEOUT_MS', ['x', '0', '-5', '10s', '40000', '40001']],
    ['POS_TOKEN_TTL_MS', ['x', '0']],
    ['POS_ODD_LINES', ['keep', 'Fold']],
    ['POS_ITEM_NOTES_FIELD', ['two words', '1st', '__proto__', 'é', 'x'.repeat(101), 'quantity', 'integration_code']],
    ['POS_ORDER_NOTES_FIELD', ['a b', 'order_id', 'items', 'total_increase', '-x']],
    ['POS_OPTIONS_FIELD', ['a/b', 'desc_item', 'unit_price']],
    [
      'POS_PAYMENT_FIELDS',
      [
        ...['x', '[]', '7', '{"nsu":"nsu"}', '{"brand":7}', '{"brand":""}', '{"brand":"a b"}', '{"brand":"__proto__"}'],
        ...['{"brand":"code"}', '{"brand":"amount"}', '{"brand":"x","terminalId":"x"}'],
      ],
    ],
    ['POS_TRACEPARENT', ['yes', '1', 'TRUE']],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', ['collector:4318', 'grpc://collector', 'https://u:p@collector', 'http://c/?key=x']],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      ['x', '=x', 'a=', 'a=%zz', 'a b=c', 'a=b%0d%0ac', 'a=%C3%A9', 'Content-Type=x', 'host=x', 'a=b,connection=x'],
    ],
    ['OTEL_TRACES_SAMPLER_ARG', ['x', '-1', '1.1', '2', '1e-3', '10%', '0,1']],
    ['OTEL_SERVICE_NAME', ['x'.repeat(201)]],
    ['SALE_LABEL_FIELD', ['a b', 'table.', '.table', 'a.b.c.d.e.f', '$.table', 'x'.repeat(101)]],
    [
      'PAYLOAD_HIDE',
      [
        ...['a b', 'a.', '.a', 'a..b', 'a.b.c.d.e.f.g.h.i', 'a;b', 'items[].note', 'x'.repeat(201)],
        ...['transactionKey', 'items', 'items.itemName', 'note,payments', 'payments.amount', 'totalAmount'],
        Array.from({ length: 51 }, (_, i) => `f${i}`).join(),
      ],
    ],
    ['POS_VENDOR', ['other', 'Partner']],
    ['POS_TOKEN_SCHEME', ['two words', 'Bearer:', 'é']],
    ['POS_CANCEL_PATH', ['cancel order', 'https://elsewhere.example/cancel']],
    [
      'POS_ORDER_LOOKUP_PATH',
      ['/order', 'order/{order_id}', '/order/{orderId}', '/{order_id}#x', 'https://pos/{order_id}'],
    ],
    ['POS_AFTER_UNKNOWN', ['retry', 'Ask']],
    ['POS_LOOKUP_SETTLE_MS', ['x', '9', '3600001', '1.5', '30s']],
    ['POS_DUPLICATE_ERROR_CODES', ['x', '904;905', '904,-1']],
    ['POS_TEMPORARY_ERROR_CODES', ['x', '9.5']],
    ['POS_PRODUCT_ERROR_CODES', ['x', '9.5']],
    ['POS_STORE_ERROR_CODES', ['x', '9.5']],
    ['POS_ORDER_EXTRA', ['x', '[]', '"text"', 'null', '7', '{']],
    ['POS_TENDER_TYPES', ['x', '[]', '{"50":7}', '{"50":""}', '{"50":{}}', '{"50":null}', '{"50":{"code":7}}']],
    ['OUTBOX_TICK_MS', ['x', '0', '-1', '1.5']],
    ['OUTBOX_BATCH_SIZE', ['x', '0']],
    ['OUTBOX_PACE', ['fast', 'Tick', 'EAGER']],
    ['OUTBOX_MAX_ATTEMPTS', ['x', '0']],
    ['OUTBOX_RETENTION_DAYS', ['x', '-1', '0.5']],
    ['REAPER_INTERVAL_MS', ['x', '0']],
    ['PROCESSING_TTL_MS', ['x', '0']],
    ['PULL_LEASE_MS', ['x', '0']],
    ['WORKER_ENABLED', ['yes', '1', 'TRUE']],
    ['CONSOLE', ['no', '0', 'FALSE']],
    ['BODY_LIMIT_BYTES', ['x', '0', '1mb']],
    ['BCRYPT_COST', ['x', '9', '99']],
    ['LOGIN_ATTEMPTS_PER_MINUTE', ['x', '-1']],
    ['LOG_LEVEL', ['loud', 'INFO']],
    ['TRUST_PROXY', ['yes', 'maybe so']],
  ])('an invalid %s is a problem that names it (S10, L16)', (name, values) => {
    const others: Environment = {
      ADMIN_EMAIL: 'a@example.com',
      ADMIN_PASSWORD: 'password',
      POS_PARTNER_ID: 'p',
      POS_SECRET: 's',
      POS_TEST_PARTNER_ID: 'p',
      POS_TEST_SECRET: 's',
    };
    const found = values.map((value) => problemsOf({ ...ENOUGH, ...others, [name]: value }));
    expect(found).toEqual(values.map(() => [name]));
  });

  test('the error lists all problems by name, and shows no secret (S2)', () => {
    const secrets = {
      JWT_SECRET: 'too-short-a-secret',
      SECRETS_KEY: 'not-32-bytes-of-key',
      SECRETS_KEY_PREVIOUS: 'nor-is-this-one',
      ADMIN_PASSWORD: 'passwor',
      TERMINAL_BEARER_TOKEN: 'terminal token',
      POS_SECRET: 'pos secret',
      POS_TEST_SECRET: 'pos test secret',
      DATABASE_URL: 'mysql://relay:database-password@db.example/relay',
      POS_BASE_URL: 'https://user:pos-password@pos.example',
      POS_ORDER_EXTRA: '{"api_key":"extra-secret"',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer collector-secret,host=collector-secret',
    };
    const environment = { ...secrets, PORT: 'x', LOG_LEVEL: 'loud', POS_PARTNER_ID: 'p', POS_TEST_PARTNER_ID: 'p' };
    const error = messageOf({ ...environment, ADMIN_EMAIL: 'a@example.com', NODE_ENV: 'production' });
    expect(error.problems.map((problem) => problem.split(' ')[0]).sort()).toEqual(
      [...Object.keys(secrets), 'PORT', 'LOG_LEVEL'].sort(),
    );
    for (const problem of error.problems) expect(error.message).toContain(problem);
    for (const value of [
      ...Object.values(secrets),
      'database-password',
      'pos-password',
      'extra-secret',
      'collector-secret',
    ])
      expect(error.message).not.toContain(value);
  });

  test.each<[string, Environment, string[]]>([
    ['nothing is set', {}, ['POS_BASE_URL']],
    ['NODE_ENV is production', { NODE_ENV: 'production' }, ['JWT_SECRET', 'SECRETS_KEY', 'POS_BASE_URL']],
    ['DATABASE_URL is set', { DATABASE_URL: ENOUGH.DATABASE_URL }, ['JWT_SECRET', 'SECRETS_KEY', 'POS_BASE_URL']],
    ['the secrets are empty', { ...ENOUGH, JWT_SECRET: '', SECRETS_KEY: '' }, ['JWT_SECRET', 'SECRETS_KEY']],
    ['ADMIN_EMAIL is set alone', { ...ENOUGH, ADMIN_EMAIL: 'a@example.com' }, ['ADMIN_PASSWORD']],
    ['ADMIN_PASSWORD is set alone', { ...ENOUGH, ADMIN_PASSWORD: 'password' }, ['ADMIN_EMAIL']],
    ['POS_PARTNER_ID is set alone', { ...ENOUGH, POS_PARTNER_ID: 'p' }, ['POS_SECRET']],
    ['POS_TEST_SECRET is set alone', { ...ENOUGH, POS_TEST_SECRET: 's' }, ['POS_TEST_PARTNER_ID']],
  ])('required variables when %s (S8)', (_, environment, missing) => {
    expect(problemsOf({ DATA_DIR: folder, ...environment })).toEqual(missing);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    [39_999, 120_000, []],
    [40_000, 120_000, ['POS_TIMEOUT_MS']],
    [10_000, 30_000, ['POS_TIMEOUT_MS']],
    [10_000, 30_001, []],
  ])('POS_TIMEOUT_MS %d with PROCESSING_TTL_MS %d', (timeout, ttl, problems) => {
    const environment = { ...ENOUGH, POS_TIMEOUT_MS: String(timeout), PROCESSING_TTL_MS: String(ttl) };
    if (problems.length > 0) expect(problemsOf(environment)).toEqual(problems);
    else expect(loadConfig(environment).pos.timeoutMs).toBe(timeout);
  });

  test.each([
    'postgresql://relay:secret@one:5432,two:5432/relay?target_session_attrs=read-write',
    'postgresql:///relay?host=one,two',
  ])('DATABASE_URL %s: several hosts are refused, and the problem names alternatives', (DATABASE_URL) => {
    const { message } = messageOf({ ...ENOUGH, DATABASE_URL });
    expect(message).toMatch(/DATABASE_URL must name one host: .*PgBouncer, HAProxy, a virtual IP/);
    expect(message).not.toContain('secret@');
  });

  test('DATABASE_URL may have a comma in password and options', () => {
    const DATABASE_URL = 'postgresql://relay:se,cret@one/relay?options=-c%20search_path%3Da,b';
    expect(config({ DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
  });

  test.each([
    ['ADMIN_PASSWORD', 'correct horse 2'],
    ['TERMINAL_TEST_STORE_CODE', 'store-of-tests'],
    ['POS_UNKNOWN_TENDER', 'PARTNER_PAYMENT'],
    ['HOST', '127.0.0.1'],
    ['DATA_DIR', '/data'],
    ['NODE_ENV', 'production'],
  ])('%s with the line feed of a file is refused, and not shown (S28, S2)', (name, value) => {
    for (const end of ['\n', '\r\n', '\0']) {
      const given = {
        ...ENOUGH,
        ADMIN_EMAIL: 'a@example.com',
        ADMIN_PASSWORD: marked('password'),
        [name]: value + end,
      };
      const { problems } = messageOf(given);
      expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} must be one line`))]);
      expect(problems.join()).not.toContain(value);
    }
  });

  test('POS_AFTER_UNKNOWN=ask requires POS_ORDER_LOOKUP_PATH (S15)', () => {
    const { problems } = messageOf({ ...ENOUGH, POS_AFTER_UNKNOWN: 'ask' });
    expect(problems).toEqual([
      'POS_ORDER_LOOKUP_PATH is required with POS_AFTER_UNKNOWN=ask: the path at which the POS is asked for an order, for example ' +
        '/order/{order_id}; a POS that cannot be asked needs POS_AFTER_UNKNOWN=resend',
    ]);
    const bad = { ...ENOUGH, POS_AFTER_UNKNOWN: 'ask', POS_ORDER_LOOKUP_PATH: '/order' };
    expect(problemsOf(bad)).toEqual(['POS_ORDER_LOOKUP_PATH']);
  });

  test.each([
    '/order/{order_id}',
    '/v1/orders?id={order_id}&store={cod_store}',
    '/stores/{cod_store}/orders/{order_id}/status',
  ])('POS_ORDER_LOOKUP_PATH %s', (path) => {
    const { pos } = config({ POS_AFTER_UNKNOWN: 'ask', POS_ORDER_LOOKUP_PATH: path, POS_LOOKUP_SETTLE_MS: '1000' });
    expect(pos).toMatchObject({ afterUnknown: 'ask', lookupSettleMs: 1_000, wire: { lookupPath: path } });
    // without POS_AFTER_UNKNOWN the path has no effect
    expect(config({ POS_ORDER_LOOKUP_PATH: path }).pos).toMatchObject({
      afterUnknown: 'resend',
      lookupSettleMs: 30_000,
    });
  });

  test.each([
    ['900s', 900],
    ['30m', 1_800],
    ['12h', 43_200],
    ['7d', 604_800],
  ])('JWT_EXPIRES_IN %s (S9)', (text, seconds) => {
    expect(config({ JWT_EXPIRES_IN: text }).jwtExpiresInSeconds).toBe(seconds);
  });

  test('POS_TENDER_TYPES maps each tender type to a code, or to an object with a code', () => {
    const { tenderTypes } = config({ POS_TENDER_TYPES: '{"50":{"code":"PIX","complement":"pix"},"99":"VAL"}' }).pos
      .wire;
    expect(tenderTypes).toEqual({ 50: { code: 'PIX', complement: 'pix' }, 99: { code: 'VAL' } });
  });

  test('an empty POS_TOKEN_SCHEME means no scheme, an empty POS_DUPLICATE_ERROR_CODES no codes', () => {
    const { wire } = config({ POS_TOKEN_SCHEME: '', POS_DUPLICATE_ERROR_CODES: '' }).pos;
    expect([wire.tokenScheme, wire.duplicateErrorCodes?.size]).toEqual(['', 0]);
  });

  test('PAYLOAD_HIDE: paths, and none that hides what everybody is shown (S22, L88)', () => {
    const { payloadHide } = config({ PAYLOAD_HIDE: 'customer.name, items.note,,cartão,customer.name' });
    expect(payloadHide).toEqual([['customer', 'name'], ['items', 'note'], ['cartão']]);
    const most = Array.from({ length: 50 }, (_, i) => `f${i}`).join();
    expect(config({ PAYLOAD_HIDE: most }).payloadHide).toHaveLength(50);
    const of = (PAYLOAD_HIDE: string) => () => config({ PAYLOAD_HIDE, SALE_LABEL_FIELD: 'order.table' });
    expect(of('items')).toThrow('PAYLOAD_HIDE must not hide items.itemCode, which lists, orders and tickets show');
    for (const path of ['order', 'order.table'])
      expect(of(path)).toThrow('PAYLOAD_HIDE must not hide SALE_LABEL_FIELD');
    expect(of('order.table.seat')().payloadHide).toEqual([['order', 'table', 'seat']]);
  });

  test('a problem of a variable with fixed values lists them', () => {
    expect(() => config({ POS_VENDOR: 'nobody' })).toThrow('POS_VENDOR must be one of: partner');
    expect(() => config({ ONBOARDING: 'closed' })).toThrow('ONBOARDING must be one of: self, admin');
  });

  test('lists, addresses and accounts are parsed and normalized', () => {
    const read = config({
      POS_DUPLICATE_ERROR_CODES: '904, 905',
      POS_BASE_URL: 'https://pos.example/v1/',
      ADMIN_EMAIL: 'Chief@Example.com',
      ADMIN_PASSWORD: 'password',
      WORKER_ENABLED: 'false',
      TRUST_PROXY: '2',
      OUTBOX_PACE: 'eager',
      OUTBOX_RETENTION_DAYS: '30',
    });
    expect([...(read.pos.wire.duplicateErrorCodes ?? [])]).toEqual([904, 905]);
    expect([read.pos.baseUrl, read.pos.testBaseUrl]).toEqual(['https://pos.example/v1', 'https://pos.example/v1']);
    expect(read).toMatchObject({ admin: { email: 'chief@example.com' }, trustProxy: 2 });
    expect(read.outbox).toMatchObject({ workerEnabled: false, pace: 'eager', retentionDays: 30 });
  });

  describe('with the embedded database', () => {
    const embedded = (changes: Environment = {}) =>
      loadConfig({ POS_BASE_URL, DATA_DIR: join(folder, 'd'), ...changes });
    const secretsOf = ({ jwtSecret, secretsKey }: Config) => [jwtSecret, secretsKey.toString('base64')];

    test('secrets are generated once, in files of mode 0600 (S8)', () => {
      const first = secretsOf(embedded());
      expect(secretsOf(embedded())).toEqual(first);
      expect(first[0]?.length).toBeGreaterThanOrEqual(32);
      expect(Buffer.from(String(first[1]), 'base64')).toHaveLength(32);
      expect(first[0]).not.toBe(first[1]);
      const files = readdirSync(join(folder, 'd'));
      expect(files).toHaveLength(2);
      for (const file of files) expect(statSync(join(folder, 'd', file)).mode & 0o777).toBe(0o600);
      const elsewhere = secretsOf(embedded({ DATA_DIR: join(folder, 'e') }));
      for (const secret of elsewhere) expect(first).not.toContain(secret);
    });

    test('secrets from the environment are used, and no file is written', () => {
      expect(secretsOf(embedded({ JWT_SECRET, SECRETS_KEY }))).toEqual([JWT_SECRET, SECRETS_KEY]);
      expect(readdirSync(folder)).toEqual([]);
    });

    test.each(['', 'cut'])('a generated secret with the content "%s" after a crash is never used', (left) => {
      embedded();
      for (const file of readdirSync(join(folder, 'd'))) writeFileSync(join(folder, 'd', file), left);
      let read: string[] | undefined;
      try {
        read = secretsOf(embedded());
      } catch {
        return; // a refused start is correct too
      }
      expect(read[0]?.length).toBeGreaterThanOrEqual(32);
      expect(Buffer.from(String(read[1]), 'base64')).toHaveLength(32);
    });

    test('a DATA_DIR that cannot be created is a problem that names it', () => {
      writeFileSync(join(folder, 'file'), '');
      expect(problemsOf({ POS_BASE_URL, DATA_DIR: join(folder, 'file', 'below') })).toEqual(['DATA_DIR']);
    });
  });
});
