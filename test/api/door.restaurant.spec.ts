import { randomUUID } from 'node:crypto';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { TestRelay } from '../support/relay.js';
import { sale } from '../support/sale.js';
import { People, type Person } from './people.js';

const TEST_STORE = 'TEST-STORE';

describe('the restaurant an event belongs to', () => {
  let database: TestDatabase;
  let people: People;
  let relay: TestRelay;
  let rival: Person;
  let rivals: string;

  beforeAll(async () => {
    database = await openDatabase();
    people = new People(database);
    relay = await TestRelay.start(database, { TERMINAL_TEST_STORE_CODE: TEST_STORE });
    rival = await people.user();
    rivals = await people.restaurant('RIVAL', [rival, 'OWNER']);
  });
  afterAll(async () => {
    await relay.close();
    await database.close();
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

  /** @returns the restaurant that event and job were stored for */
  async function restaurantOf(sent: Sent): Promise<string> {
    const { body } = await sent.expect(200);
    const [row] = await database.query<{ event: string; job: string }>(
      `SELECT event.restaurant_id AS event, job.restaurant_id AS job FROM outbox_jobs job
       JOIN terminal_events event ON event.transaction_key = job.event_key WHERE job.id = $1`,
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

    test('a platform administrator owns nothing by that', async () => {
      const chief = await people.user('chief@example.com', 'ADMIN');
      await refused(byUser(chief, { storeCode: 'RIVAL' }), 'NO_OWNER_LINK');
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

  describe('for the terminal platform', () => {
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
