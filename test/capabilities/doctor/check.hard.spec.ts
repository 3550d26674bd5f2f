import { SecretBox } from '../../../src/platform/secrets/secret-box.js';
import { tokenId } from '../../../src/pos/tokens.js';
import type { Behaviour } from '../../../tools/simulator/behaviour.js';
import { PARTNER } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { checksMayBegin } from './checks-may-begin.js';
import { LOCKED } from './deployment.js';

interface Check {
  name: string;
  level: 'ok' | 'warning' | 'bad';
  code: string;
  params: Record<string, unknown>;
  message: string;
  advice?: string;
}
const SECRET = marked('the-secret-of-each');
/** The POS knows this many partners; each test uses new ones. */
const MOST = 60;

type Restaurant = Awaited<ReturnType<Scenario['restaurant']>>;

describe('POST /restaurants/:id/check (R8)', () => {
  // singleSession: a sign-in invalidates the previous token of the partner; each restaurant is a partner of its own
  const own = Array.from({ length: MOST }, (_, i) => [`partner-${i + 1}`, SECRET]);
  const partners = { [PARTNER.id]: PARTNER.secret, ...Object.fromEntries(own) };
  const scenario = Scenario.ofSuite({ POS_TIMEOUT_MS: '1000' }, { pos: { singleSession: true, partners } });
  let stores = 0;

  afterEach(async () => {
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

  const ask = ({ id, token }: Restaurant) => scenario.api.post(`/restaurants/${id}/check`, token);
  const checksOf = async (restaurant: Restaurant): Promise<Check[]> =>
    (await ask(restaurant).expect(200)).body.data.checks;
  const complaintsOf = async (restaurant: Restaurant) =>
    (await checksOf(restaurant)).filter(({ level }) => level !== 'ok');

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
  const sql =
    (statement: string): Spoil =>
    ({ id }) =>
      scenario.database.query(statement, [id]);
  const job = (change: string) => sql(`UPDATE outbox_jobs SET ${change} WHERE restaurant_id = $1`);
  const posDoes =
    (behaviour: Behaviour): Spoil =>
    () =>
      scenario.pos.behave(behaviour);
  const fields =
    (changes: object): Spoil =>
    ({ id, token }) =>
      scenario.api.patch(`/restaurants/${id}`, token, changes).expect(200);

  test.each<[string, Spoil, object[]]>([
    [
      'no codeStoreTerminal',
      fields({ codeStoreTerminal: null }),
      [{ name: 'terminalCode', level: 'warning', code: 'TERMINAL_CODE_MISSING' }],
    ],
    [
      'the default time zone (A32)',
      fields({ timezone: 'UTC' }),
      [{ name: 'timezone', level: 'warning', code: 'TIMEZONE_DEFAULT' }],
    ],
    ['no codeStorePos', fields({ codeStorePos: null }), [{ name: 'posCode', level: 'bad', code: 'POS_CODE_MISSING' }]],
    [
      'posIdPartner without posSecret',
      fields({ posSecret: null }),
      [{ level: 'warning', code: 'CREDENTIALS_INCOMPLETE', params: { missing: 'posSecret' } }],
    ],
    [
      'a posSecret that no key decrypts',
      sql(`UPDATE restaurants SET pos_secret = 'v1.0.0.0' WHERE id = $1`),
      [
        { level: 'bad', code: 'SECRET_UNREADABLE' },
        { level: 'warning', code: 'SIGN_IN_NOT_TRIED' },
      ],
    ],
    [
      'credentials that the POS refuses',
      fields({ posSecret: marked('wrong') }),
      [{ name: 'signIn', level: 'bad', code: 'SIGN_IN_REFUSED', params: { status: 401, errorCode: '901' } }],
    ],
    [
      'a sign-in without a token',
      posDoes({ mode: 'html', status: 200, paths: ['/auth'] }),
      [{ name: 'signIn', level: 'bad', code: 'SIGN_IN_WITHOUT_TOKEN' }],
    ],
    [
      'a sign-in that hangs',
      posDoes({ mode: 'hang', paths: ['/auth'] }),
      [{ name: 'signIn', level: 'bad', code: 'SIGN_IN_UNANSWERED', params: { reason: 'TIMEOUT' } }],
    ],
    [
      'a POS that is down',
      () => scenario.pos.down(),
      [
        { name: 'pos', level: 'bad', code: 'POS_SILENT', params: { reason: 'ECONNREFUSED' } },
        { name: 'signIn', level: 'bad', code: 'SIGN_IN_UNANSWERED' },
      ],
    ],
    [
      'no OWNER',
      sql(`UPDATE user_restaurants SET role = 'ADMIN' WHERE restaurant_id = $1`),
      [{ name: 'owner', level: 'bad', code: 'OWNER_MISSING' }],
    ],
    [
      'a late order',
      job(`next_run_at = now() - interval '2 hours'`),
      [{ name: 'late', level: 'bad', code: 'LATE', params: { jobs: 1, ms: expect.any(Number) } }],
    ],
    [
      'an order that is stuck',
      job(`${LOCKED}, processing_at = now() - interval '3 minutes'`),
      [{ name: 'stuck', level: 'bad', code: 'STUCK', params: { jobs: 1, ms: expect.any(Number) } }],
    ],
    [
      'a parked order',
      job(`status = 'DLQ', next_run_at = NULL, last_error = 'HTTP 422, POS error 310: unknown product X1'`),
      [
        {
          name: 'parked',
          level: 'warning',
          params: { jobs: 1, ofCause: 1, cause: 'HTTP 422, POS error 310: unknown product #', otherCauses: 0 },
        },
      ],
    ],
    [
      'orders parked for several causes',
      async (one) => {
        const others = ['a', 'c', 'd'].map(async (cause) => [await one.sell({ transactionKey: cause }), cause]);
        await one.sell({ transactionKey: 'b' });
        const ids = await Promise.all(others);
        await job(`status = 'DLQ', next_run_at = NULL, last_error = 'cause b'`)(one);
        for (const [id, cause] of ids)
          await scenario.database.query('UPDATE outbox_jobs SET last_error = $2 WHERE id = $1::uuid', [id, cause]);
      },
      [{ name: 'parked', params: { jobs: 5, ofCause: 2, cause: 'cause b', otherCauses: 3 } }],
    ],
    [
      'more parked and late orders than are counted (R26)',
      async (one) => {
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
      },
      [
        { name: 'late', params: { jobs: 1_000, ms: expect.any(Number) } },
        { name: 'parked', params: { jobs: 1_000, ofCause: 1_000, cause: 'HTTP 422', otherCauses: 0 } },
      ],
    ],
  ])('%s: reported by its code, with advice', async (_, spoil, expected) => {
    const one = await complete();
    await one.sell();
    await spoil(one);
    const complaints = await complaintsOf(one);
    expect(complaints).toMatchObject(expected);
    expect(complaints).toHaveLength(expected.length);
    for (const { message, advice } of complaints)
      expect([message, advice]).toEqual([expect.any(String), expect.any(String)]);
  });

  test('no sale yet: send a test sale', async () => {
    expect(await complaintsOf(await complete())).toMatchObject([
      { name: 'webhook', level: 'warning', code: 'WEBHOOK_NONE', advice: 'send a test sale' },
    ]);
  });

  test("a restaurant without credentials uses the relay's", async () => {
    const one = await complete({ posIdPartner: null, posSecret: null });
    await one.sell();
    const checks = await checksOf(one);
    expect(checks.find(({ name }) => name === 'credentials')).toMatchObject({
      level: 'ok',
      code: 'CREDENTIALS_SHARED',
    });
    expect(checks.filter(({ level }) => level !== 'ok')).toEqual([]);
  });

  test('no sign-in, which would invalidate the token that orders use', async () => {
    const { pos, relay } = scenario;
    const one = await complete();
    await one.sell();
    await relay.tick();
    const calls = pos.authCalls;
    expect((await checksOf(one)).find(({ name }) => name === 'signIn')).toMatchObject({ code: 'SIGN_IN_IN_USE' });
    const job = await one.sell();
    await relay.tick();
    expect((await scenario.jobs.get(job)).status).toBe('SENT');
    expect(pos.authCalls).toBe(calls);
  });

  test('orders use the token that the check got', async () => {
    const { pos, relay } = scenario;
    const one = await complete();
    await checksOf(one);
    const calls = pos.authCalls;
    const job = await one.sell();
    await relay.tick();
    expect((await scenario.jobs.get(job)).status).toBe('SENT');
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

  test('with a test POS: whose credentials test sales use there, and a sign-in with them (S20)', async () => {
    // another address of the same POS
    const testPos = { POS_TEST_BASE_URL: `${scenario.environment.POS_BASE_URL}/.` };
    const one = await complete();
    const tests = async (changes: Record<string, string>) => {
      const relay = await scenario.start({ ...testPos, ...changes });
      const { body } = await relay.api.post(`/restaurants/${one.id}/check`, one.token).expect(200);
      return (body.data.checks as Check[])
        .filter(({ name }) => name.startsWith('test'))
        .map(({ name, level, code }) => [name, level, code]);
    };
    expect(await tests({})).toEqual([
      ['testCredentials', 'warning', 'TEST_CREDENTIALS_SHARED'],
      ['testSignIn', 'ok', 'SIGN_IN_GRANTED'],
    ]);
    const own = { POS_TEST_PARTNER_ID: PARTNER.id, POS_TEST_SECRET: marked('wrong') };
    expect(await tests(own)).toEqual([
      ['testCredentials', 'ok', 'TEST_CREDENTIALS_SET'],
      ['testSignIn', 'warning', 'SIGN_IN_REFUSED'],
    ]);
  });

  test('with POS_AFTER_UNKNOWN=ask: a look-up of the last order', async () => {
    const environment = { POS_AFTER_UNKNOWN: 'ask', POS_ORDER_LOOKUP_PATH: '/order/{order_id}' };
    const relay = await scenario.start(environment);
    const lookup = async (one: Restaurant) => {
      const { body } = await relay.api.post(`/restaurants/${one.id}/check`, one.token).expect(200);
      return body.data.checks.find(({ name }: Check) => name === 'lookup');
    };
    const one = await complete();
    expect(await lookup(one)).toMatchObject({ level: 'ok', code: 'LOOKUP_WORKS', params: { known: false } });
    const other = await complete();
    await other.sell();
    await scenario.relay.tick();
    expect(await lookup(other)).toMatchObject({ level: 'ok', code: 'LOOKUP_WORKS', params: { known: true } });
    const wrong = await complete();
    scenario.pos.behave({ mode: 'in-progress' });
    expect(await lookup(wrong)).toMatchObject({
      level: 'bad',
      code: 'LOOKUP_WRONG',
      params: { wrong: 'unclear', answer: 'HTTP 200' },
      advice: expect.any(String),
    });
    scenario.pos.behave({ mode: 'ok' });
    expect(await lookup(await complete({ codeStorePos: null }))).toMatchObject({ code: 'LOOKUP_NOT_TRIED' });
  });
});
