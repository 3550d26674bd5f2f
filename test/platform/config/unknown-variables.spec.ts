import { readFileSync } from 'node:fs';
import { loadConfig } from '../../../src/platform/config/config.js';

const NEEDED = { POS_BASE_URL: 'https://pos.example', DATABASE_URL: 'postgresql://localhost/relay' };
const SECRETS = { JWT_SECRET: 'x'.repeat(32), SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') };
const unknownOf = (env: Record<string, string>) => loadConfig({ ...NEEDED, ...SECRETS, ...env }).unknownVariables;

describe('S18: unknown variables that may be mistyped', () => {
  test.each([
    ['POS_BASEURL', 'POS_BASE_URL'],
    ['POS_TIMEOUT', 'POS_TIMEOUT_MS'],
    ['OUTBOX_BATCHSIZE', 'OUTBOX_BATCH_SIZE'],
    ['OUTBOX_RETENTION_DAY', 'OUTBOX_RETENTION_DAYS'],
    ['TERMINAL_BEARER_TOKENS', 'TERMINAL_BEARER_TOKEN'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['ONBORDING', 'ONBOARDING'],
    ['PUBLICURL', 'PUBLIC_URL'],
  ])('%s: did you mean %s?', (name, meant) => {
    expect(unknownOf({ [name]: 'hush-hush' })).toEqual([`${name}: did you mean ${meant}?`]);
  });

  test('a prefix of the relay, without a similar name', () => {
    expect(unknownOf({ OUTBOX_SOMETHING_ELSE: '1' })).toEqual([
      'OUTBOX_SOMETHING_ELSE: the relay knows no such variable',
    ]);
  });

  const OTHERS =
    'POSTGRES_PASSWORD POSTGRES_HOST POSIXLY_CORRECT PGHOST PATH HOSTNAME HOME PWD SHELL LANG TERM TERMINAL_EMULATOR NODE_OPTIONS ' +
    'npm_config_cache LOGNAME DATABASE_HOST SECRET_KEY_BASE POS_SERVICE_HOST POS_PORT POS_PORT_80_TCP_ADDR OUTBOX_SERVICE_PORT_HTTP ' +
    'JWT_ALGORITHM XPC_FLAGS';
  test.each(OTHERS.split(' '))('%s is not reported', (name) => {
    expect(unknownOf({ [name]: '1' })).toEqual([]);
  });

  test('every variable of .env.example is suggested for its name without underscores', () => {
    const names = [...readFileSync('.env.example', 'utf8').matchAll(/^#?([A-Z]+_[A-Z_]+)=/gm)].map(([, name]) =>
      String(name),
    );
    expect(names.length).toBeGreaterThan(40);
    for (const name of names) {
      const mistyped = name.replaceAll('_', '');
      expect(unknownOf({ [mistyped]: '1' })).toEqual([`${mistyped}: did you mean ${name}?`]);
    }
  });
});

describe('S18: PUBLIC_URL', () => {
  const publicUrl = (env: Record<string, string>) => loadConfig({ ...NEEDED, ...SECRETS, ...env }).publicUrl;

  test.each([
    [{}, 'http://localhost:3000'],
    [{ PORT: '8080', HOST: '127.0.0.1' }, 'http://127.0.0.1:8080'],
    [{ HOST: '::' }, 'http://localhost:3000'],
    [{ HOST: '::1' }, 'http://[::1]:3000'],
    [{ PUBLIC_URL: 'https://relay.example/' }, 'https://relay.example'],
  ])('%j is %s', (env, expected) => {
    expect(publicUrl(env)).toBe(expected);
  });

  test.each(['relay.example', 'ftp://relay.example', 'https://u:p@relay.example'])('%s is refused', (value) => {
    expect(() => publicUrl({ PUBLIC_URL: value })).toThrow(/PUBLIC_URL must/);
  });
});
