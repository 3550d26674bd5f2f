import { randomUUID } from 'node:crypto';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import type { People, Person } from '../user-links/people.js';

const TEST_STORE = 'TEST-STORE';

describe('the restaurant an event belongs to', () => {
  let scenario: Scenario;
  let database: TestDatabase;
  let people: People;
  let relay: TestRelay;
  let rival: Person;
  let rivals: string;

  beforeAll(async () => {
    scenario = await Scenario.open({ TERMINAL_TEST_STORE_CODE: TEST_STORE });
    ({ database, people, relay } = scenario);
    rival = await people.user();
    rivals = await people.restaurant('RIVAL', [rival, 'OWNER']);
  });
  afterAll(() => scenario.close());

  const uniqueCode = () => `S-${randomUUID()}`;

  async function owner(...codes: (string | null)[]): Promise<{ person: Person; owned: string[] }> {
    const person = await people.user();
    const owned: string[] = [];
    for (const code of codes) owned.push(await people.restaurant(code, [person, 'OWNER']));
    return { person, owned };
  }

  const byUser = ({ email, password }: Person, fields: object) =>
    relay.http
      .post('/webhooks/terminal')
      .auth(email, password)
      .send({ ...sale({ storeCode: undefined }), ...fields });
  const byTerminal = (fields: object) => relay.post({ ...sale({ storeCode: undefined }), ...fields });
  type Sent = ReturnType<typeof byTerminal>;

  /** @returns the restaurant that event and job were stored for */
  async function restaurantOf(sent: Sent): Promise<string> {
    const { body } = await sent.expect(200);
    const [row] = await database.query<{ event: string; job: string }>(
      `SELECT event.restaurant_id AS event, job.restaurant_id AS job FROM outbox_jobs job
       JOIN terminal_events event ON event.transaction_key = job.event_key AND event.restaurant_id = job.restaurant_id WHERE job.id = $1`,
      [body.jobId],
    );
    expect(row?.job).toBe(row?.event);
    return String(row?.event);
  }

  async function refused(sent: Sent, code: string): Promise<void> {
    const [{ before } = {}] = await database.query('SELECT count(*) AS before FROM terminal_events');
    const { body } = await sent;
    expect(body).toMatchObject({ statusCode: 400, code });
    expect(await database.query('SELECT count(*) AS before FROM terminal_events')).toEqual([{ before }]);
  }

  describe('for a user', () => {
    test('among the restaurants owned, the one whose codeStoreTerminal equals storeCode', async () => {
      const codes = [uniqueCode(), uniqueCode()] as const;
      const { person, owned } = await owner(...codes);
      expect(await restaurantOf(byUser(person, { storeCode: codes[1] }))).toBe(owned[1]);
      expect(await restaurantOf(byUser(person, { storeCode: codes[0] }))).toBe(owned[0]);
    });

    test('without a storeCode, the one named by restaurantId', async () => {
      const { person, owned } = await owner(uniqueCode(), null);
      for (const id of owned) expect(await restaurantOf(byUser(person, { restaurantId: id }))).toBe(id);
      expect(await restaurantOf(byUser(person, { storeCode: '', restaurantId: owned[0]?.toUpperCase() }))).toBe(
        owned[0],
      );
    });

    test('without both, the only one owned', async () => {
      const { person, owned } = await owner(uniqueCode());
      expect(await restaurantOf(byUser(person, {}))).toBe(owned[0]);
    });

    test('without both and with several owned: UNKNOWN_STORE', async () => {
      const { person } = await owner(uniqueCode(), uniqueCode());
      await refused(byUser(person, {}), 'UNKNOWN_STORE');
    });

    test('storeCode and restaurantId that agree', async () => {
      const code = uniqueCode();
      const { person, owned } = await owner(code, uniqueCode());
      expect(await restaurantOf(byUser(person, { storeCode: code, restaurantId: owned[0] }))).toBe(owned[0]);
    });

    test('storeCode and restaurantId that point to different restaurants: UNKNOWN_STORE', async () => {
      const code = uniqueCode();
      const { person, owned } = await owner(code, uniqueCode(), null);
      for (const restaurantId of owned.slice(1))
        await refused(byUser(person, { storeCode: code, restaurantId }), 'UNKNOWN_STORE');
    });

    test.each<[string, () => object]>([
      ['an unknown storeCode', () => ({ storeCode: uniqueCode() })],
      ["somebody else's storeCode", () => ({ storeCode: 'RIVAL' })],
      ['an unknown restaurantId', () => ({ restaurantId: randomUUID() })],
      ["somebody else's restaurantId", () => ({ restaurantId: rivals })],
      ["somebody else's storeCode and restaurantId", () => ({ storeCode: 'RIVAL', restaurantId: rivals })],
    ])('%s: UNKNOWN_STORE, with one owned or several', async (_, fields) => {
      const one = await owner(uniqueCode());
      const two = await owner(uniqueCode(), uniqueCode());
      await refused(byUser(one.person, fields()), 'UNKNOWN_STORE');
      await refused(byUser(two.person, fields()), 'UNKNOWN_STORE');
    });

    test('a right storeCode beside an unknown restaurantId: UNKNOWN_STORE', async () => {
      const code = uniqueCode();
      const { person } = await owner(code);
      await refused(byUser(person, { storeCode: code, restaurantId: randomUUID() }), 'UNKNOWN_STORE');
    });

    test('an unknown storeCode beside a right restaurantId: UNKNOWN_STORE', async () => {
      const { person, owned } = await owner(uniqueCode());
      await refused(byUser(person, { storeCode: uniqueCode(), restaurantId: owned[0] }), 'UNKNOWN_STORE');
    });

    test("a newcomer's only restaurant, without a codeStoreTerminal, takes whatever storeCode comes", async () => {
      const { person, owned } = await owner(null);
      for (const fields of [
        { storeCode: uniqueCode() },
        { storeCode: 'RIVAL' },
        { storeCode: 4711 },
        { storeCode: uniqueCode(), restaurantId: owned[0] },
      ])
        expect(await restaurantOf(byUser(person, fields))).toBe(owned[0]);
    });

    test('a newcomer who names another restaurant: UNKNOWN_STORE', async () => {
      const { person } = await owner(null);
      await refused(byUser(person, { storeCode: 'RIVAL', restaurantId: rivals }), 'UNKNOWN_STORE');
    });

    test('two restaurants without a codeStoreTerminal are no newcomer: UNKNOWN_STORE', async () => {
      const { person } = await owner(null, null);
      await refused(byUser(person, { storeCode: uniqueCode() }), 'UNKNOWN_STORE');
    });

    test('the test store code needs no match: the only one owned serves, or restaurantId', async () => {
      const one = await owner(uniqueCode());
      expect(await restaurantOf(byUser(one.person, { storeCode: TEST_STORE }))).toBe(one.owned[0]);
      const two = await owner(uniqueCode(), uniqueCode());
      const named = { storeCode: TEST_STORE, restaurantId: two.owned[1] };
      expect(await restaurantOf(byUser(two.person, named))).toBe(two.owned[1]);
      await refused(byUser(two.person, { storeCode: TEST_STORE }), 'UNKNOWN_STORE');
      await refused(byUser(two.person, { storeCode: TEST_STORE, restaurantId: rivals }), 'UNKNOWN_STORE');
    });

    test('a test transaction with an ordinary storeCode needs its match', async () => {
      const code = uniqueCode();
      const { person, owned } = await owner(code);
      const test = { isTestTransaction: true };
      expect(await restaurantOf(byUser(person, { ...test, storeCode: code }))).toBe(owned[0]);
      await refused(byUser(person, { ...test, storeCode: uniqueCode() }), 'UNKNOWN_STORE');
    });

    test('a user who owns nothing: NO_OWNER_LINK, whatever is named', async () => {
      const { person } = await owner();
      for (const fields of [{}, { storeCode: 'RIVAL' }, { restaurantId: rivals }, { storeCode: TEST_STORE }])
        await refused(byUser(person, fields), 'NO_OWNER_LINK');
    });

    test.each(['ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER'] as const)('a link as %s is no OWNER link', async (role) => {
      const code = uniqueCode();
      const person = await people.user();
      const linked = await people.restaurant(code, [rival, 'OWNER'], [person, role]);
      await refused(byUser(person, { storeCode: code }), 'NO_OWNER_LINK');
      // beside a restaurant of one's own it does not count among the owned
      const own = await people.restaurant(uniqueCode(), [person, 'OWNER']);
      expect(await restaurantOf(byUser(person, {}))).toBe(own);
      await refused(byUser(person, { restaurantId: linked }), 'UNKNOWN_STORE');
    });

    test('a platform administrator owns nothing by that (A12)', async () => {
      const chief = await people.user('chief@example.com', 'ADMIN');
      await refused(byUser(chief, { storeCode: 'RIVAL' }), 'NO_OWNER_LINK');
    });

    describe('W11: own links first', () => {
      /** Somebody who owns these by links of their own, and was linked as OWNER to a rival's restaurant by the rival. */
      async function victim(...codes: (string | null)[]) {
        const { person, owned } = await owner(...codes);
        const code = uniqueCode();
        const foreign = await people.restaurant(code, [rival, 'OWNER']);
        await people.link(person.id, foreign, 'OWNER');
        return { person, owned, foreign, code };
      }

      test('the storeCode of a restaurant of others does not take the sale of a newcomer away (W7)', async () => {
        const { person, owned, code } = await victim(null);
        expect(await restaurantOf(byUser(person, { storeCode: code }))).toBe(owned[0]);
        expect(await restaurantOf(byUser(person, { storeCode: uniqueCode() }))).toBe(owned[0]);
      });

      test('without storeCode and restaurantId the only own one is still the only one (W6), in test mode too (W10)', async () => {
        const { person, owned } = await victim(uniqueCode());
        expect(await restaurantOf(byUser(person, {}))).toBe(owned[0]);
        expect(await restaurantOf(byUser(person, { storeCode: TEST_STORE }))).toBe(owned[0]);
      });

      test('the others serve for their exact storeCode, restaurantId, or both', async () => {
        const { person, owned, foreign, code } = await victim(uniqueCode());
        for (const fields of [
          { storeCode: code },
          { restaurantId: foreign },
          { storeCode: code, restaurantId: foreign },
          { storeCode: TEST_STORE, restaurantId: foreign },
        ])
          expect(await restaurantOf(byUser(person, fields))).toBe(foreign);
        await refused(byUser(person, { storeCode: code, restaurantId: owned[0] }), 'UNKNOWN_STORE');
        await refused(byUser(person, { storeCode: uniqueCode(), restaurantId: foreign }), 'UNKNOWN_STORE');
      });

      test('the others alone are not lenient: no only one, no missing code', async () => {
        const person = await people.user();
        const foreign = await people.restaurant(null, [rival, 'OWNER']);
        await people.link(person.id, foreign, 'OWNER');
        await refused(byUser(person, {}), 'UNKNOWN_STORE');
        await refused(byUser(person, { storeCode: uniqueCode() }), 'UNKNOWN_STORE');
        expect(await restaurantOf(byUser(person, { restaurantId: foreign }))).toBe(foreign);
      });

      test('own are those created over the API, handed over by a transfer, or of the account; not those of POST …/users', async () => {
        const creator = await scenario.person();
        const create = async () => {
          const { body } = await scenario.api.post('/restaurants', creator.token, { name: 'Mine' }).expect(201);
          return `/restaurants/${body.data.id}`;
        };
        const [first, second, third] = [await create(), await create(), await create()];
        const heir = await people.user();
        const user = { userId: heir.id, role: 'VIEWER' };
        await scenario.api.post(`${first}/users`, creator.token, user).expect(201);
        const transfer = { newOwnerId: heir.id };
        await scenario.api.post(`${first}/transfer-ownership`, creator.token, transfer).expect(200);
        await scenario.api.post(`${second}/users`, creator.token, { ...user, role: 'OWNER' }).expect(201);
        const hired = { email: `${randomUUID()}@example.com`, password: marked('of the account'), role: 'OWNER' };
        const made = await scenario.api.post(`${third}/users/create-and-link`, creator.token, hired).expect(201);
        await scenario.api.post(`${second}/users/create-and-link`, creator.token, hired).expect(200);
        const origins = (userId: string) =>
          database.query(
            `SELECT '/restaurants/' || restaurant_id AS of, origin::text FROM user_restaurants
             WHERE user_id = $1 ORDER BY created_at`,
            [userId],
          );
        expect(await origins(creator.id)).toEqual([first, second, third].map((of) => ({ of, origin: 'CREATED' })));
        expect(await origins(heir.id)).toEqual([
          { of: first, origin: 'TRANSFERRED' },
          { of: second, origin: 'ADDED' },
        ]);
        expect(await origins(made.body.data.userId)).toEqual([
          { of: third, origin: 'ACCOUNT' },
          { of: second, origin: 'ADDED' },
        ]);
      });
    });

    describe('W9: the message says which of the two did not match', () => {
      test.each<[string, () => object, RegExp]>([
        ['an unknown storeCode', () => ({ storeCode: 'NOBODY' }), /^storeCode: /],
        ['an unknown restaurantId', () => ({ restaurantId: randomUUID() }), /^restaurantId: names no restaurant/],
        ['a restaurantId that is words', () => ({ restaurantId: 'abc' }), /^restaurantId: must be a UUID$/],
        ['a restaurantId that is a number', () => ({ restaurantId: 5 }), /^restaurantId: must be a UUID$/],
        ['a restaurantId that is an object', () => ({ restaurantId: {} }), /^restaurantId: must be a UUID$/],
        ['both unknown', () => ({ storeCode: 'NOBODY', restaurantId: 'abc' }), /^restaurantId: .*; storeCode: /],
        ['neither sent', () => ({}), /^storeCode or restaurantId is required$/],
        ['the test store code alone', () => ({ storeCode: TEST_STORE }), /^restaurantId: is required with the test/],
      ])('%s', async (_, fields, message) => {
        const { person } = await owner(uniqueCode(), uniqueCode());
        for (const sent of [byUser(person, fields()), byTerminal(fields())]) {
          const { body } = await sent.expect(400);
          expect(body).toMatchObject({ code: 'UNKNOWN_STORE', message: expect.stringMatching(message) });
        }
      });

      test('a right storeCode and a right restaurantId of different restaurants', async () => {
        const codes = [uniqueCode(), uniqueCode()] as const;
        const { person, owned } = await owner(...codes);
        const fields = { storeCode: codes[0], restaurantId: owned[1] };
        for (const sent of [byUser(person, fields), byTerminal(fields)])
          expect((await sent.expect(400)).body.message).toBe('storeCode and restaurantId name different restaurants');
      });
    });

    test('W12: a storeCode that lost its digits on the way matches no other restaurant', async () => {
      const { owned } = await owner('9007199254740992');
      const body = JSON.stringify(sale({ storeCode: 'HERE' })).replace('"HERE"', '9007199254740993');
      const post = (text: string) =>
        relay.http
          .post('/webhooks/terminal')
          .set('Content-Type', 'application/json')
          .auth(TERMINAL_TOKEN, { type: 'bearer' })
          .send(text);
      expect((await post(body).expect(400)).body.message).toEqual([expect.stringMatching(/^storeCode: .*2\^53/)]);
      expect(await restaurantOf(post(body.replace('9007199254740993', '"9007199254740992"')))).toBe(owned[0]);
    });

    test('a deleted restaurant is nobody’s', async () => {
      const codes = [uniqueCode(), uniqueCode()] as const;
      const { person, owned } = await owner(...codes);
      await people.deleteRestaurant(String(owned[0]));
      await refused(byUser(person, { storeCode: codes[0] }), 'UNKNOWN_STORE');
      await refused(byUser(person, { restaurantId: owned[0] }), 'UNKNOWN_STORE');
      expect(await restaurantOf(byUser(person, {}))).toBe(owned[1]);
      await people.deleteRestaurant(String(owned[1]));
      await refused(byUser(person, {}), 'NO_OWNER_LINK');
    });
  });

  describe('for the terminal platform (W8)', () => {
    test('the one whose codeStoreTerminal equals storeCode, or that restaurantId names, or both', async () => {
      for (const fields of [
        { storeCode: 'RIVAL' },
        { restaurantId: rivals },
        { storeCode: 'RIVAL', restaurantId: rivals },
      ])
        expect(await restaurantOf(byTerminal(fields))).toBe(rivals);
    });

    test.each<[string, () => object]>([
      ['neither storeCode nor restaurantId', () => ({})],
      ['both of them empty', () => ({ storeCode: '', restaurantId: '' })],
      ['an unknown storeCode', () => ({ storeCode: 'NOBODY' })],
      ['the storeCode in another case', () => ({ storeCode: 'rival' })],
      ['an unknown restaurantId', () => ({ restaurantId: randomUUID() })],
      ['a right storeCode beside an unknown restaurantId', () => ({ storeCode: 'RIVAL', restaurantId: randomUUID() })],
      ['an unknown storeCode beside a right restaurantId', () => ({ storeCode: 'NOBODY', restaurantId: rivals })],
      ['the test store code alone', () => ({ storeCode: TEST_STORE })],
    ])('%s: UNKNOWN_STORE', async (_, fields) => {
      await refused(byTerminal(fields()), 'UNKNOWN_STORE');
    });

    test('storeCode and restaurantId that point to different restaurants: UNKNOWN_STORE', async () => {
      const { owned } = await owner(uniqueCode());
      await refused(byTerminal({ storeCode: 'RIVAL', restaurantId: owned[0] }), 'UNKNOWN_STORE');
    });

    test('the test store code needs no match: restaurantId serves', async () => {
      expect(await restaurantOf(byTerminal({ storeCode: TEST_STORE, restaurantId: rivals }))).toBe(rivals);
    });

    test('a restaurant without a codeStoreTerminal is reached by restaurantId alone', async () => {
      const { owned } = await owner(null);
      expect(await restaurantOf(byTerminal({ restaurantId: owned[0] }))).toBe(owned[0]);
      await refused(byTerminal({ restaurantId: owned[0], storeCode: uniqueCode() }), 'UNKNOWN_STORE');
    });

    test('a restaurant without an OWNER: NO_OWNER_LINK', async () => {
      const code = uniqueCode();
      const staff = await people.user();
      const restaurantId = await people.restaurant(code, [staff, 'ADMIN']);
      await refused(byTerminal({ storeCode: code }), 'NO_OWNER_LINK');
      await refused(byTerminal({ restaurantId }), 'NO_OWNER_LINK');
      await people.link(rival.id, restaurantId, 'OWNER');
      expect(await restaurantOf(byTerminal({ storeCode: code }))).toBe(restaurantId);
    });

    test('a deleted restaurant is unknown, and its code serves its successor', async () => {
      const code = uniqueCode();
      const { person, owned } = await owner(code);
      await people.deleteRestaurant(String(owned[0]));
      await refused(byTerminal({ storeCode: code }), 'UNKNOWN_STORE');
      await refused(byTerminal({ restaurantId: owned[0] }), 'UNKNOWN_STORE');
      const successor = await people.restaurant(code, [person, 'OWNER']);
      expect(await restaurantOf(byTerminal({ storeCode: code }))).toBe(successor);
    });
  });
});
