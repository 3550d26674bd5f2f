import { randomUUID } from 'node:crypto';
import type { Document, Method } from '../../tools/contract.js';
import { sale } from '../support/client.js';
import { OWN } from '../support/environment.js';
import { type Caller, Scenario } from '../support/scenario.js';

/** Values that only the victim's staff may read. */
const VICTIM = {
  name: 'Zibibbo Quartiere',
  slug: 'zibibbo-quartiere',
  address: 'Rua das Flores 77',
  codeStoreTerminal: 'VICTIM-STORE',
  codeStorePos: 'KASSE-ZIB',
  ...OWN,
};
/** A restaurant without a codeStoreTerminal yet, and the code that its terminal sends. */
const NEWCOMER = { name: 'Novo Quartiere', slug: 'novo-quartiere', codeStorePos: 'KASSE-NOV' };
const NEWCOMER_CODE = 'NOT-TYPED-IN-YET';

/** The values that the attacker sends, by path parameter or field. */
type Ids = Record<string, string>;

describe('a hostile tenant', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });
  let document: Document;
  let attacker: Caller;
  /** the attacker's own restaurant */
  let den: string;
  let victim: Caller;
  let newcomer: Caller;
  let clerk: Caller;
  let target: string;
  let newcomers: string;
  let jobId: string;

  const call = (by: Caller, method: Method, path: string, body?: unknown) => scenario.api[method](path, by.token, body);
  const create = async (by: Caller, fields: object): Promise<string> =>
    (await call(by, 'post', '/restaurants', fields).expect(201)).body.data.id;
  /** A sale as the victim's terminal sends it, with Basic credentials. */
  const sell = (by: Caller, fields: object) =>
    scenario.relay.http
      .post('/webhooks/terminal')
      .auth(by.email, by.password)
      .send({ ...sale(), ...fields });

  beforeAll(async () => {
    document = (await scenario.api.get('/docs-json').expect(200)).body;
    victim = await scenario.person('USER', 'zenobia@victim.example');
    newcomer = await scenario.person('USER', 'noemia@victim.example');
    attacker = await scenario.person('USER', 'mallory@attacker.example');
    target = await create(victim, VICTIM);
    newcomers = await create(newcomer, NEWCOMER);
    den = await create(attacker, { name: 'Den', slug: 'the-den', codeStoreTerminal: 'DEN', codeStorePos: '6006' });
    clerk = await scenario.staff(target, 'EMPLOYEE');
    jobId = (await sell(victim, { transactionKey: 'VICTIM-1', storeCode: 'VICTIM-STORE' }).expect(200)).body.jobId;
  });

  /** The rows of the victims in all tables. */
  const everything = () =>
    Promise.all(
      [
        'SELECT r::text FROM restaurants r WHERE id = ANY ($1)',
        'SELECT l::text FROM user_restaurants l WHERE restaurant_id = ANY ($1) ORDER BY 1',
        `SELECT u::text FROM users u WHERE email LIKE '%@victim.example' AND $1::uuid[] IS NOT NULL ORDER BY 1`,
        'SELECT e::text FROM terminal_events e WHERE restaurant_id = ANY ($1) ORDER BY 1',
        'SELECT c::text FROM pos_credentials c WHERE restaurant_id = ANY ($1) ORDER BY 1',
        'SELECT k::text FROM sender_keys k WHERE restaurant_id = ANY ($1) ORDER BY 1',
        'SELECT j::text FROM outbox_jobs j WHERE restaurant_id = ANY ($1) ORDER BY 1',
      ].map((sql) => scenario.database.query(sql, [[target, newcomers]])),
    );

  /** @param known what the attacker sent: an answer may repeat it */
  function expectNothingOfTheirs(text: string, known: string): void {
    const secrets = [...Object.values(VICTIM), ...Object.values(NEWCOMER), victim.email, newcomer.email, clerk.email];
    for (const secret of [...secrets, victim.id, newcomer.id, clerk.id, target, newcomers, jobId])
      if (!known.includes(secret)) expect(text).not.toContain(secret);
  }

  /** A body with every field that the document names for this operation. */
  function bodyOf(method: Method, path: string): object | undefined {
    const ref = document.paths[path]?.[method]?.requestBody?.content['application/json']?.schema.$ref;
    if (!ref) return undefined;
    const { properties = {} } = document.components.schemas[ref.split('/').at(-1) as string] ?? {};
    const ids: Ids = { userId: attacker.id, newOwnerId: attacker.id, restaurantId: target, storeCode: 'VICTIM-STORE' };
    const own: Record<string, unknown> = { role: 'OWNER', email: attacker.email, password: attacker.password };
    return Object.fromEntries(
      Object.entries(properties).map(([name, { example }]) => [name, ids[name] ?? own[name] ?? example]),
    );
  }

  test('every route of the document, with the ids of another tenant: refused, nothing is changed, nothing is read', async () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      (Object.keys(item) as Method[]).map((method) => [method, path] as const),
    );
    const tried: string[] = [];
    for (const [method, path] of operations) {
      if (!path.includes('{')) continue;
      for (const restaurantId of [target, newcomers, den]) {
        const ids: Ids = { userId: victim.id, transactionKey: 'VICTIM-1', slug: VICTIM.slug, id: jobId, jobId };
        const filled = path.replace(/\{(\w+)\}/g, (_, name) => ({ ...ids, restaurantId })[name as string] as string);
        // the attacker is OWNER of the den: only the ids of other users and orders are foreign there
        if (restaurantId === den && (path.startsWith('/admin/') || !/\{(userId|transactionKey)\}/.test(path))) continue;
        const before = await everything();
        const body = bodyOf(method, path);
        const answer = await call(attacker, method, filled, body);
        const refused = /^\/(webhooks|v1)\//.test(path) ? /: (401|404)$/ : /: (403|404)$/;
        expect(`${method} ${path}: ${answer.status}`).toMatch(restaurantId === den ? /: (404|422)$/ : refused);
        expectNothingOfTheirs(answer.text, filled + JSON.stringify(body));
        expect(await everything()).toEqual(before);
        tried.push(path);
      }
    }
    expect(new Set(tried).size).toBeGreaterThanOrEqual(15);
  });

  test("every list and report without an id has only the attacker's data", async () => {
    for (const path of Object.keys(document.paths)) {
      if (path.includes('{') || !document.paths[path]?.get || /docs|health|console/.test(path)) continue;
      const { text, status } = await call(attacker, 'get', path);
      expect(`${path}: ${status}`).toMatch(
        path.startsWith('/admin') ? /: 403$/ : path.startsWith('/v1/') ? /: 401$/ : /: 200$/,
      );
      expectNothingOfTheirs(text, '');
    }
  });

  test('the webhook, with names of another tenant: 400, and nothing is stored there', async () => {
    for (const fields of [
      { storeCode: 'VICTIM-STORE' },
      { restaurantId: target, storeCode: undefined },
      { restaurantId: target, storeCode: 'DEN' },
      { restaurantId: den, storeCode: 'VICTIM-STORE' },
      { restaurantId: newcomers, storeCode: NEWCOMER_CODE, isTestTransaction: true },
    ]) {
      const before = await everything();
      const { body, text } = await sell(attacker, fields).expect(400);
      expect(body.code).toBe('UNKNOWN_STORE');
      expectNothingOfTheirs(text, JSON.stringify(fields));
      expect(await everything()).toEqual(before);
    }
  });

  /** Sells, and expects the sale to be stored for this restaurant and delivered to this store. */
  async function expectSold(
    by: Caller,
    fields: { readonly transactionKey: string; readonly [field: string]: unknown },
    restaurantId: string,
    store: string,
  ): Promise<void> {
    const { body } = await sell(by, fields).expect(200);
    await scenario.relay.tick();
    expect(await scenario.jobs.get(body.jobId)).toMatchObject({ restaurant_id: restaurantId, status: 'SENT' });
    expect(scenario.pos.orderOf(store, fields.transactionKey)).toMatchObject({ cooked: 1 });
    const path = `/restaurants/${den}/orders`;
    const { text } = await call(attacker, 'get', path).expect(200);
    expect(text).not.toContain(body.jobId);
  }

  test('keys that the attacker sends in advance block no sale of the victim, and disclose nothing (W19)', async () => {
    const guessed = Array.from({ length: 5 }, (_, n) => `GUESSED-${n}`);
    for (const transactionKey of guessed)
      await sell(attacker, { transactionKey, storeCode: 'DEN', totalAmount: 1, items: [], payments: [] }).expect(200);
    for (const transactionKey of guessed)
      await expectSold(victim, { transactionKey, storeCode: 'VICTIM-STORE' }, target, 'KASSE-ZIB');
    // the attacker may use a key of the victim like any new key
    for (const transactionKey of [guessed[0], `NOBODY-${randomUUID()}`, 'VICTIM-1']) {
      const { status, body } = await sell(attacker, { transactionKey, storeCode: 'DEN' });
      const mine = guessed.includes(String(transactionKey));
      expect([status, body.code]).toEqual(mine ? [400, 'TRANSACTION_KEY_REUSED'] : [200, undefined]);
      expect(body.jobId).not.toBe(jobId);
    }
    // the attacker's cancel does not withdraw the victim's order with the same key
    await scenario.cancel(den, guessed[1] as string, attacker.token).expect(202);
    await scenario.relay.tick();
    expect(scenario.pos.orderOf('KASSE-ZIB', guessed[1] as string)).toMatchObject({ cancelled: false });
  });

  test('links that the attacker creates redirect no sale (W11)', async () => {
    // the attacker knows the user ids, takes the free store codes, and makes both victims OWNERs of the attacker's restaurants
    const rooms = [
      await create(attacker, { name: 'Room 1', codeStoreTerminal: NEWCOMER_CODE, codeStorePos: '6007' }),
      await create(attacker, { name: 'Room 2', codeStorePos: '6008' }),
    ];
    for (const room of rooms)
      for (const { id } of [victim, newcomer])
        await call(attacker, 'post', `/restaurants/${room}/users`, { userId: id, role: 'OWNER' }).expect(201);
    const key = () => ({ transactionKey: `SALE-${randomUUID()}` });
    await expectSold(victim, { ...key(), storeCode: 'VICTIM-STORE' }, target, 'KASSE-ZIB');
    await expectSold(victim, { ...key(), storeCode: undefined }, target, 'KASSE-ZIB');
    await expectSold(victim, { ...key(), storeCode: undefined, restaurantId: target }, target, 'KASSE-ZIB');
    await expectSold(newcomer, { ...key(), storeCode: NEWCOMER_CODE }, newcomers, 'KASSE-NOV');
    await expectSold(newcomer, { ...key(), storeCode: undefined }, newcomers, 'KASSE-NOV');
    for (const room of rooms)
      expect((await call(attacker, 'get', `/restaurants/${room}/orders`).expect(200)).body.data).toEqual([]);
  });
});
