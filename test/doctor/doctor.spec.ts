import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Behaviour } from '../../tools/simulator/behaviour.js';
import { sale } from '../support/client.js';
import { openDatabase } from '../support/database.js';
import { ADMIN, NO_POS, OWN, PARTNER, TERMINAL_TOKEN } from '../support/environment.js';
import { marked, markedKey } from '../support/secrets.js';
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

  type Spoil = (deployment: Deployment) => unknown;
  const sql =
    (statement: string): Spoil =>
    ({ database }) =>
      database.query(statement);
  const sold =
    (statement: string): Spoil =>
    async ({ relay, database }) => {
      await relay.accept(sale());
      await database.query(`UPDATE outbox_jobs SET ${statement}`);
    };
  const posDoes =
    (behaviour: Behaviour): Spoil =>
    ({ pos }) =>
      pos.behave(behaviour);
  /** This machine's clock, moved. */
  const clock = (ms: number) => ({
    NODE_OPTIONS: `--import data:text/javascript,const{now}=Date;Date.now=()=>now()+${ms}`,
  });

  test('a healthy deployment: every check is good, exit code 0', async () => {
    await deployment.relay.accept(sale());
    const { code, text } = await doctor(deployment.environment);
    expect([code, text]).toEqual([0, expect.stringMatching(/\n\n20 good, 0 warnings, 0 bad\n$/)]);
    const lines = text.trimEnd().split('\n').slice(0, -2);
    expect(lines).toHaveLength(20);
    for (const line of lines) expect(line).toMatch(/^✓ \S/);
  });

  test('a reader that has seen enough, as `head`, leaves the exit code as it is and gets no stack trace', async () => {
    await sql('UPDATE restaurants SET code_store_pos = NULL')(deployment);
    expect(await doctorOfAnImpatientReader(deployment.environment)).toEqual({ code: 1, text: '' });
  });

  const REFUSED = 'Pizzeria Roma (pizzeria-roma): HTTP 401, POS error 901';
  const WITHOUT_ANY = { POS_PARTNER_ID: '', POS_SECRET: '' };
  const NO_ADMIN = { ADMIN_EMAIL: '', ADMIN_PASSWORD: '' };
  const NO_OWN = `UPDATE restaurants SET pos_id_partner = NULL, pos_secret = NULL`;

  /** what is done, what then is bad, what its text says */
  test.each<[string, Spoil, string, string, Record<string, string>?]>([
    ['no OWNER', sql('DELETE FROM user_restaurants'), 'owners', 'Pizzeria Roma (pizzeria-roma)'],
    ['no codeStorePos', sql('UPDATE restaurants SET code_store_pos = NULL'), 'POS store codes', 'Pizzeria Roma'],
    ['no credentials', sql(NO_OWN), 'POS credentials', 'Pizzeria Roma', WITHOUT_ANY],
    [
      'a posSecret that no key opens',
      () => {},
      'POS credentials',
      "Pizzeria Roma (pizzeria-roma): the restaurant's posSecret cannot be decrypted",
      { SECRETS_KEY: markedKey('another') },
    ],
    ['credentials the POS refuses', sql("UPDATE restaurants SET pos_id_partner = 'nobody'"), 'POS sign-in', REFUSED],
    ['a sign-in without a token', posDoes({ mode: 'html', status: 200, paths: ['/auth'] }), 'POS sign-in', 'no token'],
    ['a sign-in that hangs', posDoes({ mode: 'hang', paths: ['/auth'] }), 'POS sign-in', 'no answer (TIMEOUT)'],
    ['a POS that is down', ({ pos }) => pos.down(), 'POS', 'ECONNREFUSED'],
    [
      'a late job',
      sold(`next_run_at = now() - interval '2 hours'`),
      'late jobs',
      'Pizzeria Roma (pizzeria-roma): 1, for up to 2 h',
    ],
    [
      'a stuck job',
      sold(`${LOCKED}, processing_at = now() - interval '3 minutes'`),
      'stuck jobs',
      'Pizzeria Roma (pizzeria-roma): 1, for up to 3 min, by old-host:1',
    ],
    [
      'a migration changed since',
      sql(`UPDATE _prisma_migrations SET checksum = 'x' WHERE migration_name LIKE '%_initial'`),
      'migrations',
      '20261121000000_initial was changed after it was applied',
    ],
    [
      'a migration that failed',
      sql(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE '%_initial'`),
      'migrations',
      '20261121000000_initial failed half-way',
    ],
    [
      'a database of a newer version',
      sql(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('n', 'n', '2999_new', now())`,
      ),
      'migrations',
      '2999_new is not known to this version',
    ],
    ['a clock far off', () => {}, 'clock', 'this machine is 45 s ahead of the database', clock(45_000)],
  ])('%s alone is bad: exit code 1', async (_, spoil, name, words, changes = {}) => {
    await spoil(deployment);
    const { code, found } = await complaints({ ...deployment.environment, ...changes });
    expect(code).toBe(1);
    expect(found.filter(({ verdict }) => verdict === 'bad').map((finding) => finding.name)).toEqual([name]);
    expect(JSON.stringify(found.find((finding) => finding.name === name))).toContain(words);
  });

  const ASKS = { POS_AFTER_UNKNOWN: 'ask', POS_ORDER_LOOKUP_PATH: '/order/{order_id}?cod_store={cod_store}' };
  const lookupsGet = (behaviour: Behaviour) => posDoes({ ...behaviour, paths: ['/order/{order_id}'] });
  /** a sale that the POS has, and what then becomes of it there */
  const delivered = (becomes: Spoil) => async (one: Deployment) => {
    await one.relay.accept(sale());
    await one.relay.tick();
    await becomes(one);
  };

  test('POS_ORDER_LOOKUP_PATH leads to orders: good, with a delivered order to ask for and without one', async () => {
    const without = await examined({ ...deployment.environment, ...ASKS });
    expect(without).toEqual({
      code: 0,
      text: expect.stringContaining('the POS says 404 of an order that never was'),
    });
    await delivered(() => {})(deployment);
    const lookups = deployment.pos.lookupCalls;
    const { code, text } = await examined({ ...deployment.environment, ...ASKS });
    expect([code, text]).toEqual([0, expect.stringContaining('the POS knows the last order it accepted')]);
    expect(deployment.pos.lookupCalls - lookups).toBe(2);
    expect(text).toContain('21 good, 0 warnings, 0 bad');
  });

  test.each<[string, Spoil, string, Record<string, string>?]>([
    ['in progress, whatever is asked', lookupsGet({ mode: 'in-progress' }), 'does not say 404: HTTP 200'],
    ['an empty path', () => {}, 'does not say 404: HTTP 405', { POS_ORDER_LOOKUP_PATH: '/cancel-order?id={order_id}' }],
    ['a POS that hangs', lookupsGet({ mode: 'hang' }), 'TIMEOUT'],
    [
      'a wrong path',
      delivered(() => {}),
      'does not know the last order it accepted',
      { POS_ORDER_LOOKUP_PATH: '/orders/{order_id}' },
    ],
  ])(
    'asked for orders, %s: bad where the POS is to be asked, else a warning',
    async (_, spoil, words, changes = {}) => {
      await spoil(deployment);
      const environment = { ...deployment.environment, ...ASKS, ...changes };
      const { code, found } = await complaints(environment);
      expect([code, found]).toMatchObject([
        1,
        [{ name: 'order lookup', verdict: 'bad', text: expect.stringContaining(words) }],
      ]);
      const idle = await complaints({ ...environment, POS_AFTER_UNKNOWN: 'resend' });
      expect(idle).toMatchObject({ code: 0, found: [{ name: 'order lookup', verdict: 'warning' }] });
    },
  );

  test.each<[string, Spoil, string, string, Record<string, string>?]>([
    ['no codeStoreTerminal', sql('UPDATE restaurants SET code_store_terminal = NULL'), 'terminal store codes', 'Roma'],
    ['no restaurant', sql('UPDATE restaurants SET deleted_at = now()'), 'restaurants', 'none yet'],
    [
      'a codeStorePos that two restaurants send with the same credentials',
      sql(`WITH other AS (INSERT INTO restaurants (id, name, slug, code_store_terminal, code_store_pos, timezone)
                          SELECT gen_random_uuid(), 'Osteria', 'osteria', 'S-2', code_store_pos, timezone FROM restaurants RETURNING id)
           INSERT INTO user_restaurants (id, user_id, restaurant_id, role)
           SELECT gen_random_uuid(), users.id, other.id, 'OWNER' FROM users, other LIMIT 1;
           UPDATE restaurants SET pos_id_partner = NULL, pos_secret = NULL`),
      'POS store codes',
      'Osteria (osteria): ',
    ],
    [
      'a parked job',
      (one) => one.park('HTTP 422, POS error 12: unknown product'),
      'parked jobs',
      '1: HTTP 422, POS error 12',
    ],
    ['half a pair of credentials', sql('UPDATE restaurants SET pos_secret = NULL'), 'POS credentials', 'no posSecret'],
    [
      'a table without autovacuum',
      sql('ALTER TABLE outbox_jobs SET (autovacuum_enabled = false)'),
      'autovacuum',
      'outbox_jobs: autovacuum_enabled is off',
    ],
    [
      'a large table that was never analysed (R30)',
      sql(`INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
           SELECT n, n, false, restaurants.id, to_jsonb(repeat(md5(n::text), 30)) FROM generate_series(1, 20000) n, restaurants`),
      'autovacuum',
      'terminal_events: large, and never analysed',
    ],
    ['a clock a little off', () => {}, 'clock', 'ahead of the database', clock(5_000)],
    ['a clock a little late', () => {}, 'clock', 'behind the database', clock(-5_000)],
    [
      'unused credentials the POS refuses',
      () => {},
      'POS sign-in',
      'the configured credentials (POS_PARTNER_ID): HTTP 401',
      { POS_SECRET: marked('wrong') },
    ],
    ['nobody who can sign in', sql('TRUNCATE users, restaurants CASCADE'), 'sign-in', 'nobody can sign in', NO_ADMIN],
    [
      'nobody who can send',
      sql('UPDATE restaurants SET deleted_at = now()'),
      'terminals',
      'no terminal can send',
      { TERMINAL_BEARER_TOKEN: '' },
    ],
    [
      'a static terminal token where every user creates restaurants',
      () => {},
      'onboarding',
      'a store code nobody has claimed',
      { ONBOARDING: 'self', ...WITHOUT_ANY },
    ],
    [
      'shared POS credentials where every user creates restaurants',
      () => {},
      'onboarding',
      'with the shared credentials',
      { ONBOARDING: '', TERMINAL_BEARER_TOKEN: '' },
    ],
    [
      'a restaurant whose time zone nobody has chosen (A32)',
      sql("UPDATE restaurants SET timezone = 'UTC'"),
      'time zones',
      '1 restaurant in UTC, the default',
    ],
    [
      'a static terminal token of 15 characters (S19)',
      () => {},
      'terminals',
      'TERMINAL_BEARER_TOKEN has fewer than 16 characters',
      { TERMINAL_BEARER_TOKEN: marked('15') },
    ],
    [
      'a previous terminal token that is as short (S19)',
      () => {},
      'terminals',
      'TERMINAL_BEARER_TOKEN_PREVIOUS has fewer than 16 characters',
      { TERMINAL_BEARER_TOKEN_PREVIOUS: marked('15') },
    ],
    [
      'a test POS that gets the credentials of production (S20)',
      () => {},
      'test POS credentials',
      'Pizzeria Roma (pizzeria-roma)',
      { POS_TEST_BASE_URL: '{pos}' },
    ],
    ['passwords that may be guessed', () => {}, 'password checks', 'not limited', { LOGIN_ATTEMPTS_PER_MINUTE: '0' }],
  ])('%s alone is a warning: exit code 0', async (_, spoil, name, words, changes = {}) => {
    await spoil(deployment);
    // the test POS: another address of the same one
    const { POS_TEST_BASE_URL = '' } = changes;
    const testPos = {
      POS_TEST_BASE_URL: POS_TEST_BASE_URL.replace('{pos}', `${deployment.environment.POS_BASE_URL}/v1/..`),
    };
    const { code, found } = await complaints({ ...deployment.environment, ...changes, ...testPos });
    // without a restaurant there are two things to say
    const other = found.filter((finding) => finding.name !== 'restaurants' || name === 'restaurants');
    expect([code, other.map((finding) => [finding.name, finding.verdict])]).toEqual([0, [[name, 'warning']]]);
    expect(JSON.stringify(other)).toContain(words);
  });

  test('a test POS that is down delays no sale: warnings, exit code 0', async () => {
    await deployment.database.query('DELETE FROM pos_tokens');
    const { code, found } = await complaints({ ...deployment.environment, POS_TEST_BASE_URL: NO_POS });
    expect([code, found]).toMatchObject([
      0,
      [
        { name: 'test POS', verdict: 'warning', text: expect.stringContaining('ECONNREFUSED') },
        { name: 'test POS credentials', verdict: 'warning' },
        {
          name: 'POS sign-in',
          verdict: 'warning',
          text: '2 of 3 accepted; 1 not tried: the POS does not answer in time',
        },
      ],
    ]);
  });

  test('the sign-in at a test POS takes what test orders would take there (S20)', async () => {
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

  test.each<[string, Record<string, string>, number]>([
    ['longer than ALARM_LATE_MS is late', { ALARM_LATE_MS: '60000' }, 1],
    ['two ticks, but not that long, is not (O23)', { OUTBOX_TICK_MS: '1000' }, 0],
  ])('a job that is due for %s', async (_, changes, expected) => {
    await sold(`next_run_at = now() - interval '90 seconds'`)(deployment);
    expect((await complaints({ ...deployment.environment, ...changes })).found).toHaveLength(expected);
  });

  test('an OWNER can send without a terminal token, an existing user signs in without ADMIN_EMAIL', async () => {
    const environment = { ...deployment.environment, ...NO_ADMIN, TERMINAL_BEARER_TOKEN: '' };
    expect(await complaints(environment)).toEqual({ code: 0, found: [] });
  });

  test('the three commonest causes of parked jobs are told, and how many more there are', async () => {
    const { environment } = deployment;
    for (const cause of ['a', 'b', 'b', 'c', 'c', 'c', 'd', 'd']) await deployment.park(`cause ${cause}`);
    const { found } = await complaints(environment);
    expect(found).toMatchObject([
      {
        text: '8 jobs given up (DLQ)',
        details: ['3: cause c', '2: cause b', '2: cause d', '1: 1 other cause (prisma/sql/list-parked.sql)'],
      },
    ]);
    for (const cause of ['e', 'f', 'f', 'f']) await deployment.park(`cause ${cause}`);
    expect((await complaints(environment)).found[0]?.details).toEqual([
      '3: cause c',
      '3: cause f',
      '2: cause b',
      '4: 3 other causes (prisma/sql/list-parked.sql)',
    ]);
  });

  test('a secret of a few letters does not strike the words of the doctor; a longer one is struck (S21)', async () => {
    const { environment } = deployment;
    const { text } = await examined({ ...environment, TERMINAL_BEARER_TOKEN: 't', METRICS_TOKEN: 'warni' });
    expect(text).toMatch(/^! terminals +TERMINAL_BEARER_TOKEN has fewer than 16 characters/m);
    expect(text).not.toContain('[secret]');
    const { text: struck } = await examined({ ...environment, METRICS_TOKEN: 'restaurants' });
    expect(struck).toContain('[secret]');
  });

  test('it changes nothing: no token is kept, and the relay beside it goes on writing (R13)', async () => {
    const { database, environment, relay } = deployment;
    const before = await database.query('SELECT count(*)::int AS tokens FROM pos_tokens');
    await Promise.all([examined(environment), examined(environment)]);
    expect(await database.query('SELECT count(*)::int AS tokens FROM pos_tokens')).toEqual(before);
    await relay.accept(sale());
  });

  test('a database that lacks migrations: said so, nothing is migrated', async () => {
    const { environment } = deployment;
    const empty = await openDatabase({ migrated: false });
    const { code, found } = await complaints({ ...environment, DATABASE_URL: empty.url });
    expect([code, found[0]]).toMatchObject([0, { name: 'migrations', verdict: 'warning' }]);
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

describe('the doctor, beside a relay that has been at work', () => {
  let deployment: Deployment;

  beforeEach(async () => {
    deployment = await Deployment.open();
  });
  afterEach(() => deployment.close());

  test('jobs that wait as they should, are held within their lease, delivered or withdrawn: no complaint', async () => {
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

  test('a token that is in use counts as accepted: nobody is signed out by the doctor', async () => {
    const { environment, pos, relay } = deployment;
    await relay.accept(sale());
    await relay.tick();
    const calls = pos.authCalls;
    const { code, text } = await examined({ ...environment, POS_PARTNER_ID: '', POS_SECRET: '' });
    expect([code, text]).toEqual([0, expect.stringContaining('1 of 1 accepted (1 by a token in use)')]);
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
          text: '2 of 3 accepted',
          details: ['Roma 2 (roma-2): HTTP 401, POS error 901', 'Roma 3 (roma-3): HTTP 401, POS error 901'],
        },
      ],
    ]);
  });

  test('a database that is away: said so, and the POS is checked all the same', async () => {
    const { database, environment } = deployment;
    const comeBack = await database.goAway();
    const { code, text } = await examined(environment);
    await comeBack();
    expect(code).toBe(1);
    expect(text).toMatch(/✗ database +cannot be opened: /);
    expect(text).toMatch(/✓ POS +http/);
    expect(text).toMatch(/✓ POS sign-in +1 of 1 accepted/);
  });

  test('whatever is sick, no secret, no token, no control character and no stack trace is printed', async () => {
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
      // the one has a digit in it, and is taken out of the cause already
      expect(text).toContain('HTTP 400: bad secret # and [secret]');
      expect(text).toContain('Rom [2Ja (pizzeria-roma): HTTP 400');
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

  test('--json prints an array of name, verdict and text; a long list stands in it as a whole', async () => {
    const { environment, relay } = deployment;
    const names = Array.from({ length: 12 }, (_, n) => `Bar ${n + 10}`);
    for (const name of names) await relay.createRestaurant({ name, codeStoreTerminal: name, codeStorePos: undefined });
    const { text } = await examined(environment, { json: true });
    const found = JSON.parse(text) as Record<string, unknown>[];
    for (const finding of found)
      expect(finding).toMatchObject({
        name: expect.any(String),
        verdict: expect.stringMatching(/^(good|warning|bad)$/),
      });
    expect(found.find(({ name }) => name === 'POS store codes')?.details).toHaveLength(12);
    expect((await examined(environment)).text).toContain('- and 2 more');
  });
});

describe('the doctor, before it knows where to look', () => {
  test('a wrong configuration: the first cross lists every problem by its name, without a value', async () => {
    const { code, text } = await examined({ PORT: 'hush-hush', POS_PARTNER_ID: 'partner' });
    expect(code).toBe(1);
    const named = [...text.matchAll(/^ +- (\w+)/gm)].map(([, name]) => name);
    expect(named).toEqual(['JWT_SECRET', 'SECRETS_KEY', 'PORT', 'POS_BASE_URL', 'POS_SECRET']);
    expect(text).toMatch(/^✗ configuration +the relay cannot start: 5 problems\n/);
    expect(text).toMatch(/\n0 good, 0 warnings, 1 bad\n$/);
    expect(text).not.toContain('hush-hush');
  });

  test('reads .env in development, under the environment', async () => {
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
