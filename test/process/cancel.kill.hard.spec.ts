import type { Behaviour } from '../../tools/simulator/behaviour.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import type { Jobs } from '../outbox/jobs.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { EAGER, OWN, SHORT_LEASE } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import type { RelayProcess } from './relay-process.js';

/** The POS holds the calls until the process is killed: neither lease nor timeout ends before. */
const LONG_LEASE = { PROCESSING_TTL_MS: '120000', POS_TIMEOUT_MS: '30000' };

/** The crashes of journey/cancelled-is-not-sent.spec.ts as kill -9 of a process; a relay in this process continues. */
describe('CANCEL under kill -9', () => {
  let scenario: Scenario;
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: RelayProcess;
  let token: string;
  /** store code -> restaurant */
  const restaurants = new Map<string, string>();

  beforeEach(async () => {
    scenario = await Scenario.ofProcesses(EAGER);
    ({ database, jobs, pos } = scenario);
    relay = await scenario.startProcess(LONG_LEASE);
    token = await relay.login();
    for (const [name, credentials] of [
      ['STORE-1', {}],
      ['STORE-2', OWN],
    ] as const)
      restaurants.set(name, await relay.createRestaurant({ name, codeStoreTerminal: name, ...credentials }));
  });
  afterEach(() => scenario.close());

  /** @returns the order's key */
  async function sell(storeCode = 'STORE-1'): Promise<string> {
    const body = sale({ storeCode });
    await relay.accept(body);
    return body.transactionKey as string;
  }

  const cancel = (key: string, code = 'STORE-1') =>
    relay.api.post(`/restaurants/${restaurants.get(code)}/orders/${key}/cancel`, token).expect(202);

  const states = async (key: string): Promise<Record<string, string>> => {
    const rows = await database.query<{ action: string; status: string }>(
      'SELECT action, status FROM outbox_jobs WHERE event_key = $1',
      [key],
    );
    return Object.fromEntries(rows.map(({ action, status }) => [action, status]));
  };

  async function sellUntil(status: string): Promise<string> {
    const key = await sell();
    await jobs.until(async () => (await states(key)).CREATE === status);
    return key;
  }

  /** Runs an action that makes a call to the POS, and waits until the POS holds the call. */
  async function held<T>(behaviour: Behaviour, act: () => PromiseLike<T>): Promise<T> {
    const before = pos.waiting;
    pos.behave({ ...behaviour, times: 1 });
    const result = await act();
    await pos.when(() => pos.waiting === before + 1);
    return result;
  }

  /** Makes all jobs due until each is SENT or DLQ. */
  async function settled(): Promise<void> {
    await jobs.until(async () => {
      await database.query(`UPDATE outbox_jobs SET next_run_at = now() WHERE status IN ('PENDING', 'FAILED')`);
      const [open] = await database.query<{ jobs: number }>(
        `SELECT count(*)::int AS jobs FROM outbox_jobs WHERE status IN ('PENDING', 'PROCESSING', 'FAILED')`,
      );
      return open?.jobs === 0;
    });
  }

  /** Starts a relay in this process; the sign-in lock of the killed process is made to expire. */
  async function takeOver(): Promise<void> {
    await database.query('UPDATE pos_tokens SET renewing_until = now()');
    await scenario.start(SHORT_LEASE);
  }

  /** The orders among these that the POS has and that are not cancelled. */
  const alive = (keys: string[]) => keys.filter((key) => pos.orders.has(key) && !pos.orders.get(key)?.cancelled);

  test('at every step of the order and of its cancel: after a restart the POS has no order whose cancel was accepted', async () => {
    const gate = (register: 'before' | 'after', path: '/order' | '/cancel-order' | '/auth') =>
      ({ mode: 'gate', register, paths: [path] }) as const;

    const orders: Record<string, string> = {};
    for (const step of ['cancel arrives', 'cancel has arrived', 'cancel signs in'])
      orders[step] = await sellUntil('SENT');
    pos.behave({ mode: 'status', status: 503, paths: ['/order'], times: 1 });
    orders['cancel of a failed order'] = await sellUntil('FAILED');

    await held(gate('after', '/cancel-order'), () => cancel(orders['cancel arrives'] as string));
    await held(gate('before', '/cancel-order'), () => cancel(orders['cancel has arrived'] as string));
    await held(gate('after', '/cancel-order'), () => cancel(orders['cancel of a failed order'] as string));
    orders['order arrives'] = await held(gate('after', '/order'), () => sell());
    orders['order has arrived'] = await held(gate('before', '/order'), () => sell());
    orders['order signs in'] = await held(gate('before', '/auth'), () => sell('STORE-2'));
    pos.revokeTokens();
    await held(gate('before', '/auth'), () => cancel(orders['cancel signs in'] as string));
    await cancel(orders['order arrives'] as string);
    await cancel(orders['order has arrived'] as string);
    await cancel(orders['order signs in'] as string, 'STORE-2');
    const processing = await database.query(`SELECT FROM outbox_jobs WHERE status = 'PROCESSING'`);
    expect(processing.length).toBeGreaterThanOrEqual(7);

    await relay.kill();
    // the POS never registers the requests that it has not registered yet
    await pos.down();
    await pos.up();
    pos.behave({ mode: 'ok' });
    await takeOver();
    await settled();

    const keys = Object.values(orders);
    expect(alive(keys)).toEqual([]);
    for (const key of keys) {
      expect(pos.orders.get(key)?.cooked ?? 0).toBeLessThanOrEqual(1);
      expect(Object.keys(await states(key))).toEqual(expect.arrayContaining(['CREATE', 'CANCEL']));
    }
    expect(pos.orders.has(orders['order has arrived'] as string)).toBe(true);
    expect(pos.orders.has(orders['cancel has arrived'] as string)).toBe(true);
  });

  test('while cancels are requested: after a restart every acknowledged cancel is carried out', async () => {
    const keys = await Promise.all(Array.from({ length: 60 }, () => sell()));
    const acknowledged: string[] = [];
    await Promise.all(
      keys.map(async (key) => {
        const answer = await cancel(key).catch(() => undefined);
        if (answer) acknowledged.push(key);
        if (acknowledged.length === 20) relay.signal('SIGKILL');
      }),
    );
    await relay.ended();
    expect(acknowledged.length).toBeGreaterThanOrEqual(20);
    expect(acknowledged.length).toBeLessThan(keys.length);

    await takeOver();
    await settled();
    expect(alive(acknowledged)).toEqual([]);
    // a cancel that was stored but not answered is carried out too; all other orders stay
    const stored = await database.query<{ key: string }>(
      `SELECT event_key AS key FROM outbox_jobs WHERE action = 'CANCEL'`,
    );
    const others = keys.filter((key) => !stored.some((row) => row.key === key));
    expect(alive(keys).sort()).toEqual(others.sort());
    for (const order of pos.orders.values()) expect(order.cooked).toBe(1);
  });
});
