import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sale } from '../../support/client.js';
import { openDatabase } from '../../support/database.js';
import { ADMIN, NO_POS, OWN, PARTNER, TERMINAL_TOKEN } from '../../support/environment.js';
import { marked } from '../../support/secrets.js';
import { Deployment, LOCKED } from './deployment.js';
import { complaints, doctor, doctorOfAnImpatientReader, examined } from './doctor.js';

describe('the doctor (R13)', () => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.open();
  });
  afterEach(async () => {
    await deployment.restore();
  });
  afterAll(() => deployment.close());

  test('a healthy deployment: every check is ok, exit code 0', async () => {
    await deployment.relay.accept(sale());
    const { code, text } = await doctor(deployment.environment);
    expect([code, text]).toEqual([0, expect.stringMatching(/\n\n30 ok, 0 warnings, 0 bad\n$/)]);
    const lines = text.trimEnd().split('\n').slice(0, -2);
    expect(lines).toHaveLength(30);
    for (const line of lines) expect(line).toMatch(/^✓ \S/);
  });

  test('a closed pipe (`| head`): the same exit code, and no stack trace', async () => {
    await deployment.database.query('UPDATE restaurants SET code_store_pos = NULL');
    expect(await doctorOfAnImpatientReader(deployment.environment)).toEqual({ code: 1, text: '' });
  });

  const WITHOUT_ANY = { POS_PARTNER_ID: '', POS_SECRET: '' };
  const NO_ADMIN = { ADMIN_EMAIL: '', ADMIN_PASSWORD: '' };
  const UNSENT = { TERMINAL_BEARER_TOKEN: '' };
  const WEAK = marked('15');
  const CLOSED = 'UPDATE restaurants SET deleted_at = now()';
  const EMPTY = 'TRUNCATE users, restaurants CASCADE';
  const initial = (change: string) => `UPDATE _prisma_migrations SET ${change} WHERE migration_name LIKE '%_initial'`;
  const NEWER = `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('n', 'n', '2999_new', now())`;
  const NO_AUTOVACUUM = 'ALTER TABLE outbox_jobs SET (autovacuum_enabled = false)';
  const LARGE = `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
    SELECT n, n, false, restaurants.id, to_jsonb(repeat(md5(n::text), 30)) FROM generate_series(1, 10000) n, restaurants`;

  /** the case, how it is brought about, what is found, its words, settings */
  test.each<[string, string, string, string, Record<string, string>?]>([
    ['a changed migration', initial(`checksum = 'x'`), 'bad migrations', '_initial was changed after it was applied'],
    ['a migration that failed', initial('finished_at = NULL'), 'bad migrations', '_initial failed half-way'],
    ['a database of a newer version', NEWER, 'bad migrations', '2999_new is not known to this version'],
    ['no restaurant', CLOSED, 'warning restaurants', 'none yet'],
    ['no autovacuum', NO_AUTOVACUUM, 'warning autovacuum', 'outbox_jobs: autovacuum_enabled is off'],
    [
      'a large table without statistics (R30)',
      LARGE,
      'warning autovacuum',
      'terminal_events: large, and never analysed',
    ],
    [
      'unused wrong credentials',
      '',
      'warning POS_PARTNER_ID',
      'refuses the credentials: HTTP 401',
      { POS_SECRET: WEAK },
    ],
    ['nobody who can sign in', EMPTY, 'warning sign-in', 'nobody can sign in', NO_ADMIN],
    ['nobody who can send', CLOSED, 'warning terminals', 'no terminal can send', UNSENT],
    ['a shared token', '', 'warning onboarding', 'nobody has claimed', { ONBOARDING: 'self', ...WITHOUT_ANY }],
    ['shared credentials', '', 'warning onboarding', 'with the shared credentials', { ONBOARDING: '', ...UNSENT }],
    ['a short token (S19)', '', 'warning terminals', 'TOKEN has fewer than 16', { TERMINAL_BEARER_TOKEN: WEAK }],
    ['a short old one', '', 'warning terminals', 'PREVIOUS has fewer', { TERMINAL_BEARER_TOKEN_PREVIOUS: WEAK }],
    ['no limit of logins', '', 'warning password checks', 'not limited', { LOGIN_ATTEMPTS_PER_MINUTE: '0' }],
  ])('%s alone is found: exit code 1 if it is bad, else 0', async (_, sql, finding, words, changes = {}) => {
    if (sql) await deployment.database.query(sql);
    const { code, found } = await complaints({ ...deployment.environment, ...changes });
    // without a restaurant, or with a new one, there are two things to say
    const others = ['restaurants', 'last sales'].filter((name) => !finding.endsWith(name));
    const other = found.filter(({ name }) => !others.includes(name));
    expect(other.map(({ name, level }) => `${level} ${name}`)).toEqual([finding]);
    expect(JSON.stringify(other)).toContain(words);
    expect(code).toBe(finding.startsWith('bad') ? 1 : 0);
  });

  test.each([
    [45_000, 1, 'bad', 'this machine is 45 s ahead of the database'],
    [5_000, 0, 'warning', 'this machine is 5 s ahead of the database'],
    [-5_000, 0, 'warning', 'this machine is 5 s behind the database'],
  ])('a clock that is %i ms ahead: exit code %i', async (ms, code, level, words) => {
    expect(await complaints(deployment.environment, ms)).toMatchObject({
      code,
      found: [{ name: 'clock', level, text: expect.stringContaining(words) }],
    });
  });

  test('a test POS that is down delays no sale: warnings, exit code 0', async () => {
    await deployment.database.query('DELETE FROM pos_tokens');
    const { code, found } = await complaints({ ...deployment.environment, POS_TEST_BASE_URL: NO_POS });
    expect([code, found]).toMatchObject([
      0,
      [
        { name: 'test POS', level: 'warning', text: expect.stringContaining('ECONNREFUSED') },
        { name: 'test POS credentials', level: 'warning' },
        { name: 'test POS sign-in', level: 'warning', text: expect.stringContaining('ECONNREFUSED') },
      ],
    ]);
  });

  test('the sign-in at a test POS uses the credentials of test orders (S20)', async () => {
    const { database, environment, pos } = deployment;
    await database.query('DELETE FROM pos_tokens');
    const testPos = { POS_TEST_BASE_URL: `${environment.POS_BASE_URL}/v1/..` };
    const signedInAs = async (changes: Record<string, string>) => {
      const calls = pos.requests.length;
      expect((await complaints({ ...environment, ...testPos, ...changes })).code).toBe(0);
      const signIns = pos.requests.slice(calls).filter(({ path }) => path === '/auth');
      return signIns.map(({ headers }) => headers['id-partner']).toSorted();
    };
    const forSales = [OWN.posIdPartner, PARTNER.id];
    expect(await signedInAs({})).toEqual([...forSales, OWN.posIdPartner].toSorted());
    const own = { POS_TEST_PARTNER_ID: 'tests-only', POS_TEST_SECRET: marked('tests-only') };
    expect(await signedInAs(own)).toEqual([...forSales, 'tests-only'].toSorted());
  });

  test('an OWNER can send without a terminal token, an existing user signs in without ADMIN_EMAIL', async () => {
    const environment = { ...deployment.environment, ...NO_ADMIN, TERMINAL_BEARER_TOKEN: '' };
    expect(await complaints(environment)).toEqual({ code: 0, found: [] });
  });

  test('a secret of a few letters is not redacted; a longer one is (S21)', async () => {
    const { environment } = deployment;
    const { text } = await examined({ ...environment, TERMINAL_BEARER_TOKEN: 't', METRICS_TOKEN: 'warni' });
    expect(text).toMatch(/^! terminals +TERMINAL_BEARER_TOKEN has fewer than 16 characters/m);
    expect(text).not.toContain('[secret]');
    const { text: struck } = await examined({ ...environment, METRICS_TOKEN: 'restaurants' });
    expect(struck).toContain('[secret]');
  });

  test('it changes nothing: no token is stored, and the relay continues to write (R13)', async () => {
    const { database, environment, relay } = deployment;
    const before = await database.query('SELECT count(*)::int AS tokens FROM pos_tokens');
    await Promise.all([examined(environment), examined(environment)]);
    expect(await database.query('SELECT count(*)::int AS tokens FROM pos_tokens')).toEqual(before);
    await relay.accept(sale());
  });

  test('a database that lacks migrations: a warning, and nothing is migrated', async () => {
    const { environment } = deployment;
    const empty = await openDatabase({ migrated: false });
    const { code, found } = await complaints({ ...environment, DATABASE_URL: empty.url });
    expect([code, found[0]]).toMatchObject([0, { name: 'migrations', level: 'warning' }]);
    expect(found[0]?.details).toContain('20261121000000_initial');
    for (const { text } of found.slice(1)) expect(text).toMatch(/^not checked: the database lacks migrations/);
    expect(await empty.query(`SELECT to_regclass('_prisma_migrations') AS history`)).toEqual([{ history: null }]);
    await empty.close();
  });

  test('the password of a database that refuses it is not printed', async () => {
    const { environment } = deployment;
    const away = 'postgresql://relay:p%40ssw0rd-of-the-relay@127.0.0.1:9/relay';
    const { code, text } = await examined({ ...environment, DATABASE_URL: away });
    expect([code, text]).toEqual([1, expect.stringContaining('✗ database')]);
    expect(text).not.toContain('ssw0rd-of-the-relay');
  });
});

describe('the doctor, beside a relay with orders', () => {
  let deployment: Deployment;

  beforeEach(async () => {
    deployment = await Deployment.open();
  });
  afterEach(() => deployment.close());

  test('jobs that wait, are within their lease, delivered or withdrawn: every check is ok', async () => {
    const { database, environment, relay } = deployment;
    await relay.accept(sale());
    await relay.tick();
    await relay.accept(sale());
    await database.query(`UPDATE outbox_jobs SET ${LOCKED}, processing_at = now() WHERE status = 'PENDING'`);
    await deployment.park('withdrawn: order cancelled before it was sent');
    await database.query(`UPDATE outbox_jobs SET withdrawn = true WHERE status = 'DLQ'`);
    await relay.accept(sale());
    expect(await complaints(environment)).toEqual({ code: 0, found: [] });
  });

  test('a token that is in use counts as accepted: the doctor makes no sign-in', async () => {
    const { environment, pos, relay } = deployment;
    await relay.accept(sale());
    await relay.tick();
    const calls = pos.authCalls;
    const { code, text } = await examined({ ...environment, POS_PARTNER_ID: '', POS_SECRET: '' });
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(/✓ POS sign-in +1 restaurant: .*the token it gave is in use/),
    ]);
    await relay.accept(sale());
    await relay.tick();
    expect(pos.authCalls).toBe(calls);
    expect(pos.orders.size).toBe(2);
  });

  test('restaurants that share credentials are one sign-in; a refusal names them all', async () => {
    const { environment, pos, relay } = deployment;
    for (const n of [2, 3])
      await relay.createRestaurant({
        name: `Roma ${n}`,
        codeStoreTerminal: `S-${n}`,
        codeStorePos: `P-${n}`,
        posIdPartner: 'own',
        posSecret: 'no',
        timezone: 'Europe/Rome',
      });
    const { code, found } = await complaints(environment);
    expect(pos.authCalls).toBe(3);
    expect([code, found]).toMatchObject([
      1,
      [
        {
          text: '2 restaurants: the POS refuses the credentials: HTTP 401, POS error 901',
          details: ['Roma 2 (roma-2)', 'Roma 3 (roma-3)'],
        },
        { name: 'last sales' },
      ],
    ]);
  });

  test('a database that is away: bad, and the POS is still checked', async () => {
    const { database, environment } = deployment;
    const comeBack = await database.goAway();
    const { code, text } = await examined(environment);
    await comeBack();
    expect(code).toBe(1);
    expect(text).toMatch(/✗ database +cannot be opened: /);
    expect(text).toMatch(/✓ POS +http/);
    expect(text).toMatch(/✓ POS_PARTNER_ID +the POS has just accepted/);
  });

  test('with failing checks, no secret, token, control character or stack trace is printed', async () => {
    const { database, environment, pos, relay } = deployment;
    await relay.accept(sale());
    await relay.tick();
    pos.behave({ mode: 'echo-secret', paths: ['/auth'] });
    await deployment.park(`HTTP 400: bad secret ${OWN.posSecret} and ${PARTNER.secret}`);
    await database.query(`UPDATE restaurants SET name = 'Rom' || chr(27) || '[2Ja', code_store_pos = NULL`);
    await database.query('UPDATE pos_tokens SET expires_at = now()');
    for (const json of [false, true]) {
      const { code, text } = await examined(environment, { json });
      expect(code).toBe(1);
      // the secret with a digit is already # in the cause
      expect(text).toContain('HTTP 400: bad secret # and [secret]');
      expect(text).toMatch(/(- |")Rom \[2Ja \(pizzeria-roma\)/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]|\.js:\d|\n\s+at /);
      const tokens = pos.requests.map(({ headers }) => headers.authorization?.split(' ')[1]);
      const { JWT_SECRET, SECRETS_KEY } = environment;
      const secrets = [
        OWN.posSecret,
        PARTNER.secret,
        ADMIN.password,
        TERMINAL_TOKEN,
        JWT_SECRET,
        SECRETS_KEY,
        ...tokens,
      ];
      for (const secret of secrets.filter((one) => one !== undefined)) expect(text).not.toContain(secret);
    }
    await database.query('UPDATE outbox_jobs SET last_error = NULL');
  });

  test('1,000 restaurants are two sign-ins; --json has them all, the lines ten of them', async () => {
    const { database, environment } = deployment;
    await database.query(`INSERT INTO restaurants (id, name, slug)
                          SELECT gen_random_uuid(), 'Bar ' || n, 'bar-' || n FROM generate_series(1, 1000) n`);
    const { text } = await examined(environment, { json: true });
    const found = JSON.parse(text) as Record<string, unknown>[];
    for (const finding of found)
      expect(finding).toMatchObject({
        name: expect.any(String),
        level: expect.stringMatching(/^(ok|warning|bad)$/),
        verdict: expect.stringMatching(/^(good|warning|bad)$/),
      });
    expect(found.find(({ name }) => name === 'POS store codes')?.details).toHaveLength(1000);
    expect(deployment.pos.authCalls).toBe(2);
    expect((await examined(environment)).text).toContain('- and 990 more');
  });
});

describe('the doctor without a valid configuration', () => {
  test('a wrong configuration: the first cross lists every problem by its name, without a value', async () => {
    const { code, text } = await examined({ PORT: 'hush-hush', POS_PARTNER_ID: 'partner' });
    expect(code).toBe(1);
    const named = [...text.matchAll(/^ +- (\w+)/gm)].map(([, name]) => name);
    expect(named).toEqual(['JWT_SECRET', 'SECRETS_KEY', 'PORT', 'POS_BASE_URL', 'POS_SECRET']);
    expect(text).toMatch(/^✗ configuration +the relay cannot start: 5 problems\n/);
    expect(text).toMatch(/\n0 ok, 0 warnings, 1 bad\n$/);
    expect(text).not.toContain('hush-hush');
  });

  test('reads .env in development; the environment overrides it', async () => {
    const folder = mkdtempSync(join(process.env.RELAY_TEST_FOLDER as string, 'e-'));
    writeFileSync(join(folder, '.env'), `POS_BASE_URL=${NO_POS}\nPORT=x\nHOST=y\n`);
    const { text } = await doctor({ NODE_ENV: 'development', LOG_LEVEL: 'loud' }, [], folder);
    expect([...text.matchAll(/^ +- (\w+)/gm)].map(([, name]) => name)).toEqual(['PORT', 'LOG_LEVEL']);
  });

  test('--help says what it does; an unknown option is refused in one line', async () => {
    expect(await doctor({}, ['--help'])).toMatchObject({
      code: 0,
      text: expect.stringMatching(/^Usage: npm run doctor/),
    });
    expect(await doctor({}, ['--wrong'])).toEqual({ code: 1, text: "doctor: Unknown option '--wrong'; try --help\n" });
  });

  test('colours at a terminal or when asked for; a pipe and NO_COLOR get none', async () => {
    const ESCAPE = '\u001b[31m';
    expect((await examined({}, { isTerminal: true })).text).toContain(ESCAPE);
    expect((await examined({ FORCE_COLOR: '1' })).text).toContain(ESCAPE);
    expect((await examined({})).text).not.toContain(ESCAPE);
    expect((await examined({ NO_COLOR: '1' }, { isTerminal: true })).text).not.toContain(ESCAPE);
  });
});
