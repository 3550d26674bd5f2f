import { CHECKS, type CheckName } from '../../../src/capabilities/doctor/findings.js';
import { SecretBox } from '../../../src/platform/secrets/secret-box.js';
import { tokenId } from '../../../src/pos/tokens.js';
import type { Behaviour } from '../../../tools/simulator/behaviour.js';
import { PARTNER } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { checksMayBegin } from './checks-may-begin.js';
import { LOCKED } from './deployment.js';
import { examined } from './doctor.js';

interface Check {
  name: string;
  level: 'ok' | 'warning' | 'bad';
  code: string;
  params: Record<string, unknown>;
  message: string;
  advice?: string;
}
type Printed = Pick<Check, 'name' | 'level'> & { text: string; hint?: string };
const RESTAURANTS: string[] = Object.values(CHECKS);
const NONE = { posIdPartner: null, posSecret: null };
const SECRET = marked('the-secret-of-each');
/** The POS knows this many partners; each test uses new ones. */
const MOST = 60;

type Restaurant = Awaited<ReturnType<Scenario['restaurant']>>;

describe('the check of a restaurant (R8)', () => {
  // singleSession: a sign-in invalidates the previous token of the partner; each restaurant is a partner of its own
  const own = Array.from({ length: MOST }, (_, i) => [`partner-${i + 1}`, SECRET]);
  const partners = { [PARTNER.id]: PARTNER.secret, ...Object.fromEntries(own) };
  const scenario = Scenario.ofSuite({ POS_TIMEOUT_MS: '1000' }, { pos: { singleSession: true, partners } });
  let stores = 0;

  afterEach(async () => {
    // the command reports every restaurant
    await scenario.database.query('UPDATE restaurants SET deleted_at = now()');
    scenario.pos.behave({ mode: 'ok' });
    await scenario.pos.up();
  });

  /** A restaurant with every setting, and its OWNER. */
  async function complete(fields: object = {}): Promise<Restaurant> {
    const one = await scenario.restaurant(`CHECK-${++stores}`);
    const body = {
      codeStorePos: `P-${stores}`,
      posIdPartner: `partner-${stores}`,
      posSecret: SECRET,
      timezone: 'Europe/Rome',
      ...fields,
    };
    await scenario.api.patch(`/restaurants/${one.id}`, one.token, body).expect(200);
    return one;
  }

  const ask = ({ id, token }: Restaurant, { api } = scenario.relay) => api.post(`/restaurants/${id}/check`, token);
  const checksOf = async (restaurant: Restaurant, relay = scenario.relay): Promise<Check[]> =>
    (await ask(restaurant, relay).expect(200)).body.data.checks;
  const wrong = <One extends { level: string }>(checks: One[]) => checks.filter(({ level }) => level !== 'ok');
  const complaintsOf = async (restaurant: Restaurant) => wrong(await checksOf(restaurant));

  test('a restaurant with every setting: every check is ok, in the order of the path of a sale', async () => {
    const one = await complete();
    await one.sell({ isTestTransaction: true });
    const checks = await checksOf(one);
    expect(checks.map(({ name, level, code }) => [name, level, code])).toEqual([
      ['terminalCode', 'ok', 'TERMINAL_CODE_SET'],
      ['posCode', 'ok', 'POS_CODE_SET'],
      ['credentials', 'ok', 'CREDENTIALS_OWN'],
      ['pos', 'ok', 'POS_ANSWERS'],
      ['signIn', 'ok', 'SIGN_IN_GRANTED'],
      ['owner', 'ok', 'SENDER_PLATFORM'],
      ['webhook', 'ok', 'WEBHOOK_RECEIVED'],
      ['late', 'ok', 'LATE_NONE'],
      ['stuck', 'ok', 'STUCK_NONE'],
      ['parked', 'ok', 'PARKED_NONE'],
      ['timezone', 'ok', 'TIMEZONE_SET'],
    ]);
    expect(checks[6]?.params).toEqual({ receivedAt: expect.stringMatching(/^\d{4}-.*Z$/), test: true });
    for (const { message, advice } of checks) expect([message, advice]).toEqual([expect.any(String), undefined]);
  });

  type Spoil = (restaurant: Restaurant) => unknown;
  type Found = [name: CheckName, level: Check['level'], code: string, words: string];
  const sql =
    (statement: string): Spoil =>
    ({ id }) =>
      scenario.database.query(statement, [id]);
  const job = (change: string) => sql(`UPDATE outbox_jobs SET ${change} WHERE restaurant_id = $1`);
  const late = (interval: string) => job(`next_run_at = now() - interval '${interval}'`);
  const parked = (error: string) => job(`status = 'DLQ', next_run_at = NULL, last_error = '${error}'`);
  const signInGets =
    (behaviour: Behaviour): Spoil =>
    () =>
      scenario.pos.behave({ ...behaviour, paths: ['/auth'] });
  const lookupsHang = () => scenario.pos.behave({ mode: 'hang', paths: ['/order/{order_id}'] });
  const lookupsAreUnclear = () => scenario.pos.behave({ mode: 'in-progress' });
  const noChange = () => {};
  const fields =
    (changes: object): Spoil =>
    ({ id, token }) =>
      scenario.api.patch(`/restaurants/${id}`, token, changes).expect(200);
  const delivered = () => scenario.relay.tick();
  const forSeveralCauses: Spoil = async (one) => {
    for (const cause of ['a', 'b', 'c', 'd']) await one.sell({ transactionKey: cause });
    await parked('cause b')(one);
    await sql(
      `UPDATE outbox_jobs SET last_error = event_key WHERE restaurant_id = $1 AND event_key IN ('a', 'c', 'd')`,
    )(one);
  };
  const NO_SALE = `WITH jobs AS (DELETE FROM outbox_jobs WHERE restaurant_id = $1) DELETE FROM terminal_events WHERE restaurant_id = $1`;
  const NO_OWNER = `UPDATE user_restaurants SET role = 'ADMIN' WHERE restaurant_id = $1`;
  const NO_STORE = fields({ codeStorePos: null });
  const UNREADABLE = `UPDATE restaurants SET pos_secret = 'v1.0.0.0' WHERE id = $1`;
  const STUCK = `${LOCKED}, processing_at = now() - interval '3 minutes'`;
  const WITHOUT_ANY = { POS_PARTNER_ID: '', POS_SECRET: '' };
  const [SHORT_ALARM, SHORT_TICK] = [{ ALARM_LATE_MS: '60000' }, { OUTBOX_TICK_MS: '1000' }];
  const ASKS = { POS_AFTER_UNKNOWN: 'ask', POS_ORDER_LOOKUP_PATH: '/order/{order_id}?cod_store={cod_store}' };
  const NO_GET = { ...ASKS, POS_ORDER_LOOKUP_PATH: '/cancel-order?id={order_id}' };
  const WRONG_PATH = { ...ASKS, POS_ORDER_LOOKUP_PATH: '/orders/{order_id}' };
  /** another address of the same POS */
  const TEST_POS = { POS_TEST_BASE_URL: '{pos}/.' };
  const OF_TESTS = { ...TEST_POS, POS_TEST_PARTNER_ID: PARTNER.id, POS_TEST_SECRET: marked('wrong') };

  /** the case, and what is found, besides checks that are ok */
  test.each<[string, Spoil, string, Record<string, string>?]>([
    [
      'no codeStoreTerminal',
      fields({ codeStoreTerminal: null }),
      'terminalCode warning TERMINAL_CODE_MISSING: not set',
    ],
    ['the default time zone (A32)', fields({ timezone: 'UTC' }), 'timezone warning TIMEZONE_DEFAULT: is UTC'],
    ['no codeStorePos', NO_STORE, 'posCode bad POS_CODE_MISSING: orders wait'],
    ['only posIdPartner', fields({ posSecret: null }), 'credentials warning CREDENTIALS_INCOMPLETE: (posSecret)'],
    ["the relay's credentials", fields(NONE), "credentials ok CREDENTIALS_SHARED: the relay's"],
    [
      'no credentials',
      fields(NONE),
      'credentials bad CREDENTIALS_MISSING: no POS credentials; signIn warning SIGN_IN_NOT_TRIED: not tried',
      WITHOUT_ANY,
    ],
    [
      'an unreadable posSecret',
      sql(UNREADABLE),
      'credentials bad SECRET_UNREADABLE: cannot be decrypted; signIn warning SIGN_IN_NOT_TRIED: not tried',
    ],
    [
      'refused credentials',
      fields({ posSecret: marked('wrong') }),
      'signIn bad SIGN_IN_REFUSED: HTTP 401, POS error 901',
    ],
    [
      'a sign-in without a token',
      signInGets({ mode: 'html', status: 200 }),
      'signIn bad SIGN_IN_WITHOUT_TOKEN: carries no token',
    ],
    ['a sign-in that hangs', signInGets({ mode: 'hang' }), 'signIn bad SIGN_IN_UNANSWERED: (TIMEOUT)'],
    [
      'a POS that is down',
      () => scenario.pos.down(),
      'pos bad POS_SILENT: (ECONNREFUSED); signIn bad SIGN_IN_UNANSWERED: (ECONNREFUSED)',
    ],
    ['no OWNER', sql(NO_OWNER), 'owner bad OWNER_MISSING: every sale'],
    ['no sale yet', sql(NO_SALE), 'webhook warning WEBHOOK_NONE: no sale has arrived yet'],
    ['a late order', late('2 hours'), 'late bad LATE: 1 due, but not sent, for up to 2'],
    ['one due for ALARM_LATE_MS', late('90 seconds'), 'late bad LATE: 1 due', SHORT_ALARM],
    ['one due for two ticks only (O23)', late('90 seconds'), 'late ok LATE_NONE: no order', SHORT_TICK],
    ['a stuck order', job(STUCK), 'stuck bad STUCK: 1 held by a worker'],
    [
      'a parked order',
      parked('HTTP 422: unknown product X1'),
      'parked warning PARKED: 1 given up, 1 of them because: HTTP 422: unknown product #',
    ],
    [
      'several causes',
      forSeveralCauses,
      'parked warning PARKED: 5 given up, 2 of them because: cause b, and 1 because: a (other causes: 2)',
    ],
    ['no order to look up', noChange, 'lookup ok LOOKUP_WORKS: says 404 of an order that never was', ASKS],
    ['an order to look up', delivered, 'lookup ok LOOKUP_WORKS: knows the last order it accepted', ASKS],
    ['an unclear answer to a look-up', lookupsAreUnclear, 'lookup bad LOOKUP_WRONG: never was: HTTP 200', ASKS],
    ['a look-up that hangs', lookupsHang, 'lookup bad LOOKUP_WRONG: TIMEOUT', ASKS],
    ['a path that takes no GET', noChange, 'lookup bad LOOKUP_WRONG: never was: HTTP 405', NO_GET],
    ['a wrong path', delivered, 'lookup bad LOOKUP_WRONG: does not know the last order', WRONG_PATH],
    [
      'a wrong path that is not used',
      delivered,
      'lookup warning LOOKUP_WRONG: does not know the last order',
      { ...WRONG_PATH, POS_AFTER_UNKNOWN: 'resend' },
    ],
    [
      'no store to look up in',
      NO_STORE,
      'posCode bad POS_CODE_MISSING: orders wait; lookup warning LOOKUP_NOT_TRIED: not tried',
      ASKS,
    ],
    [
      'a test POS with the credentials of production (S20)',
      noChange,
      'testCredentials warning TEST_CREDENTIALS_SHARED: of real ones; testSignIn ok SIGN_IN_GRANTED: has just accepted',
      TEST_POS,
    ],
    [
      'a test POS that refuses its own credentials (S20)',
      noChange,
      'testCredentials ok TEST_CREDENTIALS_SET: of their own; testSignIn warning SIGN_IN_REFUSED: HTTP 401',
      OF_TESTS,
    ],
  ])('%s: found by the API and by the command (R8, R13)', async (_, spoil, findings, changes) => {
    const one = await complete();
    await one.sell();
    await spoil(one);
    const environment = { ...scenario.environment, ...changes };
    if (changes?.POS_TEST_BASE_URL) environment.POS_TEST_BASE_URL = `${environment.POS_BASE_URL}/.`;
    const command = await examined(environment, { json: true });
    // what it says of restaurants
    const printed = (JSON.parse(command.text) as Printed[]).filter(({ name }) => RESTAURANTS.includes(name));
    const checks = await checksOf(one, changes ? await scenario.start(environment) : undefined);
    const expected = findings
      .split('; ')
      .map((finding) => /^(\w+) (\w+) (\w+): (.*)$/.exec(finding)?.slice(1) as Found);
    for (const [name, level, code, words] of expected) {
      const [message, hasAdvice] = [expect.stringContaining(words), level !== 'ok' && code !== 'LOOKUP_NOT_TRIED'];
      const found = checks.find((check) => check.name === name);
      expect([found, Boolean(found?.advice)]).toMatchObject([{ level, code, message }, hasAdvice]);
      const line = printed.find((check) => check.name === CHECKS[name]);
      expect([line, Boolean(line?.hint)]).toMatchObject([{ level, text: message }, hasAdvice]);
    }
    const names = expected.filter(([, level]) => level !== 'ok').map(([name]) => name);
    expect(wrong(checks).map(({ name }) => name)).toEqual(names);
    expect(wrong(printed).map(({ name }) => name)).toEqual(names.map((name) => CHECKS[name]));
    expect(command.code).toBe(findings.includes(' bad ') ? 1 : 0);
  });

  test('of more parked and late orders than are counted, as many are reported (R26)', async () => {
    const one = await complete();
    await one.sell();
    const rows = (status: string, nextRunAt: string) =>
      scenario.database.query(
        `WITH events AS (
           INSERT INTO terminal_events SELECT (jsonb_populate_record(event, jsonb_build_object('transaction_key', $2 || n))).*
           FROM terminal_events event, generate_series(1, 1500) n
           WHERE event.transaction_key = (SELECT transaction_key FROM terminal_events WHERE restaurant_id = $1 ORDER BY received_at LIMIT 1) RETURNING *)
         INSERT INTO outbox_jobs SELECT (jsonb_populate_record(job, jsonb_build_object('id', gen_random_uuid(), 'event_key', events.transaction_key,
           'status', $2, 'next_run_at', ${nextRunAt}, 'last_error', 'HTTP 422'))).*
         FROM outbox_jobs job, events
         WHERE job.id = (SELECT id FROM outbox_jobs WHERE restaurant_id = $1 ORDER BY created_at LIMIT 1)`,
        [one.id, status],
      );
    await rows('DLQ', 'NULL::timestamptz');
    await rows('PENDING', `now() - interval '2 hours'`);
    expect(await complaintsOf(one)).toMatchObject([
      { name: 'late', params: { jobs: 1_000, ms: expect.any(Number) } },
      { name: 'parked', params: { jobs: 1_000, ofCause: 1_000, cause: 'HTTP 422', otherCauses: 0 } },
    ]);
  });

  test('orders use the token that the check got, and the next check makes no sign-in, which would invalidate it', async () => {
    const { pos, relay } = scenario;
    const one = await complete();
    await checksOf(one);
    const calls = pos.authCalls;
    for (let round = 0; round < 2; round++) {
      const job = await one.sell();
      await relay.tick();
      expect((await scenario.jobs.get(job)).status).toBe('SENT');
      checksMayBegin(relay);
      expect((await checksOf(one)).find(({ name }) => name === 'signIn')).toMatchObject({ code: 'SIGN_IN_IN_USE' });
    }
    expect(pos.authCalls).toBe(calls);
  });

  test('credentials that the check finds refused raise no alarm', async () => {
    const one = await complete({ posSecret: marked('wrong') });
    const before = scenario.relay.logged.length;
    expect(await complaintsOf(one)).toMatchObject([{ code: 'SIGN_IN_REFUSED' }, { code: 'WEBHOOK_NONE' }]);
    const alarms = scenario.relay.logged.slice(before).filter(({ event }) => event === 'alarm.credentials_refused');
    expect(alarms).toEqual([]);
  });

  test('no secret is shown when the POS or an old error contains it', async () => {
    const one = await complete();
    const job = await one.sell();
    await scenario.database.query(
      `UPDATE outbox_jobs SET status = 'DLQ', next_run_at = NULL, last_error = $2 WHERE id = $1`,
      [job, `HTTP 400: bad secret ${PARTNER.secret}`],
    );
    scenario.pos.behave({ mode: 'echo-secret', paths: ['/auth'] });
    const { text } = await ask(one).expect(200);
    expect(text).toContain('HTTP 400: bad secret [secret]');
    for (const secret of [SECRET, PARTNER.secret]) expect(text).not.toContain(secret);
    await scenario.database.query('UPDATE outbox_jobs SET last_error = NULL WHERE id = $1', [job]);
  });

  test("nothing of another restaurant's orders and codes is shown", async () => {
    const [ours, theirs] = [await complete(), await complete()];
    await ours.sell();
    await theirs.sell();
    await scenario.database.query(
      `UPDATE outbox_jobs SET next_run_at = now() - interval '1 hour' WHERE restaurant_id = $1`,
      [theirs.id],
    );
    expect(await complaintsOf(ours)).toEqual([]);
    await scenario.database.query(
      `UPDATE restaurants SET code_store_pos = other.code_store_pos, pos_id_partner = NULL, pos_secret = NULL, name = 'Theirs'
       FROM restaurants other WHERE restaurants.id = $2 AND other.id = $1`,
      [ours.id, theirs.id],
    );
    // now both use the relay's credentials
    await scenario.api
      .patch(`/restaurants/${ours.id}`, ours.token, { posIdPartner: null, posSecret: null })
      .expect(200);
    checksMayBegin(scenario.relay);
    const complaints = await complaintsOf(ours);
    expect(complaints).toMatchObject([{ name: 'posCode', level: 'warning', code: 'POS_CODE_SHARED' }]);
    expect(JSON.stringify(complaints)).not.toContain('Theirs');
  });

  test('one check at a time and one in 5 s, of a restaurant and by a caller; else 429 with Retry-After (R26)', async () => {
    const { pos } = scenario;
    const [one, other, stranger] = [await complete(), await complete(), await complete()];
    const administrator = await scenario.staff(one.id, 'ADMIN');
    await scenario.people.link(one.owner.id, other.id, 'ADMIN');
    async function refused() {
      for (const { id, token } of [one, { ...one, token: administrator.token }, { ...other, token: one.token }]) {
        const { body, headers } = await scenario.api.post(`/restaurants/${id}/check`, token).expect(429);
        expect(body.code).toBe('TOO_MANY_CHECKS');
        expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      }
    }
    pos.behave({ mode: 'gate', register: 'before', paths: ['/auth'] });
    const running = ask(one)
      .expect(200)
      .then(({ body }) => body.data.checks as Check[]);
    await pos.when(() => pos.waiting === 1);
    checksMayBegin(scenario.relay);
    await refused();
    pos.behave({ mode: 'ok' });
    pos.release();
    expect(await running).toHaveLength(11);
    await ask(stranger).expect(200);
    checksMayBegin(scenario.relay);
    await ask(one).expect(200);
    await refused();
  });

  test('a check that does not end within POS_TIMEOUT_MS is reported as TIMED_OUT', async () => {
    const one = await complete();
    await one.sell();
    // another instance holds the sign-in
    const [target, box] = [{ baseUrl: scenario.relay.config.pos.baseUrl }, scenario.relay.get(SecretBox)];
    const credentials = { partnerId: `partner-${stores}`, secret: SECRET };
    await scenario.database.query(
      `INSERT INTO pos_tokens (id, renewing_by, renewing_until) VALUES ($1, 'other', now() + interval '8 seconds')`,
      [tokenId(box, { ...target, credentials })],
    );
    expect(await complaintsOf(one)).toMatchObject([{ name: 'signIn', level: 'warning', code: 'TIMED_OUT' }]);
  });
});
