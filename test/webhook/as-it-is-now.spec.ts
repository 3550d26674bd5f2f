import { randomUUID } from 'node:crypto';
import { hash } from 'bcrypt';
import { LossyLine } from '../platform/database/lossy-line.js';
import { sale } from '../support/client.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

const TEST_STORE = 'TEST-STORE';
const CHEAP = 4;

/** The changes are made by SQL, as another instance makes them. */
describe('W28: each sale is placed by its sender and restaurant as they are now', () => {
  let scenario: Scenario;
  let line: LossyLine;
  let relay: TestRelay;

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses({ TERMINAL_TEST_STORE_CODE: TEST_STORE });
    line = new LossyLine();
    relay = await (await scenario.start({ DATABASE_URL: await line.listen(scenario.database) })).quiet();
  });
  afterAll(async () => {
    await relay.close();
    line.close();
    await scenario.close();
  });

  const query = (sql: string, ...values: unknown[]) => scenario.database.query(sql, values);
  const WAYS = ['static token', 'JWT', 'Basic', 'body'] as const;
  type Way = (typeof WAYS)[number];

  /** A user who owns one restaurant, and the ways in which they send. */
  async function owner(code: string | null = `S-${randomUUID()}`) {
    const person = await scenario.people.user();
    const id = await scenario.people.restaurant(code, [person, 'OWNER']);
    const token = await relay.login(person);
    const { email, password } = person;
    const send = (way: Way, fields: object = { storeCode: code }) => {
      const knock = relay.http.post('/webhooks/terminal');
      const body = { ...sale({ storeCode: undefined }), ...fields };
      if (way === 'body') return knock.send({ ...body, email, password });
      if (way === 'Basic') return knock.auth(email, password).send(body);
      return knock.auth(way === 'JWT' ? token : TERMINAL_TOKEN, { type: 'bearer' }).send(body);
    };
    return { person, id, code, send };
  }
  /** The fewest statements of three requests: one of them may also open a connection, which time decides. */
  async function fewestStatements(send: () => PromiseLike<unknown>): Promise<number> {
    const counts: number[] = [];
    for (let i = 0; i < 3; i++) {
      const before = line.statements;
      await send();
      counts.push(line.statements - before);
    }
    return Math.min(...counts);
  }
  const restaurantOf = async (jobId: string) =>
    (await query('SELECT restaurant_id AS id FROM outbox_jobs WHERE id = $1', jobId))[0]?.id;

  test.each(WAYS)('by %s: one statement, and for a user one read before it', async (way) => {
    // the connection prepares the statements, or finds that it cannot
    for (let i = 0; i < 2; i++) await (await owner()).send(way).expect(200);
    const { id, send } = await owner();
    // the time of the first sale is written after its answer (V13)
    await send(way).expect(200);
    const times =
      'SELECT coalesce(password_sale_at, token_sale_at) AS at FROM user_restaurants WHERE restaurant_id = $1';
    await until(async () => way === 'static token' || (await query(times, id))[0]?.at);
    const fewest = await fewestStatements(() => send(way).expect(200));
    expect(fewest).toBe(way === 'static token' ? 1 : 2);
  });

  test.each(['static token', 'JWT'] as const)('by %s: a refusal takes one more read', async (way) => {
    const { send } = await owner();
    for (let i = 0; i < 2; i++) await send(way, { storeCode: 'NOBODY' }).expect(400);
    const fewest = await fewestStatements(() => send(way, { storeCode: 'NOBODY' }).expect(400));
    expect(fewest).toBe(way === 'static token' ? 2 : 1);
  });

  test.each(['JWT', 'Basic', 'body'] as const)('by %s: after a change of the password: 401', async (way) => {
    const { person, send } = await owner();
    await send(way).expect(200);
    const changed = await hash('another password', CHEAP);
    await query(
      'UPDATE users SET password_hash = $1, token_version = token_version + 1 WHERE id = $2',
      changed,
      person.id,
    );
    await send(way).expect(401);
    // an invalid body too
    await send(way, { transactionKey: '' }).expect(401);
  });

  test.each(['JWT', 'Basic'] as const)('by %s: after the user is removed: 401, whatever the body', async (way) => {
    const { person, send } = await owner();
    await send(way).expect(200);
    await query('DELETE FROM users WHERE id = $1', person.id);
    await send(way, { transactionKey: '' }).expect(401);
    await send(way).expect(401);
  });

  test.each(['static token', 'JWT'] as const)(
    'by %s: a store code that was given to another restaurant leads there',
    async (way) => {
      const { person, id, code, send } = await owner();
      await send(way).expect(200);
      await query('UPDATE restaurants SET code_store_terminal = NULL WHERE id = $1', id);
      const heir = await scenario.people.restaurant(code, [person, 'OWNER']);
      const { body } = await send(way).expect(200);
      expect(await restaurantOf(body.jobId)).toBe(heir);
    },
  );

  test.each(['static token', 'JWT'] as const)('by %s: without an OWNER link nothing is stored', async (way) => {
    const { id, send } = await owner();
    await send(way).expect(200);
    await query('DELETE FROM user_restaurants WHERE restaurant_id = $1', id);
    const { body } = await send(way).expect(400);
    expect(body.code).toBe('NO_OWNER_LINK');
    const [count] = await query('SELECT count(*)::int AS jobs FROM outbox_jobs WHERE restaurant_id = $1', id);
    expect(count).toEqual({ jobs: 1 });
  });

  test('after the owner gets a second restaurant, a sale that names none is refused (W6)', async () => {
    const { person, send } = await owner();
    await send('JWT', {}).expect(200);
    await scenario.people.restaurant(null, [person, 'OWNER']);
    expect((await send('JWT', {}).expect(400)).body.code).toBe('UNKNOWN_STORE');
  });

  test('a refusal is never cached: a user who is linked afterwards is accepted', async () => {
    const { person, id, send } = await owner();
    await send('JWT').expect(200);
    await query('DELETE FROM user_restaurants WHERE restaurant_id = $1', id);
    await send('JWT').expect(400);
    await send('static token').expect(400);
    await scenario.people.link(person.id, id, 'OWNER', 'CREATED');
    await send('JWT').expect(200);
    await send('static token').expect(200);
  });

  test('a restaurant that gets the test store code as its code gets no sale of others by it (W10)', async () => {
    const { person, id, send } = await owner();
    const toTestStore = { storeCode: TEST_STORE, restaurantId: id };
    await send('static token', toTestStore).expect(200);
    const other = await scenario.people.restaurant(TEST_STORE, [person, 'OWNER']);
    expect(await restaurantOf((await send('static token', toTestStore).expect(200)).body.jobId)).toBe(id);
    expect((await send('static token', { storeCode: TEST_STORE }).expect(400)).body.code).toBe('UNKNOWN_STORE');
    await query('DELETE FROM user_restaurants WHERE restaurant_id = $1', other);
    await query('UPDATE restaurants SET code_store_terminal = NULL WHERE id = $1', other);
  });

  test('no warning after codeStorePos is set (W26)', async () => {
    const { id, send } = await owner();
    await query('UPDATE restaurants SET code_store_pos = NULL WHERE id = $1', id);
    for (const way of ['static token', 'JWT'] as const) {
      expect((await send(way).expect(200)).body.warnings).toHaveLength(1);
      await query(`UPDATE restaurants SET code_store_pos = 'P' WHERE id = $1`, id);
      expect((await send(way).expect(200)).body).not.toHaveProperty('warnings');
      await query('UPDATE restaurants SET code_store_pos = NULL WHERE id = $1', id);
    }
  });
});
