import type pg from 'pg';
import { readSale } from '../../src/domain/sale.js';
import { listOrders } from '../../src/orders/order-list.js';
import { type ClaimedJob, claimDue } from '../../src/outbox/store/claim.js';
import { enqueueAll, type StoredSale } from '../../src/outbox/store/enqueue.js';
import { rowOf } from '../../src/outbox/store/new-row.js';
import { offerJobs } from '../../src/outbox/store/offer.js';
import { settle } from '../../src/outbox/store/settle.js';
import type { Config } from '../../src/platform/config/config.js';
import { LimitedClient } from '../../src/platform/database/connection.js';
import { connectionConfig } from '../../src/platform/database/pool.js';
import type { PreparedStatement } from '../../src/platform/database/prepared.js';
import type { PrismaService } from '../../src/platform/database/prisma.service.js';
import { StateService } from '../../src/restaurants/reports/state.service.js';
import { NEEDS_SERVER, openDatabase, type TestDatabase, whereServer } from '../support/database.js';

const SALES = 400;
const LIMITS = { connectMs: 5_000, statementMs: 30_000 };
/** Rows that a sale may be read by index or otherwise, from the webhook to its settling: a few of each table. */
const ROWS_OF_A_SALE = 20;
/** Sales of the days before, and as many of somebody else. */
const PAST = 4_000;
const SOLD_TODAY = 30;
const TENDERS = 10;
/** Orders of one restaurant that wait. */
const WAITING = 5_000;
/** Those of today and of a page, with what belongs to each, and the last hundred that were delivered. */
const ROWS_OF_A_LOOK = 400;

describe('the cost of a sale does not grow with the sales that are stored', () => {
  let database: TestDatabase;
  let client: pg.Client;
  let restaurantId: string;
  let sold = 0;
  /** as `prepared` of the one connection that has the relay's session settings */
  const prisma = {
    prepared: async ({ name, text }: PreparedStatement, values: unknown[]) =>
      (await client.query({ name, text, values })).rows,
  } as unknown as PrismaService;

  beforeEach(async () => {
    database = await openDatabase();
    const config = connectionConfig(database.url, LIMITS, {});
    client = new LimitedClient(config);
    await client.connect();
    // nobody looks at the tables meanwhile; and what this transaction reads is counted by itself
    await client.query('BEGIN');
    const { rows } = await client.query(
      `INSERT INTO restaurants (id, name, slug, code_store_terminal) VALUES (gen_random_uuid(), 'one', 'one', 'A') RETURNING id`,
    );
    restaurantId = rows[0].id;
    const owner = `INSERT INTO users (id, email, password_hash) VALUES (gen_random_uuid(), 'o@example.com', '-') RETURNING id`;
    await client.query(
      `WITH owner AS (${owner}) INSERT INTO user_restaurants (id, user_id, restaurant_id, role)
       SELECT gen_random_uuid(), owner.id, $1, 'OWNER' FROM owner`,
      [restaurantId],
    );
  });
  afterEach(async () => {
    await client.end();
    await database.close();
  });

  const sell = async (...claimIds: string[]) => sellWith({}, ...claimIds);
  const sellWith = async (body: object, ...claimIds: string[]) => {
    const transactionKey = `sale-${sold++}`;
    const place = { sender: 'terminal', storeCode: 'A', restaurantId: null } as const;
    const rules = { acceptsTender: () => true, knowsTender: () => false };
    const trace = { id: 'a'.repeat(32), parent: null, sampled: true };
    const event = { sale: readSale({ transactionKey, ...body }, rules), place, transactionKey, testMode: false, trace };
    const offer = { claimIds, atCap: [] };
    const [stored] = await enqueueAll(prisma, [rowOf(event)], offer);
    expect(stored).toMatchObject({ result: 'stored', restaurantId });
    return (stored as StoredSale).claimed;
  };
  const newClaimId = () => `plans/${crypto.randomUUID()}`;
  const deliver = (jobs: ClaimedJob[]) => {
    const outcome = {
      ...({ settling: 'deliver', reach: 'ANSWERED', httpStatus: 200 } as const),
      ...{ errorCode: null, cause: null, error: null, retryAfterMs: null },
    };
    return settle(
      prisma,
      jobs.map((job) => ({ job, outcome, durationMs: 1, retryInMs: null })),
    );
  };
  /** Rows that this transaction has read so far. */
  const rowsRead = async () => {
    const { rows } = await client.query(
      'SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS read FROM pg_stat_xact_user_tables',
    );
    return rows[0].read as number;
  };

  whereServer(`nor with a database that has no statistics of them yet${NEEDS_SERVER}`, async () => {
    const road = async () => {
      // nothing of the restaurant waits at first, and later much does
      const atOnce = await sell(newClaimId());
      await sell();
      const byTurns = await claimDue(prisma, { claimIds: [newClaimId()], inHand: new Map(), cap: 5 });
      const jobs = [...(atOnce ? [atOnce] : []), ...byTurns];
      expect(await deliver(jobs)).toEqual(jobs.map(() => 'now'));
    };
    // each statement is planned while the tables are as good as empty, and keeps that plan
    for (let i = 0; i < 10; i++) await road();
    for (let i = 0; i < SALES; i++) await sell();
    const before = await rowsRead();
    for (let i = 0; i < 10; i++) await road();
    expect((await rowsRead()) - before).toBeLessThan(20 * ROWS_OF_A_SALE);
  });

  whereServer(`nor is a statement of the road planned for each sale, one at a time${NEEDS_SERVER}`, async () => {
    for (let i = 0; i < 15; i++) {
      await sell();
      await deliver(await claimDue(prisma, { claimIds: [newClaimId()], inHand: new Map(), cap: 5 }));
    }
    const { rows } = await client.query(
      `SELECT (regexp_match(name, 'relay_(.*)_'))[1] AS name, custom_plans <= 5 AS "isKept" FROM pg_prepared_statements ORDER BY 1`,
    );
    expect(Object.fromEntries(rows.map(({ name, isKept }) => [name, isKept]))).toEqual({
      claim_by_turns: true,
      enqueue: true,
      settle: true,
    });
  });

  whereServer(`nor with the codes of its restaurant, planned when it had one (I6)${NEEDS_SERVER}`, async () => {
    const addCodes = (from: number, to: number) =>
      client.query(
        `INSERT INTO pos_codes (restaurant_id, kind, terminal_code, pos_code) SELECT $1::uuid, 'TENDER', 'T-' || n, 'P' FROM generate_series($2::int, $3::int) AS n`,
        [restaurantId, from, to],
      );
    const payments = Array.from({ length: TENDERS }, (_, n) => ({ tenderType: `unknown-${n}`, brand: 'B', amount: 1 }));
    await addCodes(1, 1);
    for (let i = 0; i < 10; i++) await sellWith({ payments });
    await addCodes(2, PAST);
    const before = await rowsRead();
    for (let i = 0; i < 10; i++) await sellWith({ payments });
    expect((await rowsRead()) - before).toBeLessThan(10 * ROWS_OF_A_SALE);
  });

  /** Another restaurant, with an order that waits for no worker but for its POS when `pulls`. */
  const addNeighbour = async (pulls: boolean) => {
    const { rows } = await client.query(
      `INSERT INTO restaurants (id, name, slug, pulls, pos_vendor) VALUES (gen_random_uuid(), 'b', 'b', $1::boolean, CASE WHEN $1 THEN 'open-delivery' END)
       RETURNING id`,
      [pulls],
    );
    return rows[0].id as string;
  };
  /** Orders that wait, of a restaurant whose POS is away. */
  const addWaiting = async (id: string, prefix: string, count: number) => {
    await client.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
       SELECT $2 || n, $2 || n, false, $1::uuid, '{}'::jsonb FROM generate_series(1, $3::int) n`,
      [id, prefix, count],
    );
    await client.query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'PENDING', now(), now(), now() FROM terminal_events
       WHERE restaurant_id = $1::uuid AND starts_with(transaction_key, $2)`,
      [id, prefix],
    );
  };
  /** The statistics know of the orders of one restaurant only, as in a deployment that has had one so far. */
  const analyze = () => client.query('ANALYZE terminal_events, outbox_jobs');

  whereServer(`nor does a claim with the orders of another restaurant that wait (O11)${NEEDS_SERVER}`, async () => {
    const other = await addNeighbour(false);
    await addWaiting(restaurantId, 'away-', WAITING);
    await analyze();
    await addWaiting(other, 'next-', 10);
    const inHand = new Map([[restaurantId, 5]]);
    const claim = () => claimDue(prisma, { claimIds: [newClaimId()], inHand, cap: 5 });
    const before = await rowsRead();
    for (let i = 0; i < 10; i++) expect(await claim()).toMatchObject([{ restaurantId: other }]);
    expect((await rowsRead()) - before).toBeLessThan(10 * 2 * ROWS_OF_A_SALE);
  });

  whereServer(`nor does a poll (Q4)${NEEDS_SERVER}`, async () => {
    const other = await addNeighbour(true);
    await addWaiting(restaurantId, 'away-', WAITING);
    await analyze();
    await addWaiting(other, 'next-', 10);
    const credentialId = crypto.randomUUID();
    await client.query(
      `INSERT INTO pos_credentials (id, restaurant_id, name, secret_hash) VALUES ($1, $2, 'Till', '-')`,
      [credentialId, other],
    );
    const ask = { credentialId, restaurantId: other, actions: ['CREATE', 'CANCEL'], states: [], leftOut: [] } as const;
    const poll = async (limit: number) => (await offerJobs(prisma, [{ ...ask, limit }]))[0]?.jobs.length;
    const before = await rowsRead();
    for (let i = 1; i <= 10; i++) expect(await poll(i)).toBe(i);
    expect((await rowsRead()) - before).toBeLessThan(10 * 10 * ROWS_OF_A_SALE);
  });

  whereServer(`nor does what an open console asks, planned before the first sale${NEEDS_SERVER}`, async () => {
    const config = { outbox: { lateAlarmMs: 300_000 } } as Config;
    const newest = { limit: 25, action: 'CREATE', sort: '-receivedAt' } as const;
    const look = async () => {
      const { today } = await new StateService(prisma, config).read(restaurantId);
      const { data } = await listOrders(prisma, restaurantId, newest);
      return [today.orders, data.length];
    };
    for (let i = 0; i < 10; i++) expect(await look()).toEqual([0, 0]);
    const other = `INSERT INTO restaurants (id, name, slug, code_store_terminal) VALUES (gen_random_uuid(), 'b', 'b', 'B') RETURNING id`;
    const { rows } = await client.query(other);
    await client.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, received_at, payload)
       SELECT 'past-' || n, 'past-' || n, false, $1::uuid, now() - interval '3 days' - n * interval '1 minute', '{}'::jsonb
       FROM generate_series(1, ${PAST}) n
       UNION ALL SELECT 'other-' || n, 'other-' || n, false, $2::uuid, now(), '{}'::jsonb FROM generate_series(1, ${PAST}) n`,
      [restaurantId, rows[0].id],
    );
    await client.query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, status, CASE WHEN status = 'PENDING' THEN now() END, received_at,
         received_at
       FROM terminal_events, LATERAL (SELECT (CASE WHEN transaction_key ~ '^past' THEN 'SENT'
         WHEN transaction_key ~ '[0-4]$' THEN 'DLQ' ELSE 'PENDING' END)::job_status AS status) AS state`,
    );
    for (let i = 0; i < SOLD_TODAY; i++) await sell();
    const before = await rowsRead();
    expect(await look()).toEqual([SOLD_TODAY, newest.limit]);
    expect((await rowsRead()) - before).toBeLessThan(ROWS_OF_A_LOOK);
  });
});
