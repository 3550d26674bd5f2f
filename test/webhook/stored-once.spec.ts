import type { Jobs } from '../outbox/jobs.js';
import { bytesRead } from '../support/bytes-read.js';
import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { People, Person } from '../user-links/people.js';

const TEST_STORE = 'TEST-STORE';

describe('the webhook stores a sale once, or says that it did not', () => {
  const scenario = Scenario.ofSuite({ TERMINAL_TEST_STORE_CODE: TEST_STORE });
  let database: TestDatabase;
  let jobs: Jobs;
  let relay: TestRelay;
  let people: People;
  let person: Person;

  beforeAll(async () => {
    ({ database, jobs, people, relay } = scenario);
    person = await people.user();
    await people.restaurant('STORE-1', [person, 'OWNER']);
    await people.restaurant('STORE-2', [person, 'OWNER']);
  });

  /** Every event this key was stored as, each with its job. */
  const storedAs = (sourceKey: unknown) =>
    database.query<{ transaction_key: string; event_key: string; test_mode: boolean; job: string; action: string }>(
      `SELECT event.*, job.id AS job, job.event_key, job.action::text FROM terminal_events event
       LEFT JOIN outbox_jobs job ON job.event_key = event.transaction_key AND job.restaurant_id = event.restaurant_id
       WHERE source_key = $1 ORDER BY received_at`,
      [sourceKey],
    );

  test('an accepted transaction: 200 {success, jobId}, one event, one CREATE job that is PENDING and due', async () => {
    const event = sale();
    const { body } = await relay.post(event).expect(200);
    expect(body).toEqual({
      success: true,
      jobId: expect.any(String),
      traceId: expect.any(String),
      receipt: expect.any(String),
    });
    expect(await storedAs(event.transactionKey)).toMatchObject([
      { transaction_key: event.transactionKey, test_mode: false, job: body.jobId, action: 'CREATE' },
    ]);
    const job = await jobs.get(body.jobId);
    expect(job).toMatchObject({ status: 'PENDING', attempts: 0, event_key: event.transactionKey, locked_by: null });
    expect(job.due_in_ms).toBeLessThanOrEqual(0);
  });

  describe('production', () => {
    test('W20: a key that was received before is a 400 with the jobId it was stored as, and nothing is stored again', async () => {
      const event = sale();
      const jobId = await relay.accept(event);
      const { body } = await relay.post(event).expect(400);
      expect(body).toMatchObject({ statusCode: 400, code: 'DUPLICATE_TRANSACTION', jobId });
      expect(body.message).toContain('transactionKey');
      expect(await storedAs(event.transactionKey)).toHaveLength(1);
    });

    test('W45: a repeat reads of the stored sale only what it is compared by', async () => {
      const event = sale();
      await relay.accept({ ...event, note: 'x'.repeat(900_000) });
      expect(await bytesRead(() => relay.post(event).expect(400))).toBeLessThan(50_000);
      await relay.post({ ...event, totalAmount: 4_711 }).expect(400);
    });

    test('W19: a key is unique within its restaurant, for all senders', async () => {
      const event = sale();
      const jobId = await relay.accept(event);
      const bySomebody = relay.http.post('/webhooks/terminal').auth(person.email, person.password).send(event);
      expect((await bySomebody.expect(400)).body).toMatchObject({ code: 'DUPLICATE_TRANSACTION', jobId });
      const elsewhere = { ...event, storeCode: 'STORE-2' };
      const other = await relay.accept(elsewhere);
      expect(other).not.toBe(jobId);
      expect((await relay.post(elsewhere).expect(400)).body.jobId).toBe(other);
      expect(await jobs.get(other)).toMatchObject({ event_key: event.transactionKey });
      expect(await storedAs(event.transactionKey)).toHaveLength(2);
    });

    test('keys that differ only in case are two', async () => {
      const event = sale();
      await relay.post(event).expect(200);
      await relay.post({ ...event, transactionKey: String(event.transactionKey).toLowerCase() }).expect(200);
    });

    test('twenty concurrent posts of one key: one 200, nineteen 400, one job (P3)', async () => {
      const event = sale();
      const answers = await Promise.all(Array.from({ length: 20 }, () => relay.post(event)));
      const accepted = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ body }) => body.statusCode === 400 && body.code === 'DUPLICATE_TRANSACTION');
      expect([accepted.length, refused.length]).toEqual([1, 19]);
      for (const { body } of refused) expect(body.jobId).toBe(accepted[0]?.body.jobId);
      expect(await storedAs(event.transactionKey)).toMatchObject([{ job: accepted[0]?.body.jobId }]);
    });
  });

  describe('test mode', () => {
    const testSale = (changes: object = {}) => sale({ isTestTransaction: true, ...changes });

    const toTestStore = (event: object) =>
      relay.http
        .post('/webhooks/terminal')
        .auth(person.email, person.password)
        .send({ ...event, storeCode: TEST_STORE });

    test('by isTestTransaction: stored under the sent key + "-" + the epoch ms of its receipt, sourceKey as sent (W21, W22)', async () => {
      const event = testSale();
      const before = Date.now();
      const jobId = await relay.accept(event);
      const [row, ...more] = await storedAs(event.transactionKey);
      expect(more).toEqual([]);
      expect(row).toMatchObject({ test_mode: true, job: jobId, event_key: row?.transaction_key });
      const [, suffix] = String(row?.transaction_key).split(`${event.transactionKey}-`);
      expect(suffix).toMatch(/^\d{13}$/);
      expect(Number(suffix)).toBeGreaterThanOrEqual(before);
      expect(Number(suffix)).toBeLessThanOrEqual(Date.now());
    });

    test('by TERMINAL_TEST_STORE_CODE, without isTestTransaction or against it (W21)', async () => {
      const restaurantId = await people.restaurant(null, [person, 'OWNER']);
      for (const isTestTransaction of [undefined, null, false]) {
        const event = sale({ isTestTransaction, restaurantId });
        await toTestStore(event).expect(200);
        expect(await storedAs(event.transactionKey)).toMatchObject([
          { test_mode: true, transaction_key: expect.stringMatching(/-\d{13}$/) },
        ]);
      }
    });

    test('a duplicate is ignored: 200 with the first job, no second order (W23)', async () => {
      const event = testSale();
      const first = await relay.accept(event);
      expect(await relay.accept(event)).toBe(first);
      expect(await relay.accept({ ...event, totalAmount: 1 })).toBe(first);
      expect(await storedAs(event.transactionKey)).toMatchObject([{ job: first }]);
    });

    test('a key of 255 characters has room for its suffix', async () => {
      const event = testSale({ transactionKey: 'k'.repeat(255) });
      expect(await relay.accept(event)).toBe(await relay.accept(event));
    });

    test('twenty concurrent posts of one key: twenty 200 with one job', async () => {
      const event = testSale();
      const ids = await Promise.all(Array.from({ length: 20 }, () => relay.accept(event)));
      expect(new Set(ids).size).toBe(1);
      expect(await storedAs(event.transactionKey)).toMatchObject([{ job: ids[0] }]);
    });

    test('one source key for two restaurants: two orders, also when posted concurrently', async () => {
      const event = testSale();
      const send = () => ['STORE-1', 'STORE-2'].map((storeCode) => relay.accept({ ...event, storeCode }));
      const ids = await Promise.all([...send(), ...send(), ...send()]);
      const [one, two] = ids;
      expect(one).not.toBe(two);
      expect(ids).toEqual([one, two, one, two, one, two]);
      expect(await storedAs(event.transactionKey)).toHaveLength(2);
    });

    test('a test and a production transaction with one sent key are both accepted, in either order', async () => {
      for (const flags of [
        [true, false],
        [false, true],
      ]) {
        const event = sale();
        for (const isTestTransaction of flags) await relay.accept({ ...event, isTestTransaction });
        const rows = await storedAs(event.transactionKey);
        expect(rows.map(({ test_mode }) => test_mode)).toEqual(flags);
      }
    });
  });

  test('event and job are written both or neither: a job that cannot be written leaves no event, and the answer is a 500 (W17)', async () => {
    const events = [sale(), sale({ isTestTransaction: true })];
    await database.query(`ALTER TABLE outbox_jobs ADD CONSTRAINT no_jobs_today CHECK (attempts < 0) NOT VALID`);
    try {
      for (const event of events) {
        const { body } = await relay.post(event).expect(500);
        expect(body).toMatchObject({ statusCode: 500, error: 'Internal Server Error', code: 'INTERNAL' });
        expect(JSON.stringify(body)).not.toMatch(/no_jobs_today|outbox_jobs|prisma|insert|constraint/i);
        expect(await storedAs(event.transactionKey)).toEqual([]);
      }
    } finally {
      await database.query('ALTER TABLE outbox_jobs DROP CONSTRAINT no_jobs_today');
    }
    for (const event of events) await relay.accept(event);
  });

  test('a database that is gone is a 503 DATABASE_UNAVAILABLE, never a 200; the same sale is accepted when it is back', async () => {
    const event = sale();
    const comeBack = await database.goAway();
    const byEveryWay = [
      relay.post(event),
      relay.post({ ...event, isTestTransaction: true }),
      relay.http.post('/webhooks/terminal').auth(person.email, person.password).send(event),
      relay.http.post('/webhooks/terminal').send({ ...event, email: person.email, password: person.password }),
    ];
    for (const { body } of await Promise.all(byEveryWay)) {
      expect(body).toMatchObject({ statusCode: 503, error: 'Service Unavailable', code: 'DATABASE_UNAVAILABLE' });
      expect(JSON.stringify(body)).not.toMatch(/prisma|ECONN|127\.0\.0\.1/i);
    }
    await comeBack();
    expect(await storedAs(event.transactionKey)).toEqual([]);
    const jobId = await relay.accept(event);
    expect(await storedAs(event.transactionKey)).toMatchObject([{ job: jobId }]);
  });
});
