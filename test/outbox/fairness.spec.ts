import { randomUUID } from 'node:crypto';
import { JobStore } from '../../src/outbox/job-store.js';
import { Worker } from '../../src/outbox/worker.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { PASSWORD } from '../user-links/people.js';
import type { Jobs } from './jobs.js';

const BATCH = 8;
/** Orders that wait for a dead POS. */
const BACKLOG = 1_000;
/** No tick of the schedule during a test. */
const NEVER = '3600000';

describe('a dead POS never starves the other restaurants (O11)', () => {
  const scenario = Scenario.ofSuite({ OUTBOX_BATCH_SIZE: String(BATCH), POS_TIMEOUT_MS: '20000' });
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;
  let eager: TestRelay;
  let dead: string;

  beforeAll(async () => {
    ({ database, jobs, pos, relay } = scenario);
    eager = await scenario.start({ WORKER_ENABLED: 'true', OUTBOX_PACE: 'eager', OUTBOX_TICK_MS: NEVER });
  });
  beforeEach(async () => {
    dead = (await scenario.restaurant('STORE-DEAD')).id;
    for (const code of ['STORE-A', 'STORE-B', 'STORE-C']) await scenario.restaurant(code);
  });
  afterEach(async () => {
    pos.release();
    await scenario.empty();
    await jobs.until(async () => eager.get(Worker).unsettled === 0);
  });

  const sell = (storeCode: string, to = relay) => to.accept(sale({ storeCode }));

  /** Orders of the dead store, due before all others. */
  async function leaveBacklog(): Promise<void> {
    const template = await sell('STORE-DEAD');
    await database.query(
      `WITH copy AS (
         INSERT INTO terminal_events SELECT (jsonb_populate_record(event, jsonb_build_object(
           'transaction_key', event.transaction_key || '-' || n, 'source_key', event.transaction_key || '-' || n))).*
         FROM terminal_events event, generate_series(2, ${BACKLOG}) AS n
         WHERE event.transaction_key = (SELECT event_key FROM outbox_jobs WHERE id = $1)
         RETURNING transaction_key, restaurant_id)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, next_run_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, now() - interval '1 minute' FROM copy`,
      [template],
    );
    await jobs.makeDue(template);
  }

  const processing = async (restaurantId: string) =>
    (
      await database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM outbox_jobs WHERE restaurant_id = $1 AND status = 'PROCESSING'`,
        [restaurantId],
      )
    )[0]?.count;

  test('tick: a batch takes turns between restaurants, in any order of due times', async () => {
    await leaveBacklog();
    const others = [await sell('STORE-A'), await sell('STORE-B'), await sell('STORE-B'), await sell('STORE-C')];
    pos.behave({ mode: 'gate', register: 'before' });
    const ticking = relay.tick();
    await pos.when(() => pos.waiting === BATCH);
    for (const id of others) expect((await jobs.get(id)).status).toBe('PROCESSING');
    expect(await processing(dead)).toBe(BATCH - others.length);
    pos.release();
    await ticking;
  });

  test('tick: one restaurant gets the whole batch while no other has due jobs', async () => {
    await leaveBacklog();
    await relay.tick();
    expect(await jobs.countByStatus()).toEqual({ SENT: BATCH, PENDING: BACKLOG - BATCH });
  });

  test('tick: the restaurants of one account, and of accounts that it created, take turns as one (O44)', async () => {
    const { api } = relay;
    const found = async ({ token }: Caller, code: string) =>
      (await api.post('/restaurants', token, { name: code, codeStoreTerminal: code, codeStorePos: 'P' }).expect(201))
        .body.data.id;
    const chain = await scenario.person();
    const ids = [await found(chain, 'CHAIN-0')];
    const person = { email: `${randomUUID()}@example.com`, password: PASSWORD };
    const link = { ...person, role: 'OWNER' };
    await api.post(`/restaurants/${ids[0]}/users/create-and-link`, chain.token, link).expect(201);
    const second = await scenario.signIn({ id: '', ...person });
    for (let n = 1; n < 2 * BATCH; n++) ids.push(await found(n % 2 ? chain : second, `CHAIN-${n}`));
    for (let n = 0; n < 2 * BATCH; n++) await sell(`CHAIN-${n}`);
    const others = [await sell('STORE-A'), await sell('STORE-A'), await sell('STORE-B')];
    await relay.tick();
    for (const id of others) expect((await jobs.get(id)).status).toBe('SENT');
    // within the account, its restaurants take turns
    const sent = await database.query(
      `SELECT restaurant_id FROM outbox_jobs WHERE status = 'SENT' AND restaurant_id = ANY ($1::uuid[])`,
      [ids],
    );
    expect(new Set(sent.map((row) => Object.values(row)[0])).size).toBe(BATCH - others.length);
  });

  test('eager: a claim knows the calls under way of each account, also of a restaurant without further orders (O44)', async () => {
    const chain = await scenario.person();
    const fields = { name: 'CHAIN', codeStoreTerminal: 'CHAIN', codeStorePos: 'P' };
    await relay.api.post('/restaurants', chain.token, fields).expect(201);
    pos.behave({ mode: 'gate', register: 'before' });
    for (let n = 0; n < 3; n++) await sell('CHAIN');
    await eager.tick();
    await pos.when(() => pos.waiting === 3);
    const claims = jest.spyOn(eager.get(JobStore), 'claimDue');
    await eager.tick();
    expect(claims.mock.calls[0]?.[0].inHandOf).toEqual(new Map([[chain.id, 3]]));
    claims.mockRestore();
  });

  test('an administrator founds restaurants that count each for itself (O44)', async () => {
    const admin = await scenario.person('ADMIN');
    for (const code of ['OWN-1', 'OWN-2'])
      await relay.api
        .post('/restaurants', admin.token, { name: code, codeStoreTerminal: code, codeStorePos: 'P' })
        .expect(201);
    expect(await database.query('SELECT DISTINCT founded_by FROM restaurants')).toEqual([{ founded_by: null }]);
  });

  test('eager: a restaurant whose calls hang is limited to its cap, and the others are delivered', async () => {
    const share = (BATCH * 3) / 4;
    pos.behave({ mode: 'gate', register: 'before', times: share });
    await leaveBacklog();
    await eager.tick();
    await pos.when(() => pos.waiting === share);
    for (let i = 0; i < 10; i++) for (const code of ['STORE-A', 'STORE-B', 'STORE-C']) await sell(code, eager);
    await jobs.until(async () => (await jobs.countByStatus()).SENT === 30);
    expect(pos.waiting).toBe(share);
    expect(await processing(dead)).toBe(share);
  });

  test('eager: a restaurant whose POS takes its orders is claimed ahead of its cap; when its calls hang, others are sent at once', async () => {
    const share = (BATCH * 3) / 4;
    await leaveBacklog();
    await database.query(`UPDATE restaurants SET code_store_pos = '9999' WHERE id = $1`, [dead]);
    const hangs = pos
      .when(() => pos.orders.size >= 100)
      .then(() => pos.behave({ mode: 'gate', register: 'before', stores: ['9999'] }));
    await eager.tick();
    await hangs;
    await pos.when(() => pos.waiting === share);
    expect(await processing(dead)).toBeGreaterThan(share);
    for (const code of ['STORE-A', 'STORE-B', 'STORE-C']) {
      const id = await sell(code, eager);
      await jobs.until(async () => (await jobs.get(id)).status === 'SENT');
    }
    expect(pos.waiting).toBe(share);
    // what was claimed ahead is released, so that another instance may send it
    await jobs.until(async () => (await processing(dead)) === share);
  });

  test('eager: free slots are refilled without a tick until nothing is due', async () => {
    await leaveBacklog();
    await eager.tick();
    await jobs.until(async () => ((await jobs.countByStatus()).SENT ?? 0) >= 5 * BATCH);
  });
});
