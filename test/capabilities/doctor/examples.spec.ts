import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PATH } from '../../process/relay-process.js';
import { makeFolder, openDatabase, type TestDatabase } from '../../support/database.js';
import { complaints } from './doctor.js';

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');
/** The lines of README's blocks. */
const BLOCKS = [...read('README.md').matchAll(/```sh\n(.*?)```/gs)].map(([, lines]) => lines as string);

/** What a shell has in its environment after these lines. */
function environmentAfter(lines: string): Record<string, string> {
  const exports = lines.split('\n').filter((line) => line.startsWith('export '));
  const text = execFileSync('/bin/sh', ['-c', [...exports, 'env'].join('\n')], { env: { PATH }, encoding: 'utf8' });
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}

/** The checks of access. */
const ACCESS = ['configuration', 'sign-in', 'terminals', 'onboarding', 'password checks'];

describe('the production examples (S12)', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openDatabase();
    await database.query('TRUNCATE users CASCADE');
  });
  afterAll(() => database.close());

  const warnings = async (environment: Record<string, string>) =>
    (await complaints({ ...environment, DATABASE_URL: database.url, POS_TIMEOUT_MS: '500' })).found.filter(({ name }) =>
      ACCESS.includes(name),
    );

  test("README's lines start a relay into which somebody can sign in, and nobody by guessing", async () => {
    const environment = environmentAfter(BLOCKS.find((lines) => lines.includes('NODE_ENV=production')) as string);
    expect(environment).toMatchObject({ LOGIN_ATTEMPTS_PER_MINUTE: '10', POS_BASE_URL: 'https://pos.example' });
    expect(await warnings({ ...environment, POS_BASE_URL: 'http://127.0.0.1:9' })).toEqual([]);
  });

  test('the lines that write the .env of docker-compose.yml do too', async () => {
    const block = BLOCKS.find((lines) => lines.includes('docker compose up')) as string;
    const [, lines] = /<<END\n(.*?)\nEND\n/s.exec(block) as RegExpExecArray;
    const environment = environmentAfter((lines as string).replaceAll(/^/gm, 'export '));
    const compose = read('docker-compose.yml');
    expect(compose).toContain(`LOGIN_ATTEMPTS_PER_MINUTE: \${LOGIN_ATTEMPTS_PER_MINUTE:-10}`);
    for (const [, name] of compose.matchAll(/\$\{(\w+):\?/g)) expect(environment).toHaveProperty(name as string);
    const given = { ...environment, LOGIN_ATTEMPTS_PER_MINUTE: '10', POS_BASE_URL: 'http://127.0.0.1:9' };
    expect(await warnings(given)).toEqual([]);
  });

  test('the secrets of these lines may stand in files (S41)', async () => {
    const environment = environmentAfter(BLOCKS.find((lines) => lines.includes('NODE_ENV=production')) as string);
    const folder = makeFolder();
    for (const name of ['JWT_SECRET', 'SECRETS_KEY', 'ADMIN_PASSWORD', 'TERMINAL_BEARER_TOKEN']) {
      writeFileSync(join(folder, name), `${environment[name]}\n`);
      delete environment[name];
      environment[`${name}_FILE`] = join(folder, name);
    }
    expect(await warnings({ ...environment, POS_BASE_URL: 'http://127.0.0.1:9' })).toEqual([]);
  });

  test('without these settings there are warnings', async () => {
    const bare = { JWT_SECRET: 'j'.repeat(32), SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') };
    const found = await warnings({ ...bare, POS_BASE_URL: 'http://127.0.0.1:9' });
    expect(found.map(({ name }) => name)).toEqual(['sign-in', 'terminals', 'password checks']);
  });
});
