import { ParkedService } from '../../src/admin/parked.service.js';
import { RefusingService } from '../../src/admin/refusing.service.js';
import { ThroughputService } from '../../src/admin/throughput.service.js';
import type { Alarms } from '../../src/outbox/alarms.js';
import { countResettable, resetJobs } from '../../src/outbox/store/reset.js';
import type { Config } from '../../src/platform/config/config.js';
import { Prisma } from '../../src/platform/database/generated/client.js';
import { PrismaService } from '../../src/platform/database/prisma.service.js';
import { Scenario } from '../support/scenario.js';

const LARGE = ['outbox_jobs', 'delivery_attempts', 'terminal_events'];

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Node[];
}

/** With 20,000 orders, the planner's statistics and the session settings of the reports pool. */
describe('the reads of operators scan no large table', () => {
  const scenario = Scenario.ofSuite();
  let nodes: Node[];
  let restaurantId: string;
  const alarms = {
    oldestDueSeconds: async () => 0,
    refusingRestaurants: async () => [{ restaurantId, name: 'Roma', attempts: 3, lastError: null }],
  } as unknown as Alarms;

  beforeAll(async () => {
    ({ id: restaurantId } = await scenario.restaurant('STORE-1'));
    const { id: other } = await scenario.restaurant('STORE-2');
    const { query } = scenario.database;
    await query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, received_at, payload)
       SELECT 'T-' || n, 'T-' || n, false, (ARRAY[$1, $2]::uuid[])[n % 2 + 1], now() - n * interval '1 minute', '{}'
       FROM generate_series(1, 20000) n`,
      [restaurantId, other],
    );
    await query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, last_error, created_at, updated_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, status, CASE WHEN status = 'FAILED' THEN now() END,
         CASE WHEN status <> 'SENT' THEN 'HTTP 422, POS error 310: unknown product ' || transaction_key END, received_at, received_at
       FROM terminal_events, LATERAL (SELECT (CASE WHEN source_key ~ '(00|50)$' THEN 'DLQ' WHEN source_key ~ '17$' THEN 'FAILED'
         ELSE 'SENT' END)::job_status AS status) AS state`,
    );
    await query(
      `INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach)
       SELECT gen_random_uuid(), id, 1, created_at, 40, status::text::attempt_outcome, 'ANSWERED' FROM outbox_jobs ORDER BY created_at`,
    );
    await query('ANALYZE');
  });
  beforeEach(() => {
    nodes = [];
  });

  const flat = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flat)];

  async function explain(text: string, values: unknown[]): Promise<void> {
    const [row] = await scenario.database.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (FORMAT JSON) ${text}`,
      values,
    );
    nodes.push(...flat((row as { 'QUERY PLAN': [{ Plan: Node }] })['QUERY PLAN'][0].Plan));
  }

  /** A client that explains each statement, and then runs it. */
  function explaining(): PrismaService {
    const prisma = scenario.relay.get(PrismaService);
    const $queryRaw = async (strings: TemplateStringsArray, ...values: unknown[]) => {
      const { text, values: bound } = Prisma.sql(strings, ...values);
      await explain(text, bound);
      return prisma.$queryRaw(strings, ...values);
    };
    return { $queryRaw, reports: { $queryRaw }, psql: 'psql' } as unknown as PrismaService;
  }

  const expectNoWholeTable = () =>
    expect(
      nodes.filter((node) => node['Node Type'] === 'Seq Scan' && LARGE.includes(node['Relation Name'] ?? '')),
    ).toEqual([]);
  const indexes = () => new Set(nodes.flatMap((node) => node['Index Name'] ?? []));

  test('parked jobs by cause: the index of the causes', async () => {
    const { data } = await new ParkedService(explaining()).byCause();
    expect(data).toMatchObject([{ parked: 400 }]);
    expectNoWholeTable();
    expect(indexes()).toContain('outbox_jobs_parked_cause_idx');
  });

  test('throughput: the indexes of jobs and attempts by time', async () => {
    const config = { outbox: { lateAlarmMs: 120_000 } } as Config;
    await new ThroughputService(explaining(), alarms, config).read({ minutes: 60 });
    expectNoWholeTable();
    expect([...indexes()]).toEqual(
      expect.arrayContaining([
        'terminal_events_received_at_idx',
        'outbox_jobs_cancels_idx',
        'delivery_attempts_started_at_idx',
        'outbox_jobs_due_idx',
      ]),
    );
  });

  test('refusing restaurants', async () => {
    await new RefusingService(explaining(), alarms).list();
    expectNoWholeTable();
  });

  test('a reset: its count and its batch', async () => {
    const cause = 'HTTP 422, POS error 310: unknown product #';
    for (const filter of [{ cause }, { restaurantId }, { since: new Date(0) }, { jobIds: [crypto.randomUUID()] }]) {
      const { asOf } = await countResettable(explaining(), filter);
      await resetJobs(explaining(), filter, asOf, 1);
    }
    expectNoWholeTable();
    expect(indexes()).toContain('outbox_jobs_parked_cause_idx');
  });
});
