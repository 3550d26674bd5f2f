import { randomUUID } from 'node:crypto';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { People, Person } from '../user-links/people.js';

const TEST_STORE = 'TEST-STORE';

describe('placement: the restaurant of a sale (W6 to W11)', () => {
  const scenario = Scenario.ofSuite({ TERMINAL_TEST_STORE_CODE: TEST_STORE });
  let database: TestDatabase;
  let people: People;
  let relay: TestRelay;
  let rival: Person;
  let rivals: string;

  beforeAll(async () => {
    ({ database, people, relay } = scenario);
    rival = await people.user();
    rivals = await people.restaurant('RIVAL', [rival, 'OWNER']);
  });

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

  /** @returns the restaurant of the stored event and job */
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

  /** Nothing is stored. @returns the body of the 400 */
  async function refused(sent: Sent, code: string): Promise<{ message: string }> {
    const [{ before } = {}] = await database.query('SELECT count(*) AS before FROM terminal_events');
    const { body } = await sent;
    expect(body).toMatchObject({ statusCode: 400, code });
    expect(await database.query('SELECT count(*) AS before FROM terminal_events')).toEqual([{ before }]);
    return body;
  }

  interface Owned {
    readonly code: readonly string[];
    readonly id: readonly string[];
  }
  type Placed = readonly [
    name: string,
    /** the owner's restaurants: `+` with a codeStoreTerminal, `-` without one */
    owned: string,
    fields: (owned: Owned) => object,
    /** index of the restaurant; null: UNKNOWN_STORE */
    restaurant: number | null,
  ];

  const place = async ([, owned, fields, expected]: Placed) => {
    const code = [...owned].map((sign) => (sign === '+' ? uniqueCode() : null));
    const { person, owned: id } = await owner(...code);
    const sent = byUser(person, fields({ code: code.map(String), id }));
    if (expected === null) await refused(sent, 'UNKNOWN_STORE');
    else expect(await restaurantOf(sent)).toBe(id[expected]);
  };

  describe('for a user', () => {
    test.each<Placed>([
      ['the codeStoreTerminal that equals storeCode', '++', ({ code }) => ({ storeCode: code[1] }), 1],
      ['restaurantId', '+-', ({ id }) => ({ restaurantId: id[1] }), 1],
      ['restaurantId in capitals', '+-', ({ id }) => ({ storeCode: '', restaurantId: id[0]?.toUpperCase() }), 0],
      ['neither, one restaurant', '+', () => ({}), 0],
      ['neither, several restaurants', '++', () => ({}), null],
      ['both, agreeing', '++', ({ code, id }) => ({ storeCode: code[0], restaurantId: id[0] }), 0],
      ['both, not agreeing', '++', ({ code, id }) => ({ storeCode: code[0], restaurantId: id[1] }), null],
      ['both, one without a code', '+-', ({ code, id }) => ({ storeCode: code[0], restaurantId: id[1] }), null],
      ['a storeCode and an unknown id', '+', ({ code }) => ({ storeCode: code[0], restaurantId: randomUUID() }), null],
      ['an unknown storeCode and an id', '+', ({ id }) => ({ storeCode: uniqueCode(), restaurantId: id[0] }), null],
      ['an unknown storeCode', '+', () => ({ storeCode: uniqueCode() }), null],
      ['the storeCode of another owner', '+', () => ({ storeCode: 'RIVAL' }), null],
      ['the restaurantId of another owner', '++', () => ({ restaurantId: rivals }), null],
      ['both of another owner', '++', () => ({ storeCode: 'RIVAL', restaurantId: rivals }), null],
      ['two restaurants without a code', '--', () => ({ storeCode: uniqueCode() }), null],
      ['W10: the test store code, one restaurant', '+', () => ({ storeCode: TEST_STORE }), 0],
      ['W10: the test store code and an id', '++', ({ id }) => ({ storeCode: TEST_STORE, restaurantId: id[1] }), 1],
      ['W10: the test store code, several', '++', () => ({ storeCode: TEST_STORE }), null],
      ['W10: and the id of another owner', '++', () => ({ storeCode: TEST_STORE, restaurantId: rivals }), null],
      ['a test sale with a storeCode', '+', ({ code }) => ({ isTestTransaction: true, storeCode: code[0] }), 0],
      ['a test sale, unknown storeCode', '+', () => ({ isTestTransaction: true, storeCode: uniqueCode() }), null],
    ])('%s (restaurants owned: %s)', async (...row) => place(row));

    test('the only restaurant of an owner, while it has no codeStoreTerminal, takes any storeCode (W7)', async () => {
      const { person, owned } = await owner(null);
      for (const fields of [
        { storeCode: uniqueCode() },
        { storeCode: 'RIVAL' },
        { storeCode: 4711 },
        { storeCode: uniqueCode(), restaurantId: owned[0] },
      ])
        expect(await restaurantOf(byUser(person, fields))).toBe(owned[0]);
    });

    test('but not a sale that names another restaurant: UNKNOWN_STORE', async () => {
      const { person } = await owner(null);
      await refused(byUser(person, { storeCode: 'RIVAL', restaurantId: rivals }), 'UNKNOWN_STORE');
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
      const own = await people.restaurant(uniqueCode(), [person, 'OWNER']);
      expect(await restaurantOf(byUser(person, {}))).toBe(own);
      await refused(byUser(person, { restaurantId: linked }), 'UNKNOWN_STORE');
    });

    test('the platform role ADMIN is no OWNER link (A12)', async () => {
      const chief = await people.user('chief@example.com', 'ADMIN');
      await refused(byUser(chief, { storeCode: 'RIVAL' }), 'NO_OWNER_LINK');
    });

    describe('W11: own links come first', () => {
      /** The owner of these restaurants, whom a rival has linked as OWNER to a restaurant of the rival. */
      async function victim(...codes: (string | null)[]) {
        const { person, owned } = await owner(...codes);
        const code = uniqueCode();
        const foreign = await people.restaurant(code, [rival, 'OWNER']);
        await people.link(person.id, foreign, 'OWNER');
        return { person, owned, foreign, code };
      }

      test('a sale that names no restaurant is of the only own one (W6), in test mode too (W10)', async () => {
        const { person, owned } = await victim(uniqueCode());
        expect(await restaurantOf(byUser(person, {}))).toBe(owned[0]);
        expect(await restaurantOf(byUser(person, { storeCode: TEST_STORE }))).toBe(owned[0]);
      });

      test('a link made by others serves for its exact storeCode, restaurantId, or both', async () => {
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
    });

    describe('W9: the message names the field that did not match', () => {
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
        for (const send of [() => byUser(person, fields()), () => byTerminal(fields())])
          expect((await refused(send(), 'UNKNOWN_STORE')).message).toMatch(message);
      });

      test('a right storeCode and a right restaurantId of different restaurants', async () => {
        const codes = [uniqueCode(), uniqueCode()] as const;
        const { person, owned } = await owner(...codes);
        const fields = { storeCode: codes[0], restaurantId: owned[1] };
        for (const send of [() => byUser(person, fields), () => byTerminal(fields)])
          expect((await refused(send(), 'UNKNOWN_STORE')).message).toMatch(
            /^storeCode and restaurantId name different/,
          );
      });
    });

    test('W12: a number that lost digits matches no storeCode', async () => {
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

    test('a deleted restaurant has no owner', async () => {
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
    test('by storeCode, by restaurantId, or by both', async () => {
      for (const fields of [
        { storeCode: 'RIVAL' },
        { restaurantId: rivals },
        { storeCode: 'RIVAL', restaurantId: rivals },
      ])
        expect(await restaurantOf(byTerminal(fields))).toBe(rivals);
    });

    test.each<[string, () => object]>([
      ['both of them empty', () => ({ storeCode: '', restaurantId: '' })],
      ['the storeCode in another case', () => ({ storeCode: 'rival' })],
      ['a storeCode and an unknown restaurantId', () => ({ storeCode: 'RIVAL', restaurantId: randomUUID() })],
      ['an unknown storeCode and a restaurantId', () => ({ storeCode: 'NOBODY', restaurantId: rivals })],
    ])('%s: UNKNOWN_STORE', async (_, fields) => {
      await refused(byTerminal(fields()), 'UNKNOWN_STORE');
    });

    test('W10: the test store code and a restaurantId', async () => {
      expect(await restaurantOf(byTerminal({ storeCode: TEST_STORE, restaurantId: rivals }))).toBe(rivals);
    });

    test('a restaurant without a codeStoreTerminal: by restaurantId alone', async () => {
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
