import pg from 'pg';
import type { Read } from '../../../src/capabilities/receipts/receipt-cursor.js';
import { ReceiptCursors } from '../../../src/capabilities/receipts/receipt-cursors.js';
import { Role } from '../../platform/database/hostile-role.js';
import { sale } from '../../support/client.js';
import { NEEDS_SERVER, whereServer } from '../../support/database.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { type Listed, PATH } from './receipts.js';

const SECOND = 1_000_000n;
/** A list overlaps the one before by this time; µs. */
const OVERLAP = 30n * SECOND;

describe.each(['DATABASE', 'ROLE'])('V28: track_activities is off by ALTER %s', (level) => {
  const server = process.env.TEST_DATABASE_URL as string;
  let scenario: Scenario;
  let relay: TestRelay;
  let role: Role;
  const sessions: pg.Client[] = [];
  let cursor: string | undefined;

  beforeAll(async () => {
    if (whereServer !== test) return;
    scenario = await Scenario.ofProcesses({});
    role = await Role.create(server, 'SUPERUSER');
    const name = level === 'DATABASE' ? new URL(scenario.database.url).pathname.slice(1) : 'ROLE_NAME';
    await role.run(`ALTER ${level} ${name} SET track_activities = off`);
    relay = await scenario.start();
    await relay.createRestaurant();
  });
  afterAll(async () => {
    await Promise.all(sessions.map((session) => session.end()));
    await scenario?.close();
    await role?.drop(server);
  });

  async function begin(): Promise<pg.Client> {
    const session = new pg.Client({ connectionString: role.url(scenario.database.url) });
    await session.connect();
    sessions.push(session);
    await session.query('BEGIN');
    return session;
  }

  /** @returns what is new */
  async function poll(wait = 0): Promise<string[]> {
    const query = cursor === undefined ? { wait } : { after: cursor, wait };
    const { body } = await relay.api.get(PATH, TERMINAL_TOKEN).query(query).expect(200);
    const page: Listed = body;
    ({ cursor } = page);
    return page.data.map(({ type, transactionKey }) => `${type} ${transactionKey}`);
  }

  const read = () => relay.get(ReceiptCursors).read(cursor as string)?.read as Read;

  whereServer(
    `however late a transaction commits that nobody sees, its receipt is listed, and the lists do not go back further and further (V22, V28)${NEEDS_SERVER}`,
    async () => {
      await relay.accept(sale({ transactionKey: 'COPIED' }));
      expect(await until(async () => (await poll()).join() || undefined)).toBe('order.stored COPIED');

      const held = await begin();
      const { rows } = await held.query<{ at: string; xid: string }>(
        `WITH copied AS (
           INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, of_platform, received_at)
           SELECT 'HELD', 'HELD', false, restaurant_id, payload, true, now() FROM terminal_events WHERE source_key = 'COPIED'
           RETURNING restaurant_id)
         INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
         SELECT gen_random_uuid(), 'HELD', restaurant_id, 'CREATE', 'PENDING', now() + interval '1 hour', now(), now() FROM copied
         RETURNING (extract(epoch FROM now()) * 1000000)::bigint::text AS at, pg_current_xact_id()::text AS xid`,
      );
      const [{ at, xid }] = rows as [{ at: string; xid: string }];
      expect(await poll()).toEqual([]);
      expect(read().open.map((open) => open.xid)).toContain(xid);
      const other = await begin();
      const ids = new Set<string>();
      await until(async () => {
        const before = BigInt(read().at);
        // another transaction runs during each list, and has ended at the next one
        const running = await other.query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid');
        ids.add(running.rows[0]?.xid as string);
        await poll(1);
        await other.query('COMMIT');
        await other.query('BEGIN');
        // other databases of the server have open transactions, too
        const others = read().open.filter((open) => ids.has(open.xid as string));
        for (const open of others) expect(BigInt(open.begin)).toBeGreaterThan(before - OVERLAP - SECOND);
        return BigInt(read().at) > BigInt(at) + OVERLAP + 5n * SECOND;
      }, 120_000);
      await held.query('COMMIT');
      expect(await poll()).toEqual(['order.stored HELD']);
      for (let i = 0; i < 3; i++) expect(await poll()).toEqual([]);
    },
  );
});
