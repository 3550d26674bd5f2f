import { type Caller, Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { until } from '../../support/until.js';
import { auditOf, type EntryPage } from './entries.js';

describe('readers of the audit (R23)', () => {
  const scenario = Scenario.ofSuite();
  let audit: ReturnType<typeof auditOf>;
  let admin: Caller;

  beforeAll(async () => {
    audit = auditOf(scenario);
    admin = await scenario.person('ADMIN');
  });

  const rename = (id: string, { token }: Caller, name: string) =>
    scenario.api.patch(`/restaurants/${id}`, token, { name }).expect(200);

  test('OWNERs read the entries of their restaurant only', async () => {
    const [mine, theirs] = [await scenario.restaurant(), await scenario.restaurant()];
    await rename(mine.id, mine.owner, 'Mine');
    await rename(theirs.id, theirs.owner, 'Theirs');
    const { data } = await audit.ofRestaurant(mine.id, mine.token);
    expect(data.map(({ restaurantId }) => restaurantId)).toEqual(data.map(() => mine.id));
    expect(data.map(({ actorEmail }) => actorEmail)).not.toContain(theirs.owner.email);
    await scenario.api.get(`/restaurants/${theirs.id}/audit`, mine.token).expect(403);
    const narrowed = await audit.ofRestaurant(mine.id, mine.token, { actor: theirs.owner.email });
    expect(narrowed.data).toEqual([]);
    await scenario.api.get(`/restaurants/${mine.id}/audit?restaurantId=${theirs.id}`, mine.token).expect(400);
  });

  describe('R23: OWNERs read the sign-ins of users with an accepted link', () => {
    const signIns = async ({ id, token }: { id: string; token: string }, email: string) =>
      (await audit.ofRestaurant(id, token, { action: 'auth.signed_in', actor: email })).data.length;
    const accept = (restaurantId: string, token: string) =>
      scenario.api.post(`/users/me/restaurants/${restaurantId}/accept`, token).expect(200);

    test('not those of a user they have linked who has not accepted; the OWNER of the accepted link reads them', async () => {
      const [home, strangers] = [await scenario.restaurant(), await scenario.restaurant()];
      const clerk = await scenario.people.user();
      await scenario.people.link(clerk.id, home.id, 'EMPLOYEE', 'ACCOUNT');
      const body = { userId: clerk.id, role: 'OWNER' };
      await scenario.api.post(`/restaurants/${strangers.id}/users`, strangers.token, body).expect(201);
      await scenario.relay.login(clerk);
      const wrong = { email: clerk.email, password: marked('not the password') };
      await scenario.api.post('/auth/login', undefined, wrong).expect(401);
      await until(async () => (await audit.ofRestaurant(home.id, home.token, { actor: clerk.email })).data.length > 1);
      expect([await signIns(home, clerk.email), await signIns(strangers, clerk.email)]).toEqual([1, 0]);
      expect((await audit.ofRestaurant(strangers.id, strangers.token, { actor: clerk.email })).data).toEqual([]);
    });

    test('those of a user with two accepted links in both restaurants, without accepted links in none', async () => {
      const [first, second] = [await scenario.restaurant(), await scenario.restaurant()];
      const clerk = await scenario.people.user();
      for (const { id } of [first, second]) await scenario.people.link(clerk.id, id, 'EMPLOYEE');
      const token = await scenario.relay.login(clerk);
      expect([await signIns(first, clerk.email), await signIns(second, clerk.email)]).toEqual([0, 0]);
      expect((await audit.ofAll(admin.token, { actor: clerk.email })).data).toMatchObject([{ restaurantId: null }]);
      for (const { id } of [first, second]) await accept(id, token);
      await scenario.relay.login(clerk);
      expect([await signIns(first, clerk.email), await signIns(second, clerk.email)]).toEqual([1, 1]);
    });

    test('one entry, which the OWNERs of at most 50 restaurants read, those of the oldest links; OWNERs do not see which others', async () => {
      const founder = await scenario.people.user();
      const ids = [];
      for (let i = 0; i < 52; i++) ids.push(await scenario.people.restaurant(null, [founder, 'OWNER']));
      await scenario.database.query(
        `UPDATE user_restaurants SET created_at = now() + array_position($1::uuid[], restaurant_id) * interval '1 ms'
         WHERE restaurant_id = ANY ($1::uuid[])`,
        [ids],
      );
      await scenario.relay.login(founder);
      const token = await scenario.relay.login(founder);
      const { data } = await audit.ofAll(admin.token, { actor: founder.email, limit: '100' });
      expect(data.map(({ restaurantId }) => restaurantId)).toEqual([null, null]);
      expect(data.map(({ restaurantIds }) => restaurantIds.toSorted())).toEqual(
        Array(2).fill(ids.slice(0, 50).toSorted()),
      );
      const read = async (id = '') => (await audit.ofRestaurant(id, token, { actor: founder.email })).data;
      expect(await read(ids[49])).toMatchObject(Array(2).fill({ restaurantId: ids[49], restaurantIds: [] }));
      expect(await read(ids[50])).toEqual([]);
      const pages = [];
      for (let after: string | null = ''; after !== null; ) {
        const page: EntryPage = await audit.ofRestaurant(ids[0] as string, token, {
          limit: '1',
          ...(after && { after }),
        });
        pages.push(...page.data.map(({ action }) => action));
        after = page.meta.next;
      }
      expect(pages).toEqual(['auth.signed_in', 'auth.signed_in']);
    });
  });

  test('of a platform administrator OWNERs read the acts in the restaurant, no sign-ins', async () => {
    const { id, token } = await scenario.restaurant();
    const helper = await scenario.people.user(undefined, 'ADMIN');
    await scenario.people.link(helper.id, id, 'ADMIN');
    const signedIn = await scenario.signIn(helper);
    await rename(id, signedIn, 'Mended');
    const { data } = await audit.ofRestaurant(id, token, { actor: helper.email });
    expect(data.map(({ action }) => action)).toEqual(['restaurant.changed']);
  });

  test('platform administrators read all entries, those without a restaurant too', async () => {
    const { data } = await audit.ofAll(admin.token, { limit: '100' });
    expect(new Set(data.map(({ restaurantId }) => restaurantId)).size).toBeGreaterThan(2);
    expect(data.filter(({ restaurantId }) => restaurantId === null).map(({ action }) => action)).toContain(
      'auth.signed_in',
    );
  });

  describe('in pages', () => {
    const ALL = 7;
    let restaurant: { id: string; token: string };

    beforeAll(async () => {
      const { id, token } = await scenario.restaurant();
      restaurant = { id, token };
      // all in the same millisecond
      await scenario.database.query(
        `INSERT INTO audit_entries (id, at, actor_email, restaurant_id, action, target)
         SELECT gen_random_uuid(), '2026-01-31T20:15:00.123Z', 'anna@example.com', $1, 'user.linked', n::text
         FROM generate_series(1, $2::int) n`,
        [id, ALL],
      );
      await scenario.database.query(
        `INSERT INTO audit_entries (id, at, actor_email, restaurant_id, action)
         VALUES (gen_random_uuid(), '2026-01-31T20:15:01Z', 'ben@example.com', $1, 'user.unlinked')`,
        [id],
      );
    });

    const page = (query: Record<string, string>) => audit.ofRestaurant(restaurant.id, restaurant.token, query);

    test.each(['1', '3', '8'])('of %s: newest first, each entry once', async (limit) => {
      const seen: string[] = [];
      let after = '';
      for (let read: EntryPage | undefined; !read || read.meta.next; after = read.meta.next ?? '') {
        read = await page({ limit, ...(after && { after }) });
        expect(read.data.length).toBeLessThanOrEqual(Number(limit));
        seen.push(...read.data.map(({ id }) => id));
      }
      expect(new Set(seen).size).toBe(ALL + 1);
      expect(seen).toHaveLength(ALL + 1);
      expect((await page({ limit: '1' })).data[0]?.actorEmail).toBe('ben@example.com');
    });

    test('filtered by action, actor, time, and all of them', async () => {
      expect((await page({ action: 'user.linked' })).data).toHaveLength(ALL);
      expect((await page({ actor: ' Ben@Example.com' })).data).toHaveLength(1);
      expect((await page({ from: '2026-01-31T20:15:00.124Z' })).data).toHaveLength(1);
      expect((await page({ to: '2026-01-31T20:15:01Z' })).data).toHaveLength(ALL);
      const all = { actor: 'anna@example.com', from: '2026-01-31', to: '2026-02-01', action: 'user.linked' };
      const read = await page({ ...all, limit: '2' });
      expect([read.data.length, read.meta.next]).toEqual([2, expect.any(String)]);
    });

    const LONG = `actor=${'x'.repeat(321)}`;
    test.each(['action=dance', 'from=yesterday', 'limit=0', 'limit=101', 'after=x', 'who=me', LONG])(
      '?%s: 400',
      async (query) => {
        await scenario.api.get(`/restaurants/${restaurant.id}/audit?${query}`, restaurant.token).expect(400);
        await scenario.api.get(`/admin/audit?${query}`, admin.token).expect(400);
      },
    );
  });
});
