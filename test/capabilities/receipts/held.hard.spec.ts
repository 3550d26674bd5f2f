import pg from 'pg';
import type { TemporaryServer } from '../../../proof/postgres/temporary-server.js';
import type { Cursor } from '../../../src/capabilities/receipts/receipt-cursor.js';
import { ReceiptCursors } from '../../../src/capabilities/receipts/receipt-cursors.js';
import { NEEDS_CLUSTER, openServer, testWithCluster } from '../../platform/database/cluster.js';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { type Listed, PATH } from './receipts.js';

/** Twice as long as a list overlaps the one before. */
const HELD_MS = 62_000;

describe('V28: transactions that are open for long', () => {
  let server: TemporaryServer;
  let scenario: Scenario;
  let relay: TestRelay;
  const sessions: pg.Client[] = [];
  let cursor: string | undefined;
  const listed: string[] = [];

  beforeAll(async () => {
    if (testWithCluster !== test) return;
    server = await openServer({ max_prepared_transactions: '5' });
    const settings = { DATABASE_URL: server.url, DATABASE_TIMEOUT_MS: '1000' };
    scenario = await Scenario.ofProcesses(settings, { migrated: false });
    relay = await scenario.start();
    await relay.createRestaurant();
  });
  afterAll(async () => {
    await Promise.all(sessions.map((session) => session.end()));
    await scenario?.close();
    await server?.close();
  });

  async function begin(): Promise<pg.Client> {
    const session = new pg.Client({ connectionString: server.url });
    session.on('error', () => {});
    await session.connect();
    sessions.push(session);
    await session.query('BEGIN');
    return session;
  }

  /** Stores a copy of a sale, as the relay does: with the time of its transaction. */
  async function store(session: pg.Client, key: string) {
    await session.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, of_platform, received_at)
       SELECT $1, $1, false, restaurant_id, payload, true, now() FROM terminal_events WHERE source_key = 'COPIED'`,
      [key],
    );
    await session.query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, created_at, updated_at)
       SELECT gen_random_uuid(), $1, restaurant_id, 'CREATE', 'PENDING', now(), now() FROM terminal_events WHERE source_key = 'COPIED'`,
      [key],
    );
  }

  async function standby(names: string): Promise<void> {
    await server.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await server.query('SELECT pg_reload_conf()');
    const shown = `SELECT current_setting('synchronous_standby_names') AS names`;
    await until(async () => (await server.query<{ names: string }>(shown))[0]?.names === names);
  }

  /** @returns what is new */
  async function poll(wait = 0): Promise<string[]> {
    const query = cursor === undefined ? { wait } : { after: cursor, wait };
    const { body } = await relay.api.get(PATH, TERMINAL_TOKEN).query(query).expect(200);
    const page: Listed = body;
    ({ cursor } = page);
    const names = page.data.map(({ type, transactionKey }) => `${type} ${transactionKey}`);
    listed.push(...names);
    return names;
  }

  const openIn = (text: string | undefined) => (relay.get(ReceiptCursors).read(text as string) as Cursor).read.open;

  testWithCluster(
    `however late a transaction commits, its receipts are listed, once (V22, V28)${NEEDS_CLUSTER}`,
    async () => {
      for (const transactionKey of ['COPIED', 'PARKED', 'SENT']) await relay.accept(sale({ transactionKey }));
      expect(await poll()).toHaveLength(3);

      const [stores, settles, idle, prepared] = [await begin(), await begin(), await begin(), await begin()];
      await store(stores, 'STORED');
      const settle = `UPDATE outbox_jobs SET status = $2::job_status, updated_at = now() WHERE event_key LIKE $1 || '%' AND action = 'CREATE'`;
      await settles.query(settle, ['PARKED', 'DLQ']);
      await settles.query(settle, ['SENT', 'SENT']);
      await idle.query('SELECT now()');
      await store(prepared, 'PREPARED');
      await prepared.query(`PREPARE TRANSACTION 'held'`);

      await relay.accept(sale({ transactionKey: 'MEANWHILE' }));
      expect(await poll()).toEqual(['order.stored MEANWHILE']);
      await standby('a_standby_that_is_away');
      const lost = relay.post(sale({ transactionKey: 'WAITS' })).then(({ status }) => status);
      const begun = Date.now();
      await until(async () => expect(await poll(1)).toEqual([]) ?? Date.now() > begun + HELD_MS, 2 * HELD_MS);
      expect(await lost).toBe(503);
      expect(openIn(cursor).length).toBeGreaterThanOrEqual(5);

      await standby('');
      expect(await until(async () => (await poll()).join() || undefined)).toBe('order.stored WAITS');
      await store(idle, 'BEGUN');
      for (const [session, names] of [
        [stores, ['order.stored STORED']],
        [settles, ['order.delivered SENT', 'order.parked PARKED']],
        [idle, ['order.stored BEGUN']],
      ] as const) {
        await session.query('COMMIT');
        expect((await poll()).toSorted()).toEqual(names);
      }
      await prepared.query(`COMMIT PREPARED 'held'`);
      expect(await poll()).toEqual(['order.stored PREPARED']);
      for (let i = 0; i < 3; i++) expect(await poll()).toEqual([]);
      expect(new Set(listed).size).toBe(listed.length);
      expect(openIn(cursor)).toEqual([]);
    },
  );
});
