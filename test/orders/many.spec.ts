import type { QueryJobsDto } from '../../src/admin/admin.dto.js';
import { JobsService } from '../../src/admin/jobs.service.js';
import { countingRows } from '../support/rows-read.js';
import { type Caller, Scenario } from '../support/scenario.js';

/** More than a list selects by ids (FEW). */
const MANY = 2_100;

describe('a list by state with more than two thousand orders in it', () => {
  const scenario = Scenario.ofSuite();
  let admin: Caller;
  let list: (query: string) => Promise<string[]>;
  let jobs: (query: string) => Promise<string[]>;
  let restaurantId: string;

  /** An order each minute, `sale-1` the newest; all with this status, and with a CANCEL job if it has one. */
  async function sold(status: 'DLQ' | 'PENDING' | 'SENT', cancelStatus?: 'SENT') {
    const { query } = scenario.database;
    const { id, token } = await scenario.store();
    restaurantId = id;
    await query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, received_at, payload)
       SELECT 'sale-' || n, 'sale-' || n, false, $1, now() - n * interval '1 minute', '{}' FROM generate_series($2::int, 1, -1) n`,
      [id, MANY],
    );
    for (const [action, each] of [
      ['CREATE', status],
      ['CANCEL', cancelStatus],
    ])
      await query(
        `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
         SELECT gen_random_uuid(), transaction_key, $1, $2::job_action, $3::job_status, CASE WHEN $3 = 'PENDING' THEN received_at END,
           received_at, received_at
         FROM terminal_events WHERE restaurant_id = $1 AND $3 IS NOT NULL ORDER BY received_at`,
        [id, action, each ?? null],
      );
    const keysOf = ({ body }: { body: { data: { transactionKey?: string; eventKey?: string }[] } }) =>
      body.data.map(({ transactionKey, eventKey }) => transactionKey ?? (eventKey as string));
    list = async (filter) =>
      keysOf(await scenario.api.get(`/restaurants/${id}/orders?limit=3&${filter}`, token).expect(200));
    jobs = async (filter) =>
      keysOf(await scenario.api.get(`/admin/jobs?limit=3&restaurantId=${id}&${filter}`, admin.token).expect(200));
  }
  const NEWEST = ['sale-1', 'sale-2', 'sale-3'];

  beforeAll(async () => {
    admin = await scenario.person('ADMIN');
    // a database without statistics of the planner
    for (const table of ['terminal_events', 'outbox_jobs'])
      await scenario.database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  });

  test('parked: the newest first', async () => {
    await sold('DLQ');
    expect(await list('state=parked')).toEqual(NEWEST);
    expect(await list('status=DLQ')).toEqual(NEWEST);
    expect(await jobs('status=DLQ')).toEqual(NEWEST);
    expect(await list('state=waiting')).toEqual([]);
  });

  test('parked: a page of jobs reads each order a few times, without statistics of the planner (R30)', async () => {
    await sold('DLQ');
    const { prisma, read } = countingRows(scenario);
    const { data } = await new JobsService(prisma).list({ limit: 3, status: 'DLQ', restaurantId } as QueryJobsDto);
    expect(data.map(({ eventKey }) => eventKey)).toEqual(NEWEST);
    expect(Math.max(...read)).toBeLessThan(MANY * 10);
  });

  test('waiting: the newest first', async () => {
    await sold('PENDING');
    expect(await list('state=waiting')).toEqual(NEWEST);
    expect(await list('status=PENDING')).toEqual(NEWEST);
    expect(await jobs('status=PENDING')).toEqual(NEWEST);
  });

  test('cancelled: the newest first', async () => {
    await sold('SENT', 'SENT');
    expect(await list('state=cancelled')).toEqual(NEWEST);
    expect(await list('cancelled=true')).toEqual(NEWEST);
    expect(await list('cancelled=false')).toEqual([]);
    expect(await list('state=delivered')).toEqual([]);
  });
});
