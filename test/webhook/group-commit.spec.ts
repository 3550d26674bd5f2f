import { GroupCommit } from '../../src/database/group-commit.js';
import { LossyLine } from '../database/lossy-line.js';
import { sale } from '../support/client.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';

const LIMIT_MS = 600;

describe('W29: sales that arrive together are stored together', () => {
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

  test('by fewer statements than sales, each answered with its own job', async () => {
    const sales = Array.from({ length: 60 }, () => sale());
    const before = line.statements;
    const answers = await Promise.all(sales.map((each) => relay.post(each).expect(200)));
    expect(line.statements - before).toBeLessThan(sales.length);
    const jobs = sales.map(({ transactionKey }, i) => [transactionKey, [answers[i]?.body.jobId]]);
    expect(new Map((await stored(sales.map((each) => each.transactionKey))) as never)).toEqual(new Map(jobs as never));
  });

  test('one that cannot be stored fails alone', async () => {
    await scenario.database.query(
      `ALTER TABLE terminal_events ADD CONSTRAINT bad_row CHECK (source_key NOT LIKE 'BAD-%') NOT VALID`,
    );
    const sales = Array.from({ length: 30 }, (_, i) => sale(i % 10 === 3 ? { transactionKey: `BAD-${i}` } : {}));
    const answers = await Promise.all(sales.map((each) => relay.post(each)));
    await scenario.database.query('ALTER TABLE terminal_events DROP CONSTRAINT bad_row');
    expect(answers.map(({ status }) => status)).toEqual(sales.map((_, i) => (i % 10 === 3 ? 500 : 200)));
    expect(await stored(sales.map((each) => each.transactionKey))).toHaveLength(27);
  });

  test('one key twice among others: one job, one duplicate that names it', async () => {
    const twice = sale();
    const sales = [sale(), twice, sale(), twice, sale()];
    const answers = await Promise.all(sales.map((each) => relay.post(each)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 400]);
    const refused = answers.find(({ status }) => status === 400);
    expect(refused?.body).toMatchObject({ code: 'DUPLICATE_TRANSACTION' });
    expect(await stored([twice.transactionKey])).toEqual([[twice.transactionKey, [refused?.body.jobId]]]);
  });

  test('W18: none is answered 200 before the commit: without its answer all of them are 503', async () => {
    line.lose = /sourceKey/;
    const sales = Array.from({ length: 10 }, () => sale());
    const answers = await Promise.all(sales.map((each) => relay.post(each)));
    expect(line.lost).toBe(1);
    const lost = sales.filter((_, i) => answers[i]?.status === 503);
    expect(lost.length).toBeGreaterThan(0);
    // and the repeat is a 200, or says that it is safe (W24)
    for (const each of lost) expect([200, 400]).toContain((await relay.post(each)).status);
    expect(await stored(sales.map((each) => each.transactionKey))).toHaveLength(10);
  });
});

describe('a group commit', () => {
  const row = (name: string, length = 1) => ({ name, length, keys: [name] });
  type Row = ReturnType<typeof row>;

  /** Statements that end when the test says so. */
  function statements() {
    const begun: { names: string[]; end: () => void }[] = [];
    const group = new GroupCommit<Row, string>(
      (rows) =>
        new Promise((resolve) => {
          const names = rows.map(({ name }) => name);
          begun.push({ names, end: () => resolve(names.map((name) => `${name}!`)) });
        }),
    );
    const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    return { begun, group, turn };
  }

  test('writes at once what finds nothing under way, and gathers what comes meanwhile', async () => {
    const { begun, group, turn } = statements();
    const results = ['a', 'b', 'c', 'd'].map((name) => async () => group.add(row(name)));
    const answers = [];
    for (const add of results) {
      answers.push(add());
      await turn();
    }
    expect(begun.map(({ names }) => names)).toEqual([['a'], ['b']]);
    begun[0]?.end();
    await turn();
    expect(begun.map(({ names }) => names)).toEqual([['a'], ['b'], ['c', 'd']]);
    for (const { end } of begun) end();
    expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!']);
  });

  test('no statement holds two rows of one key, more than 100 rows, or more than 1 MiB', async () => {
    const { begun, group, turn } = statements();
    for (const name of ['a', 'a', 'b']) group.add(row(name));
    await turn();
    expect(begun.map(({ names }) => names)).toEqual([['a', 'b'], ['a']]);
    for (let i = 0; i < 150; i++) group.add(row(`k${i}`));
    group.add(row('large', 2_000_000));
    group.add(row('x', 700_000));
    group.add(row('y', 700_000));
    for (let i = 0; i < begun.length; i++) {
      begun[i]?.end();
      await turn();
    }
    expect(begun.slice(2).map(({ names }) => names.length)).toEqual([100, 51, 1, 1]);
    expect(begun.slice(3).map(({ names }) => names.at(-1))).toEqual(['x', 'large', 'y']);
  });
});
