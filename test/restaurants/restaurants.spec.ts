import { randomUUID } from 'node:crypto';
import { sale } from '../support/client.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

const SECRET = marked('s3cret-of-the-restaurant');

describe('restaurants', () => {
  const scenario = Scenario.ofSuite();

  test('warnings name missing codes, incomplete credentials and the default time zone in every answer (A25)', async () => {
    const { token } = await scenario.person();
    const created = await scenario.api
      .post('/restaurants', token, { name: 'Lacking', posIdPartner: 'p-1' })
      .expect(201);
    const { id, slug, warnings } = created.body.data;
    expect(warnings.map((text: string) => text.split(':')[0])).toEqual([
      'codeStoreTerminal is not set',
      'codeStorePos is not set',
      'posIdPartner is set without posSecret',
      'timezone is UTC, the default',
    ]);
    for (const path of [`/restaurants/${id}`, `/restaurants/slug/${slug}`])
      expect((await scenario.api.get(path, token).expect(200)).body.warnings).toEqual(warnings);
    expect((await scenario.api.get('/restaurants', token).expect(200)).body.data[0].warnings).toEqual(warnings);
    const mine = await scenario.api.get('/users/me/restaurants', token).expect(200);
    expect(mine.body.restaurants[0].warnings).toEqual(warnings);
    const patch = async (changes: object) =>
      (await scenario.api.patch(`/restaurants/${id}`, token, changes).expect(200)).body.data.warnings;
    const codes = { codeStoreTerminal: `L-${id}`, codeStorePos: '1' };
    expect(await patch({ ...codes, posIdPartner: null, posSecret: SECRET })).toEqual([
      expect.stringMatching(/^posSecret is set without posIdPartner: /),
      expect.stringMatching(/^timezone is UTC, the default: /),
    ]);
    expect(await patch({ posIdPartner: 'p-1', timezone: 'Etc/UTC' })).toEqual([]);
  });

  describe('GET /restaurants (A22)', () => {
    /** the caller is OWNER of the first, third, …; VIEWER of the others */
    const NAMES = ['Alba', 'Bar 50%', 'Bar_one', 'BARoque', 'Caf\u00e9 Sol', 'Delta \\ Co', "O'Hara"];
    let caller: Caller;

    beforeAll(async () => {
      caller = await scenario.person();
      for (const [i, name] of NAMES.entries()) {
        const slug = `slug-of-${String.fromCharCode(122 - i)}`;
        const { body } = await scenario.api.post('/restaurants', caller.token, { name, slug }).expect(201);
        if (i % 2 === 0) continue;
        await scenario.database.query(
          `UPDATE user_restaurants SET role = 'VIEWER' WHERE restaurant_id = $1 AND user_id = $2`,
          [body.data.id, caller.id],
        );
      }
    });

    const list = (query: Record<string, unknown> = {}) =>
      scenario.api.get(`/restaurants?${new URLSearchParams(query as Record<string, string>)}`, caller.token);
    const names = async (query?: Record<string, unknown>): Promise<string[]> =>
      (await list(query).expect(200)).body.data.map(({ name }: { name: string }) => name);

    test('by default page 1 with 20 restaurants, sorted by name; each with the role of the caller (L10)', async () => {
      const { body } = await list().expect(200);
      expect(body.meta).toEqual({ page: 1, limit: 20, total: NAMES.length, pages: 1 });
      const roles = Object.fromEntries(body.data.map(({ name, role }: { name: string; role: string }) => [name, role]));
      expect(roles).toEqual(Object.fromEntries(NAMES.map((name, i) => [name, i % 2 ? 'VIEWER' : 'OWNER'])));
    });

    test.each([1, 3, 7])('pages of %d restaurants hold each one once', async (limit) => {
      const pages = Math.ceil(NAMES.length / limit);
      const seen: string[] = [];
      for (let page = 1; page <= pages; page++) {
        const { body } = await list({ page, limit }).expect(200);
        expect(body.meta).toEqual({ page, limit, total: NAMES.length, pages });
        seen.push(...body.data.map(({ name }: { name: string }) => name));
      }
      expect(seen.toSorted()).toEqual(NAMES.toSorted());
      expect(await names({ page: pages + 1, limit })).toEqual([]);
    });

    test.each<[string, string[]]>([
      ['bar', ['BARoque', 'Bar 50%', 'Bar_one']],
      ['slug-of-z', ['Alba']],
      ['%', ['Bar 50%']],
      ['_', ['Bar_one']],
      ['50%', ['Bar 50%']],
      ['r_o', ['Bar_one']],
      ['\\', ['Delta \\ Co']],
      ["'", ["O'Hara"]],
      ['CAF\u00c9', ['Caf\u00e9 Sol']],
      ['nothing like it', []],
      ['\ud800', []],
    ])('search %j is taken literally, in name and slug', async (search, found) => {
      expect((await names({ search })).toSorted()).toEqual(found.toSorted());
    });

    test('a NUL in the search or in the slug: 400', async () => {
      await list({ search: 'a\0' }).expect(400);
      await scenario.api.get('/restaurants/slug/a%00', caller.token).expect(400);
    });

    test('role: only restaurants in which the caller has it', async () => {
      expect((await names({ role: 'VIEWER' })).toSorted()).toEqual(NAMES.filter((_, i) => i % 2).toSorted());
      expect(await names({ role: 'MANAGER' })).toEqual([]);
    });

    test.each(['name', 'slug', 'createdAt'])('sort %s, and with a hyphen in descending order', async (field) => {
      const forth = await names({ sort: field });
      expect(await names({ sort: `-${field}` })).toEqual(forth.toReversed());
      if (field === 'createdAt') expect(forth).toEqual(NAMES);
      if (field === 'slug') expect(forth).toEqual(NAMES.toReversed());
    });

    test.each([
      ...['page=0', 'page=1.5', 'page=x', 'page=1e9', 'limit=0', 'limit=101', 'limit=', 'role=owner', 'sort=posSecret'],
      ...[
        'sort=--name',
        'unknown=1',
        'page=1&page=2',
        'search=a&search=b',
        'search[contains]=a',
        `search=${'x'.repeat(201)}`,
      ],
    ])('?%s: 400', async (query) => {
      await scenario.api.get(`/restaurants?${query}`, caller.token).expect(400);
    });

    test('users/me/restaurants: all restaurants of the caller, sorted by name', async () => {
      const { body } = await scenario.api.get('/users/me/restaurants', caller.token).expect(200);
      const { body: page } = await list().expect(200);
      expect(body).toEqual({ restaurants: page.data });
    });
  });

  describe('one restaurant', () => {
    const fields = () => ({
      name: 'Pizzeria Roma',
      slug: `roma-${randomUUID()}`,
      address: 'Via Appia 1',
      codeStoreTerminal: `T-${randomUUID()}`,
      codeStorePos: '1001',
      posIdPartner: 'partner-1',
    });
    let owner: Caller;
    let id: string;
    let path: string;
    let made: ReturnType<typeof fields>;

    beforeEach(async () => {
      owner = await scenario.person();
      made = fields();
      const { body } = await scenario.api.post('/restaurants', owner.token, { ...made, posSecret: SECRET }).expect(201);
      id = body.data.id;
      path = `/restaurants/${id}`;
    });

    const get = async () => (await scenario.api.get(path, owner.token).expect(200)).body;
    const change = (body: unknown) => scenario.api.patch(path, owner.token, body);

    test('is found by its id, in upper case too, and by its slug', async () => {
      const shown = await get();
      expect(shown).toMatchObject({ ...made, id, hasPosSecret: true });
      for (const other of [`/restaurants/${id.toUpperCase()}`, `/restaurants/slug/${made.slug}`])
        expect((await scenario.api.get(other, owner.token).expect(200)).body).toEqual(shown);
    });

    test.each(['no-such-slug', 'ROMA', 'x'.repeat(90)])('the unknown slug %s: 404', async (slug) => {
      await scenario.api.get(`/restaurants/slug/${slug}`, owner.token).expect(404);
    });

    test('PATCH changes the fields in its body and no other', async () => {
      const before = await get();
      const { body } = await change({ name: '  Osteria  ', address: 'Via Nuova 2' }).expect(200);
      expect(body).toEqual({ message: expect.any(String), data: expect.any(Object) });
      expect(body.data).toEqual({ ...before, name: 'Osteria', address: 'Via Nuova 2', updatedAt: expect.any(String) });
      expect(await get()).toEqual(body.data);
      expect(Date.parse(body.data.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
    });

    test.each([
      ['America/Argentina/Buenos_Aires', '11:59'],
      ['Etc/GMT+3', '00:01'],
    ])('PATCH sets timezone %s and dayClosesAt %s (R15)', async (timezone, dayClosesAt) => {
      const { body } = await change({ timezone, dayClosesAt }).expect(200);
      expect(body.data).toMatchObject({ ...made, timezone, dayClosesAt });
      expect(await get()).toEqual(body.data);
    });

    test('an empty PATCH changes nothing', async () => {
      const { updatedAt: _, ...before } = await get();
      expect((await change({}).expect(200)).body.data).toMatchObject(before);
    });

    test('null clears address, codes and credentials', async () => {
      const cleared = { address: null, codeStoreTerminal: null, codeStorePos: null, posIdPartner: null };
      const { body } = await change({ ...cleared, posSecret: null }).expect(200);
      expect(body.data).toMatchObject({ ...cleared, hasPosSecret: false });
      expect(body.data).not.toHaveProperty('posSecret');
    });

    test('posSecret is set, kept by changes of other fields, and cleared by null', async () => {
      const steps: [body: object, has: boolean][] = [
        [{ posSecret: null }, false],
        [{ posSecret: marked('an0ther-secret') }, true],
        [{ name: 'Osteria' }, true],
        [{ posSecret: null }, false],
      ];
      for (const [body, has] of steps) {
        const answer = await change(body).expect(200);
        expect(answer.body.data.hasPosSecret).toBe(has);
      }
    });

    test.each<[string, unknown[]]>([
      ['name', [null, '', 'a\nb', 'x'.repeat(201)]],
      ['slug', [null, 'Roma', 'ro']],
      ['address', ['']],
      ['codeStoreTerminal', ['']],
      ['codeStorePos', [5]],
      ['posIdPartner', ['with blank']],
      ['posSecret', ['', 'top\nsecret']],
      ['timezone', [null, '', 5, 'Mars/Olympus', '+03:00', 'CET', 'BRT', 'America/Sao_Paulo; --']],
      ['dayClosesAt', [null, '', 4, '4:00', '04:60', '24:00', '12:00', '04:00:00', 'four']],
      ['deletedAt', [null]],
    ])('PATCH %s to each of %j: 400 that names the field, and nothing is changed', async (field, values) => {
      const before = await get();
      for (const value of values) {
        const { body } = await change({ codeStorePos: '9', [field]: value }).expect(400);
        expect(body.message).toContainEqual(expect.stringContaining(field));
      }
      expect(await get()).toEqual(before);
    });

    test.each(['slug', 'codeStoreTerminal'])(
      'the %s of another restaurant: 409, and nothing is changed',
      async (field) => {
        const other = fields();
        await scenario.api.post('/restaurants', owner.token, other).expect(201);
        const before = await get();
        await change({ name: 'Osteria', [field]: other[field as 'slug'] }).expect(409);
        expect(await get()).toEqual(before);
        await change({ [field]: made[field as 'slug'] }).expect(200);
      },
    );

    describe('DELETE', () => {
      const statusOf = (job: string, status: string) =>
        scenario.database.query(
          `UPDATE outbox_jobs SET status = $2::job_status, locked_by = CASE $2 WHEN 'PROCESSING' THEN 'a/b' END,
             processing_at = CASE $2 WHEN 'PROCESSING' THEN now() END WHERE id = $1`,
          [job, status],
        );
      const sold = () => sale({ storeCode: made.codeStoreTerminal });

      test.each(['PENDING', 'PROCESSING', 'FAILED'])('409 UNDELIVERED_ORDERS while a job is %s', async (status) => {
        await statusOf(await scenario.relay.accept(sold()), status);
        expect((await scenario.api.delete(path, owner.token).expect(409)).body.code).toBe('UNDELIVERED_ORDERS');
        await get();
      });

      test('409 PARKED_ORDERS with their number while orders are parked; ?parked=abandon deletes the restaurant, audited (A21)', async () => {
        const parked = [await scenario.relay.accept(sold()), await scenario.relay.accept(sold())];
        for (const job of parked) await statusOf(job, 'DLQ');
        const withdrawn = await scenario.relay.accept(sold());
        await scenario.database.query(
          `UPDATE outbox_jobs SET status = 'DLQ', withdrawn = true, next_run_at = NULL WHERE id = $1`,
          [withdrawn],
        );
        const { body } = await scenario.api.delete(path, owner.token).expect(409);
        expect(body).toMatchObject({
          code: 'PARKED_ORDERS',
          message: expect.stringMatching(/^2 orders .*parked=abandon/),
        });
        expect((await scenario.api.delete(`${path}?parked=forget`, owner.token).expect(400)).body.message).toEqual([
          'parked must be abandon',
        ]);
        await get();
        await scenario.api.delete(`${path}?parked=abandon`, owner.token).expect(200);
        const [entry] = await scenario.database.query(
          `SELECT details, actor_id FROM audit_entries WHERE action = 'restaurant.deleted' AND restaurant_id = $1`,
          [path.split('/').at(-1)],
        );
        expect(entry).toEqual({ details: { abandoned: 2 }, actor_id: owner.id });

        // a reset by SQL of all parked jobs does not send them
        const calls = scenario.pos.orderCalls;
        await scenario.database.query(
          `UPDATE outbox_jobs SET status = 'PENDING', next_run_at = now(), attempts = 0 WHERE status = 'DLQ'`,
        );
        await scenario.relay.tick();
        expect(scenario.pos.orderCalls).toBe(calls);
        for (const job of parked) expect((await scenario.jobs.get(job)).status).toBe('DLQ');
      });

      test('afterwards every route is a 404, slug and store code are free, and events and jobs are kept', async () => {
        const jobs = [await scenario.relay.accept(sold()), await scenario.relay.accept(sold())];
        await statusOf(jobs[0] as string, 'SENT');
        await statusOf(jobs[1] as string, 'DLQ');
        const { body } = await scenario.api.delete(`${path}?parked=abandon`, owner.token).expect(200);
        expect(body).toEqual({ message: expect.any(String) });

        const { token } = owner;
        const userPath = `${path}/users/${owner.id}`;
        const answers = [
          await scenario.api.get(`/restaurants/slug/${made.slug}`, token),
          await change({ name: 'Back again' }),
          await scenario.api.delete(path, token),
          await scenario.api.delete(userPath, token),
          await scenario.api.post(`${path}/transfer-ownership`, token, { newOwnerId: randomUUID() }),
        ];
        for (const read of ['', '/statistics', '/my-role', '/users', `/user/${owner.id}`])
          answers.push(await scenario.api.get(path + read, token));
        expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(404));
        expect((await scenario.api.get('/restaurants', token).expect(200)).body).toMatchObject({
          data: [],
          meta: { total: 0 },
        });
        expect((await scenario.api.get('/users/me/restaurants', token).expect(200)).body.restaurants).toEqual([]);
        await scenario.relay.post(sold()).expect(400);
        await scenario.api.post('/webhooks/terminal', token, sold()).expect(400);

        await scenario.api.post('/restaurants', token, made).expect(201);
        const count =
          'SELECT count(*)::int FROM terminal_events JOIN outbox_jobs j ON event_key = transaction_key WHERE j.id = ANY ($1)';
        expect(await scenario.database.query(count, [jobs])).toEqual([{ count: 2 }]);
      });
    });
  });
});
