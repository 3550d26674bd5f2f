import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration, secretsOf } from '../../../src/capabilities/doctor/configuration.js';
import { loadConfig } from '../../../src/platform/config/config.js';
import { ConfigError } from '../../../src/platform/config/environment.js';
import { SECRET_VARIABLES } from '../../../src/platform/config/secret-files.js';
import { readSpecification } from '../../support/specification.js';

type Secret = (typeof SECRET_VARIABLES)[number];

/** A value of each secret. */
const VALUES: Readonly<Record<Secret, string>> = {
  DATABASE_URL: 'postgresql://relay:password-of-database@db.example/relay',
  JWT_SECRET: 'a secret that is long enough for HS256',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  SECRETS_KEY_PREVIOUS: Buffer.alloc(32, 8).toString('base64'),
  ADMIN_PASSWORD: 'the first password',
  TERMINAL_BEARER_TOKEN: 'token-of-the-terminals',
  TERMINAL_BEARER_TOKEN_PREVIOUS: 'token-of-yesterday',
  METRICS_TOKEN: 'token-of-prometheus',
  POS_SECRET: 'secret-of-the-pos',
  POS_TEST_SECRET: 'secret-of-the-test-pos',
  SMTP_URL: 'smtps://relay:password-of-mail@mail.example',
  ALERT_WEBHOOK_URL: 'https://hooks.example/services/T0/B0/of-the-hook',
  ALERT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
  OTEL_EXPORTER_OTLP_HEADERS: 'x-key=key-of-the-collector',
};
/** What of a value is secret, where it is not all of it. */
const PARTS: Readonly<Partial<Record<Secret, string>>> = {
  DATABASE_URL: 'password-of-database',
  SMTP_URL: 'password-of-mail',
  OTEL_EXPORTER_OTLP_HEADERS: 'key-of-the-collector',
};
const OTHERS = {
  ...{ POS_BASE_URL: 'https://pos.example', POS_PARTNER_ID: 'one', POS_TEST_PARTNER_ID: 'two' },
  ...{ ADMIN_EMAIL: 'boss@example.com', MAIL_FROM: 'relay@example.com' },
  OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example',
};

describe('secrets from files (S41)', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'relay-secrets-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const fileOf = (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  function problemsOf(environment: Record<string, string>): readonly string[] {
    try {
      loadConfig({ ...OTHERS, ...VALUES, ...environment });
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
    return [];
  }

  test('each of them: the same configuration as from the variables', () => {
    const files = SECRET_VARIABLES.map((name) => [`${name}_FILE`, fileOf(name, `${VALUES[name]}\n`)]);
    const fromFiles = loadConfig({ ...OTHERS, ...Object.fromEntries(files) });
    expect(fromFiles).toEqual(loadConfig({ ...OTHERS, ...VALUES }));
    expect(fromFiles.unknownVariables).toEqual([]);
  });

  test.each([
    ['nothing', 'token-of-the-terminals'],
    ['a line feed at its end', 'token-of-the-terminals\n'],
    ['a line end of Windows', 'token-of-the-terminals\r\n'],
    ['a byte order mark at its start', '\ufefftoken-of-the-terminals\n'],
  ])('a file with %s has the value', (_, content) => {
    const TERMINAL_BEARER_TOKEN_FILE = fileOf('token', content);
    const environment = { ...OTHERS, ...VALUES, TERMINAL_BEARER_TOKEN: '', TERMINAL_BEARER_TOKEN_FILE };
    expect(loadConfig(environment).terminalBearerToken).toBe('token-of-the-terminals');
  });

  test('a value that is wrong is a problem of its variable; one line feed is removed, and no more', () => {
    const METRICS_TOKEN_FILE = fileOf('token', 'token-of-prometheus\n\n');
    expect(problemsOf({ METRICS_TOKEN: '', METRICS_TOKEN_FILE })).toEqual([
      'METRICS_TOKEN must be 1 to 256 printable ASCII characters without spaces',
    ]);
  });

  test.each(SECRET_VARIABLES)('%s and its file: a problem that names both, once', (name) => {
    const file = `${name}_FILE`;
    expect(problemsOf({ [file]: fileOf('file', VALUES[name]) })).toEqual([
      `${name} and ${file} are both set: set one of them`,
    ]);
    expect(problemsOf({ [file]: '' })).toEqual([]);
  });

  test.each(SECRET_VARIABLES)(
    'a file of %s that cannot be used is the only problem: it names the path, never the content',
    (name) => {
      const file = `${name}_FILE`;
      const missing = join(folder, 'missing');
      const binary = Buffer.from([0xff, 0xfe, ...Buffer.from('hush-hush')]);
      for (const [path, why] of [
        [missing, 'it cannot be read (ENOENT)'],
        [folder, 'it cannot be read (EISDIR)'],
        [fileOf('empty', ''), 'it is empty'],
        [fileOf('blank', '\ufeff\n'), 'it is empty'],
        [fileOf('binary', binary), 'it is no text in UTF-8'],
      ] as const)
        expect(problemsOf({ [name]: '', [file]: path })).toEqual([`${file} names the file ${path}, and ${why}`]);
    },
  );

  test('the unknown variable of a secret is suggested; a variable that is no secret has no file, and the start says so (S18)', () => {
    const environment = { ...OTHERS, ...VALUES, SECRETS_KEYFILE: 'x', POS_BASE_URL_FILE: 'x' };
    expect(loadConfig(environment).unknownVariables).toEqual([
      'POS_BASE_URL_FILE: only a secret may stand in a file, set POS_BASE_URL',
      'SECRETS_KEYFILE: did you mean SECRETS_KEY_FILE?',
    ]);
  });

  test('.env.example and S41 name each of them', () => {
    const [paragraph = ''] =
      /# Each secret may stand in a file.*?\n\n/s.exec(readFileSync('.env.example', 'utf8')) ?? [];
    const [rule = ''] = /- \*\*S41\*\*.*?\n- /s.exec(readSpecification()) ?? [];
    for (const text of [paragraph, rule])
      expect(
        [...new Set(text.match(/\b[A-Z]+(_[A-Z]+)+\b/g))].filter((name) => !name.endsWith('_FILE')).sort(),
      ).toEqual([...SECRET_VARIABLES].sort());
  });

  test('the doctor reads them, and makes up no secret in place of one', () => {
    const JWT_SECRET_FILE = fileOf('jwt', `${VALUES.JWT_SECRET}\n`);
    const embedded = { POS_BASE_URL: OTHERS.POS_BASE_URL, DATA_DIR: join(folder, 'data'), JWT_SECRET_FILE };
    const { check, config } = readConfiguration(embedded);
    expect([check.level, config?.jwtSecret]).toEqual(['ok', VALUES.JWT_SECRET]);
    const missing = join(folder, 'missing');
    expect(readConfiguration({ ...embedded, JWT_SECRET_FILE: missing }).check).toMatchObject({
      level: 'bad',
      details: [`JWT_SECRET_FILE names the file ${missing}, and it cannot be read (ENOENT)`],
    });
  });

  test('the doctor redacts each of them (S21)', () => {
    const hidden = secretsOf(loadConfig({ ...OTHERS, ...VALUES }));
    const shown = SECRET_VARIABLES.filter((name) => !hidden.includes(PARTS[name] ?? VALUES[name]));
    expect(shown).toEqual([]);
  });
});
