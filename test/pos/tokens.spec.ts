import { PosTokens } from '../../src/pos/tokens.js';
import { PosSimulator } from '../../tools/simulator/simulator.js';
import type { Jobs } from '../outbox/jobs.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { OWN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

describe('POS tokens: one for each address and credentials, shared by all instances (T4)', () => {
  // each sign-in ends the previous token
  const scenario = Scenario.ofSuite({}, { pos: { singleSession: true, tokenTtlSeconds: 1e15 } });
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let first: TestRelay;
  let second: TestRelay;

  beforeAll(async () => {
    ({ database, jobs, pos, relay: first } = scenario);
    second = await scenario.start();
  });
  beforeEach(async () => {
    await scenario.empty();
    await forget();
    Object.assign(pos, { authCalls: 0, orderCalls: 0 });
    await scenario.restaurant('STORE-1');
  });

  /** The instances drop the tokens whose rows were deleted. */
  const forget = async () => {
    for (const relay of [first, second]) await relay.app.get(PosTokens).forgetReplaced();
  };

  async function acceptMany(count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) ids.push(await first.accept(sale()));
    return ids;
  }

  const statuses = async (ids: string[]) =>
    new Set(await Promise.all(ids.map(async (id) => (await jobs.get(id)).status)));

  test('a token that the POS grants for longer expires after 30 days (T3, L14)', async () => {
    const [id] = await acceptMany(1);
    await first.tick();
    expect(await jobs.get(id as string)).toMatchObject({ status: 'SENT', last_error: null });
    const [row] = await database.query<{ days: number }>(
      'SELECT extract(epoch FROM expires_at - now())::float8 / 86400 AS days FROM pos_tokens',
    );
    expect(row?.days).toBeGreaterThan(29.9);
    expect(row?.days).toBeLessThanOrEqual(30);
  });

  test('bursts on several instances that need a token make one sign-in (T4)', async () => {
    const ids = await acceptMany(40);
    pos.behave({ mode: 'slow', delayMs: 200, paths: ['/auth'] });
    await Promise.all([first.tick(), second.tick()]);
    expect(pos.authCalls).toBe(1);
    expect(await statuses(ids)).toEqual(new Set(['SENT']));
  });

  test('a token that the POS refuses is replaced once, for all instances', async () => {
    await acceptMany(2);
    await first.tick();
    await acceptMany(1);
    await second.tick();
    expect(pos.authCalls).toBe(1);
    pos.revokeTokens();
    const ids = await acceptMany(40);
    await Promise.all([first.tick(), second.tick()]);
    expect(pos.authCalls).toBe(2);
    expect(await statuses(ids)).toEqual(new Set(['SENT']));
  });

  test('an instance whose token is refused uses the one that another instance got meanwhile', async () => {
    await acceptMany(1);
    await first.tick();
    await acceptMany(1);
    await second.tick();
    pos.revokeTokens();
    await acceptMany(1);
    await first.tick();
    await acceptMany(1);
    await second.tick();
    expect(pos.authCalls).toBe(2);
    expect(await jobs.countByStatus()).toEqual({ SENT: 4 });
  });

  test('wrong credentials: one sign-in for a burst over two instances, FAILED, SENT once they are corrected', async () => {
    const ids = await acceptMany(30);
    pos.behave({ mode: 'status', status: 401, errorCode: 901, message: 'bad credentials', paths: ['/auth'] });
    await Promise.all([first.tick(), second.tick()]);
    expect(pos.authCalls).toBeLessThanOrEqual(2);
    expect(await statuses(ids)).toEqual(new Set(['FAILED']));
    const id = ids[0] as string;
    expect((await jobs.get(id)).last_error).toBe('POS sign-in failed: HTTP 401, POS error 901: bad credentials');
    expect(await jobs.attempts(id)).toMatchObject([{ outcome: 'FAILED', reach: 'NOT_SENT', http_status: 401 }]);
    pos.behave({ mode: 'ok' });
    await jobs.makeDue(id);
    await first.tick();
    expect((await jobs.get(id)).status).toBe('SENT');
  });

  test('an expired token is replaced before it is sent (T3)', async () => {
    await acceptMany(1);
    await first.tick();
    await database.query(`UPDATE pos_tokens SET expires_at = now() - interval '1 second'`);
    await acceptMany(1);
    await second.tick();
    expect(pos.authCalls).toBe(2);
    expect(pos.orderCalls).toBe(2);
  });

  test.each<[what: string, end: () => unknown]>([
    ['has expired', () => database.query(`UPDATE pos_tokens SET expires_at = now() - interval '1 second'`)],
    ['was refused', () => pos.revokeTokens()],
    [
      'was refused and is no longer stored',
      async () => {
        pos.revokeTokens();
        await database.query('UPDATE pos_tokens SET token = NULL');
      },
    ],
  ])('a sign-in whose answer has the token before it, which %s, does not show it (D18)', async (what, end) => {
    await acceptMany(1);
    await first.tick();
    const authorization = pos.requests.at(-1)?.headers.authorization as string;
    await end();
    const [id = ''] = await acceptMany(1);
    pos.behave({ mode: 'status', status: 500, message: `${authorization} is still open`, paths: ['/auth'] });
    // an instance that has the token calls with it first
    await (what === 'has expired' ? second : first).tick();
    expect((await jobs.get(id)).last_error).toBe(
      'POS sign-in failed: HTTP 500, POS error 500: Bearer [secret] is still open',
    );
    const stored = await database.query<{ failure: string }>('SELECT failure::text FROM pos_tokens');
    expect(JSON.stringify(stored)).not.toContain(authorization.slice('Bearer '.length));
    pos.behave({ mode: 'ok' });
  });

  describe('an operator deletes the rows of pos_tokens (T6)', () => {
    /** Each instance delivers one order. */
    const deliver = async () => {
      for (const relay of [first, second]) {
        await acceptMany(1);
        await relay.tick();
      }
    };

    test('running instances drop their tokens, and share one new sign-in', async () => {
      await deliver();
      await database.query('DELETE FROM pos_tokens');
      await forget();
      await deliver();
      expect([pos.authCalls, pos.orderCalls]).toEqual([2, 4]);
    });

    test('an instance drops a token that another instance has replaced', async () => {
      await deliver();
      await database.query('DELETE FROM pos_tokens');
      await first.app.get(PosTokens).forgetReplaced();
      await acceptMany(1);
      await first.tick();
      await second.app.get(PosTokens).forgetReplaced();
      await acceptMany(1);
      await second.tick();
      expect([pos.authCalls, pos.orderCalls]).toEqual([2, 4]);
    });

    test('a stored token stays cached; all stay while the table cannot be read', async () => {
      await deliver();
      await forget();
      await database.query('ALTER TABLE pos_tokens RENAME TO pos_tokens_away');
      await forget().catch(() => {});
      await database.query('ALTER TABLE pos_tokens_away RENAME TO pos_tokens');
      await deliver();
      expect([pos.authCalls, pos.orderCalls]).toEqual([1, 4]);
    });
  });
});

describe('the address and credentials of an order', () => {
  let scenario: Scenario;
  let jobs: Jobs;
  let production: PosSimulator;
  let homologation: PosSimulator;
  let relay: TestRelay;

  beforeAll(async () => {
    homologation = new PosSimulator({ partners: { tester: marked('test-only') } });
    scenario = await Scenario.open({
      POS_TEST_BASE_URL: await homologation.listen(),
      POS_TEST_PARTNER_ID: 'tester',
      POS_TEST_SECRET: marked('test-only'),
      POS_PARTNER_ID: '',
      POS_SECRET: '',
    });
    ({ jobs, relay, pos: production } = scenario);
    await relay.createRestaurant(OWN);
    await relay.createRestaurant({ name: 'No credentials', codeStoreTerminal: 'STORE-2', codeStorePos: '2' });
    await relay.createRestaurant({ name: 'No store', codeStoreTerminal: 'STORE-3', codeStorePos: undefined });
  });
  afterAll(async () => {
    await scenario.close();
    await homologation.close();
  });

  async function deliver(changes: Record<string, unknown>) {
    const id = await relay.accept(sale(changes));
    await relay.tick();
    return jobs.get(id);
  }

  test("an order goes to production with the restaurant's own credentials (P4, D3)", async () => {
    const job = await deliver({});
    expect(job.status).toBe('SENT');
    expect(production.orders.get(job.event_key)?.order).toMatchObject({ order_id: job.event_key, cod_store: '1001' });
  });

  test('a test transaction goes to the test deployment with its credentials, its order_id with the suffix (D2, D3)', async () => {
    const job = await deliver({ isTestTransaction: true, transactionKey: 'TEST-1' });
    expect(job.status).toBe('SENT');
    expect(job.event_key).toMatch(/^TEST-1-\d{13}$/);
    expect([...homologation.orders.keys()]).toEqual([job.event_key]);
  });

  test('no credentials anywhere: FAILED with backoff, and no call (D15)', async () => {
    const job = await deliver({ storeCode: 'STORE-2' });
    expect(job).toMatchObject({ status: 'FAILED', last_error: expect.stringContaining('no POS credentials') });
  });

  test('a restaurant without codeStorePos: FAILED with backoff (M13)', async () => {
    const job = await deliver({ storeCode: 'STORE-3' });
    expect(job).toMatchObject({ status: 'FAILED', last_error: 'restaurant has no codeStorePos' });
  });
});
