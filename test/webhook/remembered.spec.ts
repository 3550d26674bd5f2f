import { randomUUID } from 'node:crypto';
import { hash } from 'bcrypt';
import pg from 'pg';
import { LossyLine } from '../database/lossy-line.js';
import { sale } from '../support/client.js';
import { NEEDS_SERVER, whereServer } from '../support/database.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';

const TEST_STORE = 'TEST-STORE';
const CHEAP = 4;

/** Changes are made by SQL: to this instance they are another instance's. */
describe('W28: what was remembered of a sender or a restaurant is never believed', () => {
  let scenario: Scenario;
  let line: LossyLine;
  let relay: TestRelay;

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses({ TERMINAL_TEST_STORE_CODE: TEST_STORE });
    line = new LossyLine();
    relay = await scenario.start({ DATABASE_URL: await line.listen(scenario.database) });
  });
  afterAll(async () => {
    await relay.close();
    line.close();
    await scenario.close();
  });

  const query = (sql: string, ...values: unknown[]) => scenario.database.query(sql, values);
  const WAYS = ['static token', 'JWT', 'Basic', 'body'] as const;
  type Way = (typeof WAYS)[number];

  /** Somebody who owns one restaurant, and how they send. */
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
  const restaurantOf = async (jobId: string) =>
    (await query('SELECT restaurant_id AS id FROM outbox_jobs WHERE id = $1', jobId))[0]?.id;

  test.each(WAYS)('by %s: a sale of a sender who is remembered takes one statement', async (way) => {
    const { send } = await owner();
    await send(way).expect(200);
    for (let i = 0; i < 3; i++) {
      const before = line.statements;
      await send(way).expect(200);
      expect(line.statements - before).toBe(1);
    }
  });

  test.each(['JWT', 'Basic', 'body'] as const)('by %s: the first sale of a user takes two statements', async (way) => {
    const { send } = await owner();
    const before = line.statements;
    await send(way).expect(200);
    expect(line.statements - before).toBe(2);
  });

  test.each(['JWT', 'Basic', 'body'] as const)('by %s: a password that has changed is a 401', async (way) => {
    const { person, send } = await owner();
    await send(way).expect(200);
    const changed = await hash('another password', CHEAP);
    await query(
      'UPDATE users SET password_hash = $1, token_version = token_version + 1 WHERE id = $2',
      changed,
      person.id,
    );
    await send(way).expect(401);
    // also when nothing of it would be stored
    await send(way, { transactionKey: '' }).expect(401);
  });

  test.each(['JWT', 'Basic'] as const)('by %s: a user who was removed is a 401, whatever the body', async (way) => {
    const { person, send } = await owner();
    await send(way).expect(200);
    await query('DELETE FROM users WHERE id = $1', person.id);
    await send(way, { transactionKey: '' }).expect(401);
    await send(way).expect(401);
  });

  test.each(['static token', 'JWT'] as const)('by %s: a code that moved leads to its new restaurant', async (way) => {
    const { person, id, code, send } = await owner();
    await send(way).expect(200);
    await query('UPDATE restaurants SET code_store_terminal = NULL WHERE id = $1', id);
    const heir = await scenario.people.restaurant(code, [person, 'OWNER']);
    const { body } = await send(way).expect(200);
    expect(await restaurantOf(body.jobId)).toBe(heir);
  });

  test.each(['static token', 'JWT'] as const)('by %s: without an OWNER link nothing is stored', async (way) => {
    const { id, send } = await owner();
    await send(way).expect(200);
    await query('DELETE FROM user_restaurants WHERE restaurant_id = $1', id);
    const { body } = await send(way).expect(400);
    expect(body.code).toBe('NO_OWNER_LINK');
    const [count] = await query('SELECT count(*)::int AS jobs FROM outbox_jobs WHERE restaurant_id = $1', id);
    expect(count).toEqual({ jobs: 1 });
  });

  test('the only restaurant is no longer the only one: a sale that names none is refused (W6)', async () => {
    const { person, send } = await owner();
    await send('JWT', {}).expect(200);
    await scenario.people.restaurant(null, [person, 'OWNER']);
    expect((await send('JWT', {}).expect(400)).body.code).toBe('UNKNOWN_STORE');
  });

  test('a refusal is never remembered: who was linked meanwhile is let in', async () => {
    const { person, id, send } = await owner();
    await send('JWT').expect(200);
    await query('DELETE FROM user_restaurants WHERE restaurant_id = $1', id);
    await send('JWT').expect(400);
    await send('static token').expect(400);
    await scenario.people.link(person.id, id, 'OWNER', 'CREATED');
    await send('JWT').expect(200);
    await send('static token').expect(200);
  });

  test('the test store code, once it is the code of a restaurant, leads there (W10)', async () => {
    const { person, id, send } = await owner();
    const toTestStore = { storeCode: TEST_STORE, restaurantId: id };
    await send('static token', toTestStore).expect(200);
    const other = await scenario.people.restaurant(TEST_STORE, [person, 'OWNER']);
    expect((await send('static token', toTestStore).expect(400)).body.code).toBe('UNKNOWN_STORE');
    await query('DELETE FROM user_restaurants WHERE restaurant_id = $1', other);
    await query('UPDATE restaurants SET code_store_terminal = NULL WHERE id = $1', other);
  });

  test('a codeStorePos that was set meanwhile is not warned of (W26)', async () => {
    const { id, send } = await owner();
    await query('UPDATE restaurants SET code_store_pos = NULL WHERE id = $1', id);
    for (const way of ['static token', 'JWT'] as const) {
      expect((await send(way).expect(200)).body.warnings).toHaveLength(1);
      await query(`UPDATE restaurants SET code_store_pos = 'P' WHERE id = $1`, id);
      expect((await send(way).expect(200)).body).not.toHaveProperty('warnings');
      await query('UPDATE restaurants SET code_store_pos = NULL WHERE id = $1', id);
    }
  });

  whereServer(`a restaurant that somebody holds keeps no other sale waiting${NEEDS_SERVER}`, async () => {
    const [held, other] = [await owner(), await owner()];
    for (const { send } of [held, other]) await send('static token').expect(200);
    const holder = new pg.Client({ connectionString: scenario.database.url });
    await holder.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT 1 FROM restaurants WHERE id = $1 FOR UPDATE', [held.id]);
      let waits = true;
      const waiting = Array.from({ length: 8 }, () => held.send('static token').then(({ status }) => status));
      Promise.all(waiting).finally(() => {
        waits = false;
      });
      for (let i = 0; i < 20; i++) await other.send('static token').expect(200);
      expect(waits).toBe(true);
      await holder.query('COMMIT');
      // two wait for it, the others do not (W31)
      expect((await Promise.all(waiting)).toSorted()).toEqual([200, 200, ...Array(6).fill(503)]);
    } finally {
      await holder.end();
    }
  });
});
