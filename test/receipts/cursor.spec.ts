import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { NEEDS_SERVER, whereServer } from '../support/database.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';
import { type Listed, receiptsOf } from './receipts.js';

describe('V22: pages of receipts', () => {
  const scenario = Scenario.ofSuite({ OUTBOX_BATCH_SIZE: '130' });
  const { restaurant, ask, list, one, hold } = receiptsOf(() => scenario);

  const read = (cursor: string): unknown[] => JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const forged = (parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

  test('a page has 100 receipts at most, and the next one begins after it (V22, L66)', async () => {
    const { key, sell } = await restaurant();
    const jobs = await Promise.all(Array.from({ length: 130 }, () => sell()));
    // jobs of one statement are settled at the same time
    await until(async () => {
      await scenario.relay.tick();
      return (await one(key, jobs.at(-1) as string)).body.data.state === 'delivered';
    });
    const pages: Listed[] = [await list(key)];
    while (pages.at(-1)?.more) pages.push(await list(key, { after: (pages.at(-1) as Listed).cursor }));
    expect(pages.map(({ data }) => data.length)).toEqual([100, 100, 60]);
    const seen = pages.flatMap(({ data }) => data.map(({ jobId, type }) => `${type} ${jobId}`));
    const types = ['order.stored', 'order.delivered'];
    expect(seen.toSorted()).toEqual(types.flatMap((type) => jobs.map((job) => `${type} ${job}`)).toSorted());
    expect((await list(key, { after: pages.at(-1)?.cursor as string })).data).toEqual([]);
  });

  test('what is changed between two pages comes after the last of them (V22)', async () => {
    const { key, sell } = await restaurant();
    const jobs = [];
    for (let i = 0; i < 110; i++) jobs.push(await sell());
    const first = await list(key);
    await hold(jobs);
    await scenario.settle(jobs[0] as string, 'SENT');
    const late = await sell();
    const second = await list(key, { after: first.cursor });
    expect(second).toMatchObject({ more: false, data: { length: 10 } });
    const { data } = await list(key, { after: second.cursor });
    expect(data.map(({ type, jobId }) => [type, jobId])).toEqual([
      ['order.delivered', jobs[0]],
      ['order.stored', late],
    ]);
  });

  whereServer(
    `what is committed later is not skipped, although it was stored earlier (V22)${NEEDS_SERVER}`,
    async () => {
      const { key, id, sell } = await restaurant();
      const copied = await sell({ transactionKey: 'EARLY' });
      const { cursor } = await list(key);
      const slow = new pg.Client({ connectionString: scenario.database.url });
      await slow.connect();
      await slow.query('BEGIN');
      await slow.query(
        `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at)
       SELECT 'SLOW', 'SLOW', false, restaurant_id, payload, now() FROM terminal_events WHERE transaction_key = 'EARLY' AND restaurant_id = $1`,
        [id],
      );
      await slow.query(
        `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, created_at, updated_at)
       VALUES (gen_random_uuid(), 'SLOW', $1, 'CREATE', 'PENDING', now(), now())`,
        [id],
      );
      const fast = await sell({ transactionKey: 'FAST' });
      const before = await list(key, { after: cursor });
      expect(before.data.map(({ jobId }) => jobId)).toEqual([fast]);
      expect(copied).not.toBe(fast);
      await slow.query('COMMIT');
      await slow.end();
      const after = await list(key, { after: before.cursor });
      expect(after.data.map(({ transactionKey }) => transactionKey)).toEqual(['SLOW']);
      expect((await list(key, { after: after.cursor })).data).toEqual([]);
    },
  );

  test('the cursor of another database begins at its time: receipts may come again, none is skipped (V22)', async () => {
    const { key, sell } = await restaurant();
    const jobId = await sell();
    const { cursor } = await list(key);
    const later = await sell();
    const [database = '', , at = ''] = read(cursor) as string[];
    // a server that has many more transactions behind it, and would see everything
    const everything = '9000000000:9000000000:';
    const foreign = forged([`7${database}`, everything, at]);
    const page = await list(key, { after: foreign });
    expect(page.data.map((each) => each.jobId)).toEqual([jobId, later]);
    expect((await list(key, { after: page.cursor })).data).toEqual([]);
  });

  test('a forged cursor is a 400 of its own, and never reaches the statement (V22)', async () => {
    const { key, sell } = await restaurant();
    await sell();
    const [database, snapshot, at] = read((await list(key)).cursor) as string[];
    const [xmin] = (snapshot as string).split(':');
    const rest = [snapshot, at, at, false, 'T-1', randomUUID()];
    const wrong: unknown[][] = [
      [],
      [database, snapshot],
      ['x', snapshot, at],
      ...[
        '5:4:',
        '5:9:9',
        '5:9:7,6',
        '5:9:4',
        '0:0:',
        '4294967296:4294967297:',
        '1:99999999999999999999:',
        `${xmin}:${xmin}:'`,
        7,
        null,
      ].map((forgery) => [database, forgery, at]),
      ...['-1', '999999999999999999', '1e3', 5].map((time) => [database, snapshot, time]),
      [database, snapshot, at, ...rest.slice(0, 5)],
      [database, snapshot, at, ...rest, ''],
      ...['3:2:', null].map((until) => [database, snapshot, at, until, ...rest.slice(1)]),
      ...['x', null].map((id) => [database, snapshot, at, ...rest.slice(0, 5), id]),
      ...['\0', '\ud800', 'k'.repeat(301), 1].map((stored) => [
        database,
        snapshot,
        at,
        ...rest.slice(0, 4),
        stored,
        rest[5],
      ]),
      [database, snapshot, at, ...rest.slice(0, 3), 'false', ...rest.slice(4)],
    ];
    for (const parts of wrong) {
      const { body } = await ask(key, { after: forged(parts) }).expect(400);
      expect(body).toMatchObject({
        code: 'VALIDATION_FAILED',
        message: [expect.stringContaining('after must be the cursor')],
      });
    }
    for (const [field, query] of [
      ['wait', { wait: 26 }],
      ['wait', { wait: 'x' }],
      ['other', { other: 1 }],
    ] as const)
      expect(String((await ask(key, query).expect(400)).body.message)).toContain(field);
    await ask(key, { after: 'x' }).expect(400);
    await list(key, { after: forged([database, '5:9:5,7', '0']) });
    await list(key, { after: forged([database, snapshot, at, ...rest]) });
  });
});
