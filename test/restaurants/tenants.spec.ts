import { randomUUID } from 'node:crypto';
import { sale } from '../support/client.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

/** The fields of the other tenant's restaurant; no answer to us may contain a value of them. */
const THEIRS = {
  name: 'Zibibbo Quartiere',
  slug: 'zibibbo-quartiere',
  address: 'Rua das Flores 77',
  codeStoreTerminal: 'THEIR-STORE',
  codeStorePos: '70077',
  posIdPartner: 'their-partner',
  posSecret: marked('their-pos-secret'),
};

/** What answers reveal about another tenant. test/journey/hostile-tenant.spec.ts calls every route with another tenant's ids. */
describe('two tenants (P4)', () => {
  const scenario = Scenario.ofSuite();
  let theirs: { id: string; owner: Caller; clerk: Caller; jobId: string };
  let ours: { id: string; owner: Caller };

  beforeAll(async () => {
    const owner = await scenario.person('USER', 'zenobia@their.example');
    const { id } = (await scenario.api.post('/restaurants', owner.token, THEIRS).expect(201)).body.data;
    const clerk = await scenario.staff(id, 'EMPLOYEE');
    const jobId = await scenario.relay.accept(testSale('THEIR-STORE'));
    theirs = { id, owner, clerk, jobId };
    ours = await scenario.restaurant('OUR-STORE');
  });

  const testSale = (storeCode: string) => sale({ storeCode, transactionKey: 'THEIR-KEY', isTestTransaction: true });
  const get = (path: string) => scenario.api.get(path, ours.owner.token);

  /** @param known values that the caller has sent itself */
  function expectNothingOfTheirs(text: string, known: readonly string[] = []): void {
    const { owner, clerk, id, jobId } = theirs;
    const values = [...Object.values(THEIRS), owner.email, owner.id, clerk.email, clerk.id, id, jobId];
    for (const value of values.filter((each) => !known.includes(each))) expect(text).not.toContain(value);
    expect(text).not.toContain('THEIR-KEY-');
  }

  test('a restaurant without a link to it: 403; an unknown id: 404; a slug: the same 404 for both (A16)', async () => {
    expect((await get(`/restaurants/${randomUUID()}`).expect(404)).body.code).toBe('NOT_FOUND');
    expect((await get(`/restaurants/${theirs.id}`).expect(403)).body.code).toBe('NO_ACCESS');
    const { body: theirSlug } = await get(`/restaurants/slug/${THEIRS.slug}`).expect(404);
    const { body: noSlug } = await get('/restaurants/slug/no-such-slug').expect(404);
    expect({ ...theirSlug, requestId: '' }).toEqual({ ...noSlug, requestId: '' });
  });

  test.each(['', '?search=zibibbo', '?search=%25', '?role=OWNER', '?sort=-createdAt&limit=100'])(
    'GET /restaurants%s lists and counts only our own',
    async (query) => {
      const { body, text } = await get(`/restaurants${query}`).expect(200);
      expectNothingOfTheirs(text);
      expect(body.meta.total).toBe(body.data.length);
      for (const { id } of body.data) expect(id).toBe(ours.id);
    },
  );

  test('statistics and counts of users are of our own restaurant', async () => {
    await scenario.relay.accept(sale({ storeCode: 'OUR-STORE', payments: [{ tenderType: 1, amount: 1.23 }] }));
    const { body } = await get(`/restaurants/${ours.id}/statistics`).expect(200);
    expect(body.orders).toMatchObject({ PENDING: 1, SENT: 0 });
    expect(body.amounts).toMatchObject({ totalCents: 123, byTender: [{ tenderType: '1', cents: 123 }] });
    expect((await get(`/restaurants/${ours.id}/users/stats`).expect(200)).body.total).toBe(1);
  });

  test.each(['slug', 'codeStoreTerminal'] as const)('a taken %s: 409, which names the field only', async (field) => {
    const change = { [field]: THEIRS[field] };
    const create = { name: 'Any', slug: `s-${randomUUID()}`, ...change };
    for (const answer of [
      await scenario.api.post('/restaurants', ours.owner.token, create),
      await scenario.api.patch(`/restaurants/${ours.id}`, ours.owner.token, change),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([409, 'CONFLICT']);
      expect(answer.body.message).toContain(field);
      expectNothingOfTheirs(answer.text);
    }
  });

  test('a user of theirs who is linked to ours too: we see and change the link to ours only', async () => {
    const link = { userId: theirs.clerk.id, role: 'VIEWER' };
    const path = `/restaurants/${ours.id}/users`;
    const { body, text } = await scenario.api.post(path, ours.owner.token, link).expect(201);
    expect(body.data).toMatchObject({ ...link, email: null, name: null, accepted: false });
    expectNothingOfTheirs(text, [theirs.clerk.id]);
    await get(`/restaurants/${theirs.id}/user/${theirs.clerk.id}`).expect(403);
    await scenario.api.patch(`${path}/${theirs.clerk.id}/role`, ours.owner.token, { role: 'ADMIN' }).expect(200);
    await scenario.api.delete(`${path}/${theirs.clerk.id}`, ours.owner.token).expect(200);
    expect((await scenario.people.rolesIn(theirs.id))[theirs.clerk.id]).toBe('EMPLOYEE');
  });

  describe('at the webhook', () => {
    const deliver = (event: object) => scenario.api.post('/webhooks/terminal', ours.owner.token, event);

    test.each<[string, (restaurantId: string, storeCode: string) => Record<string, unknown>]>([
      ['their storeCode', (_, storeCode) => ({ storeCode })],
      ['their restaurantId', (restaurantId) => ({ storeCode: undefined, restaurantId })],
      ['our storeCode and their restaurantId', (restaurantId) => ({ storeCode: 'OUR-STORE', restaurantId })],
    ])('%s: 400 UNKNOWN_STORE, the same body as for an unknown store', async (_, fields) => {
      const { body, text } = await deliver(sale(fields(theirs.id, THEIRS.codeStoreTerminal))).expect(400);
      const unknown = await deliver(sale(fields(randomUUID(), 'NO-SUCH-STORE'))).expect(400);
      expect(body.code).toBe('UNKNOWN_STORE');
      expect({ ...body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
      expectNothingOfTheirs(text);
    });

    test('the key of their test sale is not a duplicate of ours', async () => {
      const { body, text } = await deliver(testSale('OUR-STORE')).expect(200);
      expect(body.jobId).not.toBe(theirs.jobId);
      expectNothingOfTheirs(text);
    });
  });
});
