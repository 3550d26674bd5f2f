import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { marked, markedKey } from '../support/secrets.js';
import { RelayProcess } from './relay-process.js';

const JWT_SECRET = marked('a secret of the tests, long enough for HS256');
const SECRETS_KEY = markedKey('secrets-key');
/** Tests that need `ulimit`. */
const testWithLimits = existsSync('/bin/sh') && process.platform !== 'win32' ? test : test.skip;
const POS_BASE_URL = 'https://pos.example';

describe('a relay that cannot start (S2)', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'relay-start-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs it in the folder until it has exited and all its output is read. */
  async function run(environment: Record<string, string>) {
    const instance = RelayProcess.spawn(environment, folder);
    const [code] = await once(instance.process, 'close');
    return { code, text: instance.text, log: JSON.stringify(instance.lines) };
  }
  const named = (text: string) => [...text.matchAll(/^ {2}- (\w+)/gm)].map(([, name]) => name);

  test('prints what is missing when nothing is set in production, exits with 1, and creates no file', async () => {
    const { code, text, log } = await run({});
    expect(code).toBe(1);
    expect(text.trimEnd().split('\n')).toEqual([
      'The relay cannot start: its configuration has 3 problems.',
      expect.stringMatching(/^ {2}- JWT_SECRET is required/),
      expect.stringMatching(/^ {2}- SECRETS_KEY is required/),
      expect.stringMatching(/^ {2}- POS_BASE_URL is required/),
      'Every variable is described in .env.example.',
    ]);
    expect(log).toBe('[]');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('warns of a static terminal token of 15 characters, and continues; and of what production leaves open (S19, S40)', async () => {
    const { log, text } = await run({
      ...{ JWT_SECRET, SECRETS_KEY, POS_BASE_URL, TERMINAL_BEARER_TOKEN: marked('15') },
      ...{ DATABASE_URL: 'postgresql://u@127.0.0.1:9/relay', DATABASE_TIMEOUT_MS: '300' },
    });
    expect(log).toContain('"event":"relay.weak_token","variable":"TERMINAL_BEARER_TOKEN"');
    expect(log).toContain('"event":"relay.open_access"');
    // the database ends the start, not the token
    expect(text).toContain('The relay cannot start: ');
    expect(text).not.toContain('configuration');
  });

  test('reads .env in development, and the environment wins; not in production (S1)', async () => {
    writeFileSync(join(folder, '.env'), `POS_BASE_URL=${POS_BASE_URL}\nPORT=from-env-file\nLOG_LEVEL=loud\n`);
    const { code, text } = await run({ NODE_ENV: 'development', LOG_LEVEL: 'info' });
    expect([code, named(text)]).toEqual([1, ['PORT']]);
    expect(text).not.toContain('from-env-file');
    expect(named((await run({})).text)).toEqual(['JWT_SECRET', 'SECRETS_KEY', 'POS_BASE_URL']);
  });

  test.each<[string, (folder: string) => Record<string, string>]>([
    [
      'a server that does not answer',
      () => ({ DATABASE_URL: 'postgresql://u:hush-hush@127.0.0.1:9/relay', DATABASE_TIMEOUT_MS: '300' }),
    ],
    ['a DATA_DIR that is a file', (at) => ({ DATA_DIR: join(at, 'taken') })],
  ])('%s: exit code 1 and one line, without a stack trace or a secret', async (_, environment) => {
    writeFileSync(join(folder, 'taken'), '');
    const { code, text, log } = await run({ JWT_SECRET, SECRETS_KEY, POS_BASE_URL, ...environment(folder) });
    expect(code).toBe(1);
    expect(text).toMatch(/^The relay cannot start: .*\n$/);
    for (const printed of [text, log])
      expect(printed).not.toMatch(/hush-hush|long enough for HS256|BwcHBwcHBw|\.js:\d/);
  });

  test('S17: a port that is in use: exit code 1 and one line with the remedy, before a database is created', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, text, log } = await run({ NODE_ENV: 'test', POS_BASE_URL, HOST: '127.0.0.1', PORT: String(port) });
    other.close();
    expect([code, log]).toEqual([1, '[]']);
    expect(text).toMatch(
      new RegExp(`^The relay cannot start: port ${port} is taken.*PORT=${port + 1}.*EADDRINUSE.*\n$`),
    );
    expect(readdirSync(join(folder, 'data')).filter((name) => !/^(jwt-secret|secrets-key)$/.test(name))).toEqual([]);
  });

  test('S17: a HOST that is no address of this machine: exit code 1 and one line', async () => {
    const { code, text } = await run({ JWT_SECRET, SECRETS_KEY, POS_BASE_URL, HOST: '192.0.2.1' });
    expect(code).toBe(1);
    expect(text).toMatch(/^The relay cannot start: HOST 192\.0\.2\.1 is no address of this machine.*\n$/);
  });

  test('S18: a mistyped variable is named with the one that was meant, without its value; in development only POS_BASE_URL is required', async () => {
    const { code, text } = await run({ NODE_ENV: '', POS_BASEURL: 'https://hush-hush.example' });
    expect([code, named(text)]).toEqual([1, ['POS_BASE_URL']]);
    expect(text).toContain('POS_BASEURL: did you mean POS_BASE_URL?');
    expect(text).not.toContain('hush-hush');
  });

  testWithLimits(
    'L21: a limit of open files below the minimum: exit code 1 and one line that says what to raise',
    async () => {
      const settings = { JWT_SECRET, SECRETS_KEY, POS_BASE_URL, DATABASE_URL: 'postgresql://u@127.0.0.1:9/relay' };
      const instance = RelayProcess.spawn(settings, folder, 300);
      const [code] = await once(instance.process, 'close');
      expect([code, instance.lines]).toEqual([1, []]);
      expect(instance.text).toMatch(
        /^The relay cannot start: this process may open 300 files.*raise the limit to \d+ .*ulimit -n.*\n$/,
      );
    },
  );
});
