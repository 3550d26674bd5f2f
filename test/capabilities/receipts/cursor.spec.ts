import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Cursor } from '../../../src/capabilities/receipts/receipt-cursor.js';
import { ReceiptCursors } from '../../../src/capabilities/receipts/receipt-cursors.js';
import { Config } from '../../../src/platform/config/config.js';
import { NEEDS_SERVER, whereServer } from '../../support/database.js';
import { Scenario } from '../../support/scenario.js';
import { markedKey } from '../../support/secrets.js';
import { until } from '../../support/until.js';
import { type Listed, PATH, receiptsOf } from './receipts.js';

describe('V22: pages of receipts', () => {
  const scenario = Scenario.ofSuite({ OUTBOX_BATCH_SIZE: '130' });
  const { restaurant, ask, list, one, hold } = receiptsOf(() => scenario);

  const cursorOf = (text: string) => scenario.relay.get(ReceiptCursors).read(text) as Cursor;
  const signed = (cursor: Cursor) => scenario.relay.get(ReceiptCursors).write(cursor);
  /** a cursor of the version before */
  const encoded = (parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

  test('a page has 100 receipts at most, and the next one begins after it (V22, L66)', async () => {
    const { key, sell } = await restaurant();
    const jobs = await Promise.all(Array.from({ length: 130 }, () => sell()));
    // jobs of one statement are settled at the same time
    await until(async () => {
      // on a busy machine some of the calls take too long
      await scenario.database.query(`UPDATE outbox_jobs SET next_run_at = now() WHERE status = 'FAILED'`);
      await scenario.relay.tick();
      return (await one(key, jobs.at(-1) as string)).body.data.state === 'delivered';
    }, 90_000);
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
    const { read } = cursorOf(cursor);
    // a server that has many more transactions behind it, and would see everything
    const foreign = { ...read, database: `7${read.database}`, snapshot: '9000000000:9000000000:' };
    const page = await list(key, { after: signed({ read: foreign }) });
    expect(page.data.map((each) => each.jobId)).toEqual([jobId, later]);
    expect((await list(key, { after: page.cursor })).data).toEqual([]);
  });

  test('a cursor that somebody has changed is a 400, in whatever part (V27)', async () => {
    const { key, sell } = await restaurant();
    await sell();
    const { cursor } = await list(key);
    const [known = '', more = '', keyName = '', mac = ''] = cursor.split(/[=.]/);
    const changed = (text: string) => `${text[0] === 'A' ? 'B' : 'A'}${text.slice(1)}`;
    const wrong = [
      `${changed(known)}=${more}.${keyName}.${mac}`,
      `${known}=${changed(more)}.${keyName}.${mac}`,
      `${known}=${more}.${keyName}.${changed(mac)}`,
      `${known}=${more}.${keyName}.`,
      `${known}=${more}.${keyName}`,
      `${known}.${keyName}.${mac}`,
      `${cursor}.`,
      `${cursor}A`,
      'x',
      '',
      encoded([]),
      encoded(['1.00000001', '5:5:']),
      ...['x', 1, null].map((database) => encoded([database, '5:5:', '0'])),
      ...['-1', '999999999999999999', '1e3', 5].map((at) => encoded(['1.00000001', '5:5:', at])),
      encoded(['1.00000001', '5:5:', '0', '5:5:', '0', 'x', false, 'k', randomUUID()]),
    ];
    for (const after of wrong) {
      const { body } = await ask(key, { after }).expect(400);
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
    await list(key, { after: cursor });
  });

  test('of a cursor of the version before only the time counts (V27)', async () => {
    const { key, sell } = await restaurant();
    const jobs = [await sell(), await sell()];
    const { read } = cursorOf((await list(key)).cursor);
    const { data } = await list(key);
    const all = jobs.map((jobId) => ['order.stored', jobId]);
    const typed = (shown: Listed) => shown.data.map(({ type, jobId }) => [type, jobId]);
    // a snapshot that would see everything, in whatever form
    for (const snapshot of ['9223372036854775806:9223372036854775806:', '5:4:', '0:0:', "'", read.snapshot]) {
      const page = await list(key, { after: encoded([read.database, snapshot, String(Date.now() * 1_000)]) });
      expect(typed(page)).toEqual(all);
      expect((await list(key, { after: page.cursor })).data).toEqual([]);
    }
    const after = String(Date.parse(data.at(-1)?.at as string) * 1_000);
    const between = ['5:5:', after, after, false, 'k', randomUUID()];
    expect(typed(await list(key, { after: encoded([read.database, '5:5:', '0', ...between]) }))).toEqual(all);
  });

  test('a list begins 31 days ago at the earliest (V27, L130)', async () => {
    const { key, sell } = await restaurant();
    const [old, young] = [await sell(), await sell()];
    await aged(old, 31 * 86_400_000 + 60_000);
    await aged(young, 31 * 86_400_000 - 60_000);
    const { read } = cursorOf((await list(key)).cursor);
    for (const after of [
      encoded([read.database, '5:5:', '0']),
      signed({ read: { ...read, snapshot: '5:5:', at: '0' } }),
    ])
      expect((await list(key, { after })).data.map(({ jobId }) => jobId)).toEqual([young]);
  });

  test.each([
    ['a minute', 60_000],
    ['5 minutes', 300_000],
    ['an hour', 3_600_000],
  ])("the database's clock goes back by %s: nothing is skipped, nothing comes twice (V29)", async (_, step) => {
    const { key, sell } = await restaurant();
    const before = await sell();
    await aged(before, -step);
    const { cursor } = await list(key);
    // the cursor is of a moment 5 minutes ago, when the clock was ahead
    const { read } = cursorOf(cursor);
    const pause = 300_000;
    const at = String(BigInt(read.at) + BigInt((step - pause) * 1_000));
    const ahead = signed({ read: { ...read, at, clock: (read.clock as number) - pause } });
    const sold = [await sell(), await sell()];
    // stored soon after the clock went back, and now
    await aged(sold[0] as string, pause - 5_000);
    const page = await list(key, { after: ahead });
    expect(page.data.map(({ jobId }) => jobId)).toEqual(sold);
    expect((await list(key, { after: page.cursor })).data).toEqual([]);
    const last = await sell();
    expect((await list(key, { after: page.cursor })).data.map(({ jobId }) => jobId)).toEqual([last]);
  });

  test("the database's clock goes forward for a time: nothing is skipped (V29)", async () => {
    const { key, sell } = await restaurant();
    const { cursor } = await list(key);
    const { read } = cursorOf(cursor);
    const [early, inJump] = [await sell(), await sell()];
    await aged(inJump, -3_600_000);
    const first = await list(key, { after: cursor });
    expect(first.data.map(({ jobId }) => jobId)).toEqual([early, inJump]);
    // this list was read within the jump; now the clock is right again
    const inside = cursorOf(first.cursor).read;
    const after = signed({ read: { ...inside, at: String(BigInt(read.at) + 3_600_000_000n) } });
    const later = await sell();
    expect((await list(key, { after })).data.map(({ jobId }) => jobId)).toEqual([later]);
  });

  /** Moves the receipt of a sale into the past, in ms. */
  const aged = (jobId: string, ms: number) =>
    scenario.database.query(
      `UPDATE terminal_events SET received_at = received_at - $2::float8 * interval '1 ms'
       WHERE transaction_key = (SELECT event_key FROM outbox_jobs WHERE id = $1::uuid)`,
      [jobId, ms],
    );
});

describe('V27: the key of the cursors', () => {
  test('with a new SECRETS_KEY the cursors of the previous key hold; those of an unknown one are their time (V27)', async () => {
    const scenario = await Scenario.open({ SECRETS_KEY: markedKey('first') });
    const { restaurant, list } = receiptsOf(() => scenario);
    try {
      const { key, sell } = await restaurant();
      const jobId = await sell();
      const { cursor } = await list(key);
      const later = await sell();
      const jobsOf = async (settings: Record<string, string>) => {
        const relay = await scenario.start({ SECRETS_KEY: markedKey('other'), ...settings });
        const { body } = await relay.api.get(PATH, key).query({ after: cursor }).expect(200);
        await relay.close();
        return body.data.map((each: { jobId: string }) => each.jobId);
      };
      expect(await jobsOf({ SECRETS_KEY_PREVIOUS: scenario.relay.get(Config).secretsKey.toString('base64') })).toEqual([
        later,
      ]);
      expect(await jobsOf({})).toEqual([jobId, later]);
    } finally {
      await scenario.close();
    }
  });
});
