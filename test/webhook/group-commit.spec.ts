import { randomUUID } from 'node:crypto';
import { Owners } from '../../src/webhook/authentication/owners.js';
import { LossyLine } from '../platform/database/lossy-line.js';
import { sale } from '../support/client.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';

const LIMIT_MS = 600;

describe('W29: group commit: sales that arrive together are stored by one statement', () => {
  let scenario: Scenario;
  let line: LossyLine;
  let relay: TestRelay;

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses();
    line = new LossyLine();
    relay = await scenario.start({
      DATABASE_URL: await line.listen(scenario.database),
      DATABASE_TIMEOUT_MS: String(LIMIT_MS),
    });
    await relay.quiet();
    await relay.createRestaurant();
    await relay.accept(sale());
  });
  afterAll(async () => {
    await relay.close();
    line.close();
    await scenario.close();
  });

  const stored = async (keys: unknown[]) =>
    (
      await scenario.database.query<{ key: string; jobs: string[] }>(
        `SELECT transaction_key AS key, array_agg(job.id::text) AS jobs FROM terminal_events event
         LEFT JOIN outbox_jobs job ON job.event_key = event.transaction_key AND job.restaurant_id = event.restaurant_id
         WHERE transaction_key = ANY($1) GROUP BY transaction_key`,
        [keys],
      )
    ).map(({ key, jobs }) => [key, jobs]);

  test('in fewer statements than sales; each answer has its own job', async () => {
    const sales = Array.from({ length: 60 }, () => sale());
    const before = line.statements;
    const answers = await Promise.all(sales.map((each) => relay.post(each).expect(200)));
    expect(line.statements - before).toBeLessThan(sales.length);
    const jobs = sales.map(({ transactionKey }, i) => [transactionKey, [answers[i]?.body.jobId]]);
    expect(new Map((await stored(sales.map((each) => each.transactionKey))) as never)).toEqual(new Map(jobs as never));
  });

  test('W28: users that are read at the same time are read by one statement', async () => {
    const owners = relay.get(Owners);
    const ids = (await scenario.database.query<{ id: string }>('SELECT id FROM users')).map(({ id }) => id);
    const wanted = [...ids, ...ids, randomUUID()];
    // the connection prepares the statement, or finds that it cannot
    for (let i = 0; i < 2; i++) await owners.ofId(randomUUID());
    const before = line.statements;
    const found = await Promise.all(wanted.map((id) => owners.ofId(id)));
    expect(line.statements - before).toBe(1);
    expect(found.map((owner) => owner?.id)).toEqual([...ids, ...ids, undefined]);
  });

  test('one key twice in a batch, for one restaurant by its code and by its id: one job, one duplicate', async () => {
    const { transactionKey } = sale();
    const restaurantId = await relay.createRestaurant({ codeStoreTerminal: 'TWO-NAMES' });
    const named = [
      { transactionKey, storeCode: 'TWO-NAMES' },
      { transactionKey, storeCode: undefined, restaurantId },
    ];
    const answers = await Promise.all([...named, {}, {}].map((each) => relay.post(sale(each))));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 400]);
    expect(await stored([transactionKey])).toHaveLength(1);
  });

  test('a sale that cannot be stored fails alone', async () => {
    await scenario.database.query(
      `ALTER TABLE terminal_events ADD CONSTRAINT bad_row CHECK (source_key NOT LIKE 'BAD-%') NOT VALID`,
    );
    const sales = Array.from({ length: 30 }, (_, i) => sale(i % 10 === 3 ? { transactionKey: `BAD-${i}` } : {}));
    const answers = await Promise.all(sales.map((each) => relay.post(each)));
    await scenario.database.query('ALTER TABLE terminal_events DROP CONSTRAINT bad_row');
    expect(answers.map(({ status }) => status)).toEqual(sales.map((_, i) => (i % 10 === 3 ? 500 : 200)));
    expect(await stored(sales.map((each) => each.transactionKey))).toHaveLength(27);
  });

  test('one key twice in a batch: one job, one duplicate with its jobId', async () => {
    const twice = sale();
    const sales = [sale(), twice, sale(), twice, sale()];
    const answers = await Promise.all(sales.map((each) => relay.post(each)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body).toMatchObject({ code: 'DUPLICATE_TRANSACTION' });
    expect(await stored([twice.transactionKey])).toEqual([[twice.transactionKey, [refused?.body.jobId]]]);
  });

  test('W18: no 200 before the commit: when its answer is lost, all of them are 503', async () => {
    line.lose = /sourceKey/;
    const sales = Array.from({ length: 10 }, () => sale());
    const answers = await Promise.all(sales.map((each) => relay.post(each)));
    expect(line.lost).toBe(1);
    const lost = sales.filter((_, i) => answers[i]?.status === 503);
    expect(lost.length).toBeGreaterThan(0);
    // W24: the repeat is a 200 or a DUPLICATE_TRANSACTION
    for (const each of lost) expect([200, 400]).toContain((await relay.post(each)).status);
    expect(await stored(sales.map((each) => each.transactionKey))).toHaveLength(10);
  });
});
