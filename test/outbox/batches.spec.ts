import pg from 'pg';
import type { Outcome } from '../../src/domain/outcome.js';
import { JobStore } from '../../src/outbox/job-store.js';
import type { ClaimedJob } from '../../src/outbox/store/claim.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { sale } from '../support/client.js';
import { NEEDS_SERVER, type TestDatabase, whereServer } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';

const ORDERS = 6;

describe('attempts that are settled by one statement (O12, O18)', () => {
  const scenario = Scenario.ofSuite();
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;

  beforeAll(() => {
    ({ database, jobs, pos, relay } = scenario);
  });
  beforeEach(async () => {
    await scenario.empty();
    relay.logged.length = 0;
    pos.orderCalls = 0;
    await scenario.restaurant('STORE-1');
  });
  afterEach(() => database.query('DROP FUNCTION IF EXISTS refuse CASCADE'));

  /** Orders whose answers come together, so that all but the first are settled by one statement. */
  async function answeredTogether(by = relay) {
    const ids = await Promise.all(Array.from({ length: ORDERS }, () => relay.accept(sale())));
    pos.behave({ mode: 'gate', register: 'before', times: ORDERS });
    const ticking = by.tick();
    await pos.when(() => pos.waiting === ORDERS);
    return { ids, ticking };
  }

  async function refuse(id: string) {
    await database.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`);
    await database.query(
      `CREATE TRIGGER refuse BEFORE INSERT ON delivery_attempts FOR EACH ROW WHEN (NEW.job_id = '${id}')
       EXECUTE FUNCTION refuse()`,
    );
  }

  test('O26: a row that the database refuses is retried; the others of its batch are settled', async () => {
    const { ids, ticking } = await answeredTogether();
    const refused = ids.at(-1) as string;
    await refuse(refused);
    pos.release();
    await jobs.until(async () => (await jobs.countByStatus()).SENT === ORDERS - 1);
    expect((await jobs.get(refused)).status).toBe('PROCESSING');
    // at most a line a second, and the test before may have had one
    await relay.hasLogged('outbox.settle_delayed');
    await database.query('DROP TRIGGER refuse ON delivery_attempts');
    await ticking;
    const delayed = relay.logged.filter(({ event }) => event === 'outbox.settle_delayed');
    expect([...new Set(delayed.map(({ job, held }) => `${job} ${held}`))]).toEqual([`${refused} 1`]);
    for (const id of ids) {
      expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 1, locked_by: null });
      expect(await jobs.attempts(id)).toMatchObject([{ number: 1, outcome: 'SENT', http_status: 200 }]);
    }
    expect(pos.orderCalls).toBe(ORDERS);
  });

  test('O26: it is retried until its claim is lost', async () => {
    const { ids, ticking } = await answeredTogether();
    const refused = ids.at(-1) as string;
    await refuse(refused);
    pos.release();
    await relay.hasLogged('outbox.settle_delayed');
    await database.query(`UPDATE outbox_jobs SET locked_by = 'worker-7/' || gen_random_uuid() WHERE id = $1`, [
      refused,
    ]);
    await ticking;
    expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'outbox.lock_lost', job: refused }));
    expect(await jobs.attempts(refused)).toEqual([]);
    expect(pos.orderCalls).toBe(ORDERS);
  });

  whereServer(
    `O26: a row that another session has locked does not delay the others of its batch${NEEDS_SERVER}`,
    async () => {
      const impatient = await scenario.start({ DATABASE_TIMEOUT_MS: '2000' });
      const { ids, ticking } = await answeredTogether(impatient);
      const locked = ids.at(-1) as string;
      const operator = new pg.Client({ connectionString: database.url });
      await operator.connect();
      await operator.query('BEGIN');
      await operator.query('SELECT 1 FROM outbox_jobs WHERE id = $1 FOR UPDATE', [locked]);
      pos.release();
      await jobs.until(async () => (await jobs.countByStatus()).SENT === ORDERS - 1);
      expect((await jobs.get(locked)).status).toBe('PROCESSING');
      await operator.query('COMMIT');
      await ticking;
      await operator.end();
      expect(await jobs.get(locked)).toMatchObject({ status: 'SENT', attempts: 1 });
      expect(pos.orderCalls).toBe(ORDERS);
    },
  );

  test('a batch is at the POS all at once: no job of it waits for another (O8)', async () => {
    const { ids, ticking } = await answeredTogether();
    expect(await jobs.countByStatus()).toEqual({ PROCESSING: ids.length });
    pos.release();
    await ticking;
    expect(await jobs.countByStatus()).toEqual({ SENT: ids.length });
  });

  test('an answer after a pause of a month is settled', async () => {
    const id = await relay.accept(sale());
    const store = relay.get(JobStore);
    const [job] = await store.claimDue({ claimIds: [store.newClaimId()], inHand: new Map(), cap: 1 });
    const durationMs = 31 * 86_400_000;
    const outcome: Outcome = {
      settling: 'deliver',
      reach: 'ANSWERED',
      httpStatus: 200,
      errorCode: null,
      cause: null,
      error: null,
      retryAfterMs: null,
    };
    expect(await store.settle([{ job: job as ClaimedJob, outcome, durationMs, retryInMs: null }])).toEqual(['now']);
    expect((await jobs.get(id)).status).toBe('SENT');
    expect(await jobs.attempts(id)).toMatchObject([{ outcome: 'SENT', duration_ms: 2 ** 31 - 1 }]);
  });

  test('a lost claim changes nothing; the others of its batch are settled', async () => {
    const { ids, ticking } = await answeredTogether();
    const lost = ids.at(-1) as string;
    await database.query(`UPDATE outbox_jobs SET locked_by = 'worker-7/' || gen_random_uuid() WHERE id = $1`, [lost]);
    pos.release();
    await ticking;
    expect(await jobs.get(lost)).toMatchObject({ status: 'PROCESSING', attempts: 1 });
    expect(await jobs.attempts(lost)).toEqual([]);
    expect(await jobs.countByStatus()).toEqual({ SENT: ORDERS - 1, PROCESSING: 1 });
    expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'outbox.lock_lost', job: lost }));
  });
});
