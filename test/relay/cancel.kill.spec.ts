import { PosSimulator } from '../../src/pos/simulator.js';
import type { Behaviour } from '../../src/pos/simulator-behaviour.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { ADMIN, PARTNER, SHORT_LEASE, TERMINAL_TOKEN, testEnvironment } from '../support/environment.js';
import { Instance } from '../support/instance.js';
import { Jobs } from '../support/jobs.js';
import { sale } from '../support/sale.js';

/** Long enough for calls to be held at the POS until the process is killed. */
const LONG_LEASE = { PROCESSING_TTL_MS: '120000', POS_TIMEOUT_MS: '30000' };

/** The crashes of cancel.spec.ts, suffered by a whole process. */
describe('CANCEL under kill -9', () => {
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: Instance;
  let token: string;
  /** store code -> restaurant */
  const restaurants = new Map<string, string>();

  beforeEach(async () => {
    database = await openDatabase();
    jobs = new Jobs(database);
    pos = new PosSimulator({ partners: { [PARTNER.id]: PARTNER.secret, own: 'own-secret' } });
    await pos.listen();
    await start(LONG_LEASE);
    token = (await call('/auth/login', ADMIN, '')).access_token as string;
    await createRestaurant('STORE-1', {});
    await createRestaurant('STORE-2', { posIdPartner: 'own', posSecret: 'own-secret' });
  });
  afterEach(async () => {
    await relay.kill();
    await pos.close();
    await database.close();
  });

  async function start(lease: Record<string, string>): Promise<void> {
    const eager = { WORKER_ENABLED: 'true', OUTBOX_PACE: 'eager', OUTBOX_TICK_MS: '100', POS_BASE_URL: pos.url };
    relay = await Instance.start(testEnvironment(database, { ...eager, ...lease }));
  }

  async function call(path: string, body: unknown, bearer: string): Promise<Record<string, unknown>> {
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${bearer}` };
    const answer = await fetch(relay.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return (await answer.json()) as Record<string, unknown>;
  }

  async function createRestaurant(code: string, credentials: object): Promise<void> {
    const fields = { name: code, codeStoreTerminal: code, codeStorePos: '1001', ...credentials };
    const { data } = await call('/restaurants', fields, token);
    restaurants.set(code, (data as { id: string }).id);
  }

  /** @returns the order's key */
  async function sell(storeCode = 'STORE-1'): Promise<string> {
    const body = sale({ storeCode });
    await call('/webhooks/terminal', body, TERMINAL_TOKEN);
    return body.transactionKey as string;
  }

  const cancel = (key: string, code = 'STORE-1') =>
    call(`/restaurants/${restaurants.get(code)}/orders/${key}/cancel`, {}, token);

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

  /** Does something that makes a call, and waits until the POS holds it there. */
  async function held<T>(behaviour: Behaviour, act: () => Promise<T>): Promise<T> {
    const before = pos.waiting;
    pos.behave({ ...behaviour, times: 1 });
    const result = await act();
    await pos.when(() => pos.waiting === before + 1);
    return result;
  }

  /** Everything settles at once, without the delays between attempts. */
  async function settled(): Promise<void> {
    await jobs.until(async () => {
      await database.query(`UPDATE outbox_jobs SET next_run_at = now() WHERE status IN ('PENDING', 'FAILED')`);
      const [open] = await database.query<{ jobs: number }>(
        `SELECT count(*)::int AS jobs FROM outbox_jobs WHERE status IN ('PENDING', 'PROCESSING', 'FAILED')`,
      );
      return open?.jobs === 0;
    });
  }

  /** What lives at the POS, of these orders. */
  const alive = (keys: string[]) => keys.filter((key) => pos.orders.has(key) && !pos.orders.get(key)?.cancelled);

  test('at every step of the order and of its cancel: after a restart no cancelled order lives at the POS', async () => {
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
    // what it had not registered yet it never will: nobody waits for it any more
    await pos.down();
    await pos.up();
    pos.behave({ mode: 'ok' });
    // as if the killed one's turn to sign in had ended
    await database.query('UPDATE pos_tokens SET renewing_until = now()');
    await start(SHORT_LEASE);
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

  test('while cancels are asked for: after a restart every acknowledged one has ended its order', async () => {
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

    await start(SHORT_LEASE);
    await settled();
    expect(alive(acknowledged)).toEqual([]);
    // a cancel that was stored without an answer counts as well; every other order lives
    const asked = await database.query<{ key: string }>(
      `SELECT event_key AS key FROM outbox_jobs WHERE action = 'CANCEL'`,
    );
    const living = keys.filter((key) => !asked.some((row) => row.key === key));
    expect(alive(keys).sort()).toEqual(living.sort());
    for (const order of pos.orders.values()) expect(order.cooked).toBe(1);
  });
});
