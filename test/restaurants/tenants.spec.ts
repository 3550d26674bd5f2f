import { randomUUID } from 'node:crypto';
import { sale } from '../support/client.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

/** What belongs to the first tenant alone; none of it may stand in an answer to the second. */
const THEIRS = {
  name: 'Zibibbo Quartiere',
  slug: 'zibibbo-quartiere',
  address: 'Rua das Flores 77',
  codeStoreTerminal: 'THEIR-STORE',
  codeStorePos: '70077',
  posIdPartner: 'their-partner',
  posSecret: marked('their-pos-secret'),
};
const THEIR_CODE = THEIRS.codeStoreTerminal;

describe('a second tenant (P4)', () => {
  let scenario: Scenario;
  let theirs: {
    id: string;
    owner: Caller;
    clerk: Caller;
    sale: Record<string, unknown>;
    jobId: string;
    key: string;
  };
  let ours: { id: string; owner: Caller };

  beforeAll(async () => {
    scenario = await Scenario.open();
    const owner = await scenario.person('USER', 'zenobia@their.example');
    const { body } = await scenario.api.post('/restaurants', owner.token, THEIRS).expect(201);
    const { id } = body.data;
    const clerk = await scenario.staff(id, 'EMPLOYEE');
    await scenario.database.query(`UPDATE users SET name = 'Zenobia Their' WHERE id = $1`, [owner.id]);
    const sold = sale({ storeCode: THEIR_CODE, transactionKey: 'THEIR-KEY', isTestTransaction: true });
    const jobId = await scenario.relay.accept(sold);
    const real = sale({ storeCode: THEIR_CODE });
    await scenario.relay.accept(real);
    theirs = { id, owner, clerk, sale: sold, jobId, key: String(real.transactionKey) };
    ours = await scenario.restaurant('OUR-STORE');
  });
  afterAll(() => scenario.close());

  const get = (path: string) => scenario.api.get(path, ours.owner.token);

  /** Everything of theirs, as the database has it. */
  async function everythingOfTheirs(): Promise<unknown> {
    const tables = [
      'SELECT r::text FROM restaurants r WHERE id = $1',
      'SELECT l::text FROM user_restaurants l WHERE restaurant_id = $1 ORDER BY 1',
      'SELECT u::text FROM users u JOIN user_restaurants l ON l.user_id = u.id WHERE l.restaurant_id = $1 ORDER BY 1',
      'SELECT e::text FROM terminal_events e WHERE restaurant_id = $1 ORDER BY 1',
      'SELECT j::text FROM outbox_jobs j WHERE restaurant_id = $1 ORDER BY 1',
    ];
    return Promise.all(tables.map((sql) => scenario.database.query(sql, [theirs.id])));
  }

  /** @param known what the caller has sent, and so may read again */
  function expectNothingOfTheirs(text: string, known: readonly string[] = []): void {
    const { owner, clerk, id, jobId } = theirs;
    const secrets = [...Object.values(THEIRS), owner.email, owner.id, 'Zenobia', clerk.email, clerk.id, id, jobId];
    for (const secret of secrets.filter((value) => !known.includes(value))) expect(text).not.toContain(secret);
    expect(text).not.toContain('THEIR-KEY-');
  }

  const CALLS: [string, string, number, unknown?][] = [
    ['get', '/restaurants/:theirs', 403],
    ['patch', '/restaurants/:theirs', 403, { name: 'Ours now', posSecret: marked('ours') }],
    ['delete', '/restaurants/:theirs', 403],
    ['get', '/restaurants/:theirs/statistics', 403],
    ['get', '/restaurants/:theirs/my-role', 403],
    ['get', '/restaurants/:theirs/users', 403],
    ['get', '/restaurants/:theirs/users/stats', 403],
    ['get', '/restaurants/:theirs/user/:owner', 403],
    ['post', '/restaurants/:theirs/users', 403, { userId: ':me', role: 'OWNER' }],
    [
      'post',
      '/restaurants/:theirs/users/create-and-link',
      403,
      { email: 'in@our.example', password: marked('long enough'), role: 'OWNER' },
    ],
    ['patch', '/restaurants/:theirs/users/:owner/role', 403, { role: 'VIEWER' }],
    ['patch', '/restaurants/:theirs/users/:me/role', 403, { role: 'OWNER' }],
    ['delete', '/restaurants/:theirs/users/:owner', 403],
    ['post', '/restaurants/:theirs/transfer-ownership', 403, { newOwnerId: ':me' }],
    ['get', '/restaurants/slug/zibibbo-quartiere', 404],
    ['get', '/restaurants/:ours/user/:owner', 404],
    ['patch', '/restaurants/:ours/users/:owner/role', 404, { role: 'VIEWER' }],
    ['delete', '/restaurants/:ours/users/:owner', 404],
    ['post', '/restaurants/:ours/transfer-ownership', 422, { newOwnerId: ':owner' }],
    ['get', '/restaurants/:theirs/orders', 403],
    ['get', '/restaurants/:theirs/orders/:key', 403],
    ['post', '/restaurants/:theirs/orders/:key/cancel', 403],
    ['get', '/restaurants/:ours/orders/:key', 404],
    ['post', '/restaurants/:ours/orders/:key/cancel', 404],
    ['get', '/admin/metrics', 403],
    ['get', '/admin/jobs?restaurantId=:theirs', 403],
    ['get', '/admin/jobs/:job', 403],
  ];

  test.each(CALLS)('%s %s: %d, nothing is changed, and the answer says nothing', async (...call) => {
    const [method, path, status, body] = call;
    const fill = (text: string) =>
      text
        .replaceAll(':theirs', theirs.id)
        .replaceAll(':ours', ours.id)
        .replaceAll(':owner', theirs.owner.id)
        .replaceAll(':me', ours.owner.id)
        .replaceAll(':key', theirs.key)
        .replaceAll(':job', theirs.jobId);
    const before = await everythingOfTheirs();
    const sent = body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body)));
    const answer = await scenario.api[method as 'get'](fill(path), ours.owner.token, sent);
    expect(answer.status).toBe(status);
    expectNothingOfTheirs(answer.text);
    expect(await everythingOfTheirs()).toEqual(before);
    expect(await scenario.people.rolesIn(ours.id)).toEqual({ [ours.owner.id]: 'OWNER' });
  });

  test('a restaurant that exists and is not linked: 403; one that does not exist: 404; a slug: 404 either way (A16)', async () => {
    const unknown = await get(`/restaurants/${randomUUID()}`).expect(404);
    expect(unknown.body.code).toBe('NOT_FOUND');
    const { body } = await get(`/restaurants/${theirs.id}`).expect(403);
    expect(body.code).toBe('NO_ACCESS');
    const [{ body: theirSlug }, { body: noSlug }] = [
      await get(`/restaurants/slug/${THEIRS.slug}`).expect(404),
      await get('/restaurants/slug/no-such-slug').expect(404),
    ];
    expect({ ...theirSlug, requestId: '' }).toEqual({ ...noSlug, requestId: '' });
  });

  test.each([
    '',
    '?search=zibibbo',
    '?search=quartiere',
    '?search=%25',
    '?search=_',
    '?role=OWNER',
    '?sort=-createdAt&limit=100',
  ])('GET /restaurants%s lists and counts none of theirs', async (query) => {
    const { body, text } = await get(`/restaurants${query}`).expect(200);
    expectNothingOfTheirs(text);
    expect(body.meta.total).toBe(body.data.length);
    for (const { id } of body.data) expect(id).toBe(ours.id);
  });

  test('users/me/restaurants has only their own', async () => {
    const { body, text } = await get('/users/me/restaurants').expect(200);
    expect(body.restaurants.map(({ id }: { id: string }) => id)).toEqual([ours.id]);
    expectNothingOfTheirs(text);
  });

  test('statistics and counts of users have only their own', async () => {
    await scenario.relay.accept(sale({ storeCode: 'OUR-STORE', payments: [{ tenderType: 1, amount: 1.23 }] }));
    const { body } = await get(`/restaurants/${ours.id}/statistics`).expect(200);
    expect(body.orders).toEqual({ PENDING: 1, PROCESSING: 0, SENT: 0, FAILED: 0, DLQ: 0, cancelled: 0 });
    expect(body.amounts).toMatchObject({ totalCents: 123, byTender: [{ tenderType: '1', cents: 123 }] });
    const stats = await get(`/restaurants/${ours.id}/users/stats`).expect(200);
    expect(stats.body.total).toBe(1);
  });

  test('a slug or store code that is taken: 409, which names the field and nothing of the restaurant that has it', async () => {
    for (const [field, value] of [
      ['slug', THEIRS.slug],
      ['codeStoreTerminal', THEIR_CODE],
    ] as const)
      for (const answer of [
        await scenario.api.post('/restaurants', ours.owner.token, {
          name: 'Any',
          slug: `s-${randomUUID()}`,
          [field]: value,
        }),
        await scenario.api.patch(`/restaurants/${ours.id}`, ours.owner.token, { [field]: value }),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([409, 'CONFLICT']);
        expect(answer.body.message).toContain(field);
        expectNothingOfTheirs(answer.text);
      }
  });

  test('a user of theirs who is linked to ours as well: we see the link to ours, and gain nothing in theirs', async () => {
    const before = await everythingOfTheirs();
    const link = { userId: theirs.clerk.id, role: 'VIEWER' };
    const { body, text } = await scenario.api.post(`/restaurants/${ours.id}/users`, ours.owner.token, link).expect(201);
    expect(body.data).toMatchObject({ ...link, email: null, name: null, accepted: false });
    expectNothingOfTheirs(text, [theirs.clerk.id]);
    expect(await everythingOfTheirs()).toEqual(before);
    await get(`/restaurants/${theirs.id}/user/${theirs.clerk.id}`).expect(403);
    const role = { role: 'ADMIN' };
    await scenario.api
      .patch(`/restaurants/${ours.id}/users/${theirs.clerk.id}/role`, ours.owner.token, role)
      .expect(200);
    expect((await scenario.people.rolesIn(theirs.id))[theirs.clerk.id]).toBe('EMPLOYEE');
    await scenario.api.delete(`/restaurants/${ours.id}/users/${theirs.clerk.id}`, ours.owner.token).expect(200);
    expect((await scenario.people.rolesIn(theirs.id))[theirs.clerk.id]).toBe('EMPLOYEE');
  });

  describe('at the webhook', () => {
    const deliver = (fields: object) => scenario.api.post('/webhooks/terminal', ours.owner.token, sale({ ...fields }));

    test.each<[string, (id: string, code: string) => object]>([
      ['their storeCode', (_, storeCode) => ({ storeCode })],
      ['their restaurantId', (restaurantId) => ({ storeCode: undefined, restaurantId })],
      ['both of theirs', (restaurantId, storeCode) => ({ storeCode, restaurantId })],
      ['our storeCode and their restaurantId', (restaurantId) => ({ storeCode: 'OUR-STORE', restaurantId })],
      ['their storeCode and our restaurantId', (_, storeCode) => ({ storeCode, restaurantId: ours.id })],
      ['their storeCode, as a test', (_, storeCode) => ({ storeCode, isTestTransaction: true })],
    ])('%s: 400 UNKNOWN_STORE, as for a store that does not exist', async (_, fields) => {
      const before = await everythingOfTheirs();
      const { body, text } = await deliver(fields(theirs.id, THEIR_CODE)).expect(400);
      const nowhere = await deliver(fields(randomUUID(), 'NO-SUCH-STORE')).expect(400);
      expect(body.code).toBe('UNKNOWN_STORE');
      expect({ ...body, requestId: '' }).toEqual({ ...nowhere.body, requestId: '' });
      expectNothingOfTheirs(text);
      expect(await everythingOfTheirs()).toEqual(before);
    });

    test('their test key is no duplicate of ours: another job', async () => {
      const { body, text } = await deliver({ ...theirs.sale, storeCode: 'OUR-STORE' }).expect(200);
      expect(body.jobId).not.toBe(theirs.jobId);
      expectNothingOfTheirs(text);
    });
  });
});
