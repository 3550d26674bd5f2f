import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { keysOf, nowSeconds, type ShownKey, sendBy, signatureOf } from '../sender-keys/keys.js';
import { NEEDS_SERVER, whereServer } from '../support/database.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

const PATH = '/webhooks/terminal/receipts';
const SCOPES = ['sales:write', 'receipts:read'];

interface Shown {
  readonly type: string;
  readonly at: string;
  readonly transactionKey: string;
  readonly jobId: string;
  readonly state: string;
  readonly cause?: string;
}
interface Listed {
  readonly data: Shown[];
  readonly cursor: string;
  readonly more: boolean;
}

describe('V20: receipts', () => {
  let scenario: Scenario;
  let relay: TestRelay;
  let admin: string;

  beforeAll(async () => {
    scenario = await Scenario.open();
    relay = scenario.relay;
    admin = await relay.login();
  });
  afterAll(() => scenario.close());

  async function restaurant() {
    const code = `S-${randomUUID()}`;
    const { id, token } = await scenario.restaurant(code);
    const keys = keysOf(relay, id, token);
    const { token: key, id: row } = await keys.create({ scopes: SCOPES });
    const sell = async (fields: object = {}) =>
      (await sendBy(relay, key, { ...fields }).expect(200)).body.jobId as string;
    return { id, code, owner: token, keys, key, row, sell };
  }
  const ask = (token: string, query: Record<string, string | number> = {}) => relay.api.get(PATH, token).query(query);
  const list = async (token: string, query: Record<string, string | number> = {}): Promise<Listed> =>
    (await ask(token, query).expect(200)).body;
  const one = (token: string, jobId: string) => relay.api.get(`${PATH}/${jobId}`, token);
  const read = (cursor: string): unknown[] => JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const forged = (parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  /** The jobs are not due before a test makes them due. */
  const hold = (jobs: readonly string[]) =>
    scenario.database.query(
      `UPDATE outbox_jobs SET next_run_at = now() + interval '1 day' WHERE id = ANY ($1::uuid[])`,
      [jobs],
    );
  const typesOf = ({ data }: Listed, jobId: string) =>
    data.filter((each) => each.jobId === jobId).map(({ type }) => type);

  test('what became of a sale: stored, delivered, parked with its cause, cancelled (V21)', async () => {
    const { id, owner, key, sell } = await restaurant();
    const begun = Date.now();
    const [delivered, parked, cancelled, waiting] = [await sell(), await sell(), await sell(), await sell()];
    const { cursor } = await list(key);
    await hold([delivered, parked, cancelled, waiting]);
    await scenario.settle(delivered, 'SENT');
    await scenario.settle(parked, 'DLQ');
    await scenario.cancel(id, await scenario.keyOf(cancelled), owner).expect(202);
    await relay.tick();
    const page = await list(key, { after: cursor });
    expect(typesOf(page, delivered)).toEqual(['order.delivered']);
    expect(typesOf(page, parked)).toEqual(['order.parked']);
    expect(typesOf(page, cancelled)).toEqual(['order.cancelled']);
    const shown = page.data.find(({ jobId }) => jobId === parked) as Shown;
    expect(shown).toEqual({
      ...{ type: 'order.parked', at: expect.any(String), transactionKey: await scenario.keyOf(parked), jobId: parked },
      ...{ state: 'parked', cause: (await scenario.jobs.get(parked)).cause },
    });
    expect(shown.cause).toBeTruthy();
    expect(Date.parse(shown.at)).toBeGreaterThanOrEqual(begun - 1_000);
    expect(
      (await list(key)).data
        .filter(({ type }) => type === 'order.stored')
        .map(({ jobId }) => jobId)
        .sort(),
    ).toEqual([delivered, parked, cancelled, waiting].sort());
  });

  test('the receipt of one sale is its last change (V21)', async () => {
    const { id, owner, key, sell } = await restaurant();
    const jobId = await sell({ transactionKey: 'ONE-1' });
    const read = async () => (await one(key, jobId).expect(200)).body.data;
    const transactionKey = 'ONE-1';
    expect(await read()).toEqual({
      type: 'order.stored',
      at: expect.any(String),
      transactionKey,
      jobId,
      state: 'waiting',
    });
    await scenario.settle(jobId, 'DLQ');
    const { cause } = await scenario.jobs.get(jobId);
    expect(await read()).toMatchObject({ type: 'order.parked', state: 'parked', cause });
    await scenario.jobs.reset(jobId);
    await scenario.settle(jobId, 'SENT');
    expect(await read()).toEqual({
      type: 'order.delivered',
      at: expect.any(String),
      transactionKey,
      jobId,
      state: 'delivered',
    });
    await scenario.cancel(id, 'ONE-1', owner).expect(202);
    await relay.tick();
    expect(await read()).toMatchObject({ type: 'order.cancelled', state: 'cancelled' });
  });

  test('a refund is stored, and has no other receipt (V21, M16)', async () => {
    const { key, sell } = await restaurant();
    const jobId = await sell({ totalAmount: -10, payments: [] });
    await relay.tick();
    expect((await scenario.jobs.get(jobId)).cause).toBe('refund');
    expect(typesOf(await list(key), jobId)).toEqual(['order.stored']);
    const { data } = (await one(key, jobId).expect(200)).body;
    expect(data).toMatchObject({ type: 'order.stored' });
    expect(data).not.toHaveProperty('cause');
  });

  test('a parked cancel is an order that is parked, with the cause of the cancel (V21)', async () => {
    const { id, owner, key, sell } = await restaurant();
    const jobId = await sell({ transactionKey: 'ODD-1' });
    await scenario.settle(jobId, 'SENT');
    const { cursor } = await list(key);
    const cancel = (await scenario.cancel(id, 'ODD-1', owner).expect(202)).body.data.jobId;
    await scenario.settle(cancel, 'DLQ');
    const { cause } = await scenario.jobs.get(cancel);
    const expected = { type: 'order.parked', jobId, transactionKey: 'ODD-1', state: 'parked', cause };
    expect((await list(key, { after: cursor })).data).toMatchObject([expected]);
    expect((await one(key, jobId).expect(200)).body.data).toMatchObject(expected);
    expect((await one(key, cancel).expect(200)).body.data).toMatchObject(expected);
  });

  test('a key reads its restaurant, a user the restaurants they own, the platform what it sent (V20)', async () => {
    const [own, other] = [await restaurant(), await restaurant()];
    const platformKey = await keysOf(relay, null, admin).create({ scopes: SCOPES });
    const byKey = await own.sell();
    const byPlatform = (await sendBy(relay, TERMINAL_TOKEN, { storeCode: own.code }).expect(200)).body.jobId;
    const byPlatformKey = (await sendBy(relay, platformKey.token, { storeCode: own.code }).expect(200)).body.jobId;
    const byUser = (await sendBy(relay, own.owner, { storeCode: own.code }).expect(200)).body.jobId;
    const all = [byKey, byPlatform, byPlatformKey, byUser].sort();
    const readers: [token: string, jobs: string[]][] = [
      [own.key, all],
      [own.owner, all],
      [other.key, []],
      [other.owner, []],
      [TERMINAL_TOKEN, [byPlatform, byPlatformKey].sort()],
      [platformKey.token, [byPlatform, byPlatformKey].sort()],
    ];
    for (const [token, jobs] of readers) {
      const { data } = await list(token);
      expect(
        data
          .map(({ jobId }) => jobId)
          .filter((jobId) => all.includes(jobId))
          .sort(),
      ).toEqual(jobs);
      for (const jobId of all) await one(token, jobId).expect(jobs.includes(jobId) ? 200 : 404);
    }
    expect((await list(other.key)).data).toEqual([]);
    await one(own.key, randomUUID()).expect(404);
    expect((await one(own.key, 'no-uuid').expect(400)).body.code).toBe('INVALID_ID');
  });

  test('a key without the scope, a revoked key and a wrong one read nothing (V4, V20)', async () => {
    const { keys, key, row, sell } = await restaurant();
    const jobId = await sell();
    const { token: writesOnly } = await keys.create();
    for (const call of [ask(writesOnly), one(writesOnly, jobId)])
      expect((await call.expect(403)).body.code).toBe('MISSING_SCOPE');
    await list(key);
    await keys.revoke(row).expect(200);
    await ask(key).expect(401);
    await one(key, jobId).expect(401);
    await ask('wrong').expect(401);
    await relay.http.get(PATH).expect(401);
  });

  test('a key that signs asks with the signature of an empty body (V23)', async () => {
    const { keys } = await restaurant();
    const key = await keys.create({ kind: 'SIGNING', scopes: SCOPES });
    const signed = (path: string, { keyId, secret }: ShownKey, body = '') => {
      const at = nowSeconds();
      const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(at) };
      return relay.http
        .get(`/webhooks/terminal/${keyId}/${path}`)
        .set({ ...headers, 'webhook-signature': signatureOf(secret, 'msg_1', at, body) });
    };
    new Webhook(key.secret).sign('msg_1', new Date(), '');
    const body = JSON.stringify({ transactionKey: 'SIGNED-1', items: [], payments: [] });
    const at = nowSeconds();
    const accepted = await relay.http
      .post(key.path as string)
      .set({ 'Content-Type': 'application/json', 'webhook-id': 'm', 'webhook-timestamp': String(at) })
      .set('webhook-signature', signatureOf(key.secret, 'm', at, body))
      .send(body)
      .expect(200);
    const { jobId, receipt } = accepted.body;
    expect(receipt).toBe(`${key.path}/receipts/${jobId}`);
    expect((await signed('receipts', key).expect(200)).body.data).toMatchObject([
      { transactionKey: 'SIGNED-1', jobId },
    ]);
    expect((await signed(`receipts/${jobId}`, key).expect(200)).body.data).toMatchObject({
      type: 'order.stored',
      jobId,
    });
    await signed('receipts', key, 'x').expect(401);
    await relay.http.get(`/webhooks/terminal/${key.keyId}/receipts`).expect(401);
    const { secret, ...wrong } = key;
    await signed('receipts', { ...wrong, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }).expect(401);
    await signed('receipts', await keys.create({ kind: 'SIGNING' })).expect(403);
    expect(secret).toBeDefined();
  });

  test('the answer of the webhook names its receipt (V26)', async () => {
    const { key } = await restaurant();
    const { jobId, receipt } = (await sendBy(relay, key).expect(200)).body;
    expect(receipt).toBe(`${PATH}/${jobId}`);
    expect((await relay.api.get(receipt, key).expect(200)).body.data.jobId).toBe(jobId);
  });

  test('If-None-Match: 304 until there is something new (V25)', async () => {
    const { key, sell } = await restaurant();
    const jobId = await sell();
    const { cursor } = await list(key);
    const { etag } = (await ask(key, { after: cursor }).expect(200)).headers as { etag: string };
    const known = await ask(key, { after: cursor }).set('If-None-Match', `"other", ${etag}`).expect(304);
    expect(known.text).toBe('');
    const single = (await one(key, jobId).expect(200)).headers.etag as string;
    await one(key, jobId).set('If-None-Match', single).expect(304);
    await scenario.settle(jobId, 'SENT');
    await ask(key, { after: cursor }).set('If-None-Match', etag).expect(200);
    await one(key, jobId).set('If-None-Match', single).expect(200);
  });

  test('wait: the answer comes with the first receipt (V24)', async () => {
    const { key, sell } = await restaurant();
    const { cursor } = await list(key);
    let isAnswered = false;
    const polls = [1, 2].map(() => list(key, { after: cursor, wait: 25 }).finally(() => (isAnswered = true)));
    await until(async () => (await list(key)) && true);
    expect(isAnswered).toBe(false);
    const jobId = await sell();
    for (const poll of polls) expect((await poll).data).toMatchObject([{ type: 'order.stored', jobId }]);
  });

  test('wait: after its time the answer is empty, and its cursor goes on (V24)', async () => {
    const { key, sell } = await restaurant();
    const { data, cursor } = await list(key, { wait: 1 });
    expect(data).toEqual([]);
    const jobId = await sell();
    expect((await list(key, { after: cursor, wait: 25 })).data).toMatchObject([{ jobId }]);
  });

  test('a page has 100 receipts at most, and the next one begins after it (V22, L66)', async () => {
    const { key, sell } = await restaurant();
    const jobs: string[] = [];
    for (let i = 0; i < 130; i++) jobs.push(await sell());
    // jobs of one statement are settled at the same time
    await until(async () => {
      await relay.tick();
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
