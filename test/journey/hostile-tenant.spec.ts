import { randomUUID } from 'node:crypto';
import type { Document, Method } from '../../tools/contract.js';
import { sale } from '../support/client.js';
import { OWN } from '../support/environment.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

/** What the victim's answers hold and nobody else may read. */
const VICTIM = {
  name: 'Zibibbo Quartiere',
  slug: 'zibibbo-quartiere',
  address: 'Rua das Flores 77',
  codeStoreTerminal: 'VICTIM-STORE',
  codeStorePos: 'KASSE-ZIB',
  ...OWN,
};
/** A restaurant of the victim's whose codes nobody has typed in yet, and the code its terminal sends. */
const NEWCOMER = { name: 'Novo Quartiere', slug: 'novo-quartiere', codeStorePos: 'KASSE-NOV' };
const NEWCOMER_CODE = 'NOT-TYPED-IN-YET';

/** Path parameters -> whose values the attacker tries. */
type Ids = Record<string, string>;

describe('a hostile tenant', () => {
  let scenario: Scenario;
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
    scenario = await Scenario.open();
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
  afterAll(() => scenario.close());

  /** Everything of the victims, as the database has it. */
  const everything = () =>
    Promise.all(
      [
        'SELECT r::text FROM restaurants r WHERE id = ANY ($1)',
        'SELECT l::text FROM user_restaurants l WHERE restaurant_id = ANY ($1) ORDER BY 1',
        `SELECT u::text FROM users u WHERE email LIKE '%@victim.example' AND $1::uuid[] IS NOT NULL ORDER BY 1`,
        'SELECT e::text FROM terminal_events e WHERE restaurant_id = ANY ($1) ORDER BY 1',
        'SELECT j::text FROM outbox_jobs j WHERE restaurant_id = ANY ($1) ORDER BY 1',
      ].map((sql) => scenario.database.query(sql, [[target, newcomers]])),
    );

  /** @param known what the attacker has sent, and so may read again */
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
        const ids: Ids = { userId: victim.id, transactionKey: 'VICTIM-1', slug: VICTIM.slug, id: jobId };
        const filled = path.replace(/\{(\w+)\}/g, (_, name) => ({ ...ids, restaurantId })[name as string] as string);
        // in the den the attacker is OWNER: there only other people's ids are foreign
        if (restaurantId === den && !/\{(userId|transactionKey)\}/.test(path)) continue;
        const before = await everything();
        const body = bodyOf(method, path);
        const answer = await call(attacker, method, filled, body);
        expect(`${method} ${path}: ${answer.status}`).toMatch(restaurantId === den ? /: (404|422)$/ : /: (403|404)$/);
        expectNothingOfTheirs(answer.text, filled + JSON.stringify(body));
        expect(await everything()).toEqual(before);
        tried.push(path);
      }
    }
    expect(new Set(tried).size).toBeGreaterThanOrEqual(15);
  });

  test('every list and report without an id: only what is the attacker’s own', async () => {
    for (const path of Object.keys(document.paths)) {
      if (path.includes('{') || !document.paths[path]?.get || /docs|health|console/.test(path)) continue;
      const { text, status } = await call(attacker, 'get', path);
      expect(`${path}: ${status}`).toMatch(path.startsWith('/admin') ? /: 403$/ : /: 200$/);
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

  /** The victim's sale: stored for them, delivered to their store with what they sold. */
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

  test('keys sent in advance block nothing, and tell nothing (W19)', async () => {
    const guessed = Array.from({ length: 5 }, (_, n) => `GUESSED-${n}`);
    for (const transactionKey of guessed)
      await sell(attacker, { transactionKey, storeCode: 'DEN', totalAmount: 1, items: [], payments: [] }).expect(200);
    for (const transactionKey of guessed)
      await expectSold(victim, { transactionKey, storeCode: 'VICTIM-STORE' }, target, 'KASSE-ZIB');
    // a key that the victim has is as free to the attacker as one that nobody has
    for (const transactionKey of [guessed[0], `NOBODY-${randomUUID()}`, 'VICTIM-1']) {
      const { status, body } = await sell(attacker, { transactionKey, storeCode: 'DEN' });
      const mine = guessed.includes(String(transactionKey));
      expect([status, body.code]).toEqual(mine ? [400, 'DUPLICATE_TRANSACTION'] : [200, undefined]);
      expect(body.jobId).not.toBe(jobId);
    }
    // a cancel of the attacker's order withdraws the attacker's alone
    await scenario.cancel(den, guessed[1] as string, attacker.token).expect(202);
    await scenario.relay.tick();
    expect(scenario.pos.orderOf('KASSE-ZIB', guessed[1] as string)).toMatchObject({ cancelled: false });
  });

  test('links that the attacker makes take no sale away (W11)', async () => {
    // the attacker has learnt the ids, has claimed the codes that are free, and made both OWNERs of the den's rooms
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

  test('an account created in advance for an email is not let in by its password of another (A23)', async () => {
    const awaited = { email: 'new-hire@victim.example', password: marked('known to the attacker'), role: 'OWNER' };
    await call(attacker, 'post', `/restaurants/${den}/users/create-and-link`, awaited).expect(201);
    const { body } = await call(victim, 'post', `/restaurants/${target}/users/create-and-link`, {
      ...awaited,
      password: marked('chosen by the victim'),
    }).expect(409);
    expect(body.code).toBe('ACCOUNT_EXISTS');
    const puppet = { ...awaited, id: '', token: await scenario.relay.login(awaited) };
    await call(puppet, 'get', `/restaurants/${target}/my-role`).expect(403);
    await sell(puppet, { storeCode: 'VICTIM-STORE' }).expect(400);
  });

  test('the attacker links nobody whose id and password they do not know (A23)', async () => {
    const { email } = clerk;
    for (const password of ['a guess of theirs', attacker.password.toUpperCase()]) {
      const { body } = await call(attacker, 'post', `/restaurants/${den}/users/create-and-link`, {
        email,
        password,
        role: 'OWNER',
      }).expect(409);
      expectNothingOfTheirs(JSON.stringify(body), email);
    }
    expect(await scenario.people.rolesIn(den)).not.toHaveProperty(clerk.id);
  });

  test('with ONBOARDING=admin the attacker claims no store code, by POST or by PATCH (A18)', async () => {
    const relay = await scenario.start({ ONBOARDING: 'admin' });
    const claimed = { name: 'Claim', codeStoreTerminal: 'UNCLAIMED', codeStorePos: 'KASSE-ZIB' };
    for (const answer of [
      await relay.api.post('/restaurants', attacker.token, claimed),
      await relay.api.post('/restaurants', attacker.token, { name: 'Claim' }),
      await relay.api.patch(`/restaurants/${den}`, attacker.token, { codeStoreTerminal: 'UNCLAIMED' }),
      await relay.api.patch(`/restaurants/${den}`, attacker.token, { codeStorePos: 'KASSE-ZIB' }),
      await relay.api.patch(`/restaurants/${den}`, attacker.token, { codeStorePos: null }),
    ])
      expect([answer.status, answer.body.code]).toEqual([403, 'ONBOARDING_BY_ADMIN']);
    await relay.api.patch(`/restaurants/${den}`, attacker.token, { name: 'Den 2' }).expect(200);
  });
});
