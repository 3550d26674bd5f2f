import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { KnownKeys } from '../../../src/auth/sender-keys/known-keys.js';
import { LastUsed } from '../../../src/auth/sender-keys/last-used.js';
import { newKeyId, newKeyToken } from '../../../src/auth/sender-keys/token.js';
import { FOREIGN_STORE } from '../../../src/domain/warnings.js';
import { LossyLine } from '../../platform/database/lossy-line.js';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { keysOf, sendBy } from './keys.js';

const LIMIT = 4_096;

describe('V: sales with the token of a sender key', () => {
  let scenario: Scenario;
  let line: LossyLine;
  let relay: TestRelay;
  /** on the same database; `line` counts its statements too */
  let second: TestRelay;
  let admin: string;

  beforeAll(async () => {
    scenario = await Scenario.open({ BODY_LIMIT_BYTES: String(LIMIT), TERMINAL_TEST_STORE_CODE: 'TEST-STORE' });
    relay = scenario.relay;
    line = new LossyLine();
    second = await (await scenario.start({ DATABASE_URL: await line.listen(scenario.database) })).quiet();
    admin = await relay.login();
  });
  afterAll(async () => {
    await second.close();
    line.close();
    await scenario.close();
  });

  async function restaurant(code: string | null = `S-${randomUUID()}`) {
    const { id, token } = await scenario.restaurant(code);
    return { id, code, keys: keysOf(relay, id, token) };
  }
  const restaurantOf = async (jobId: string) =>
    (await scenario.database.query('SELECT restaurant_id AS id FROM outbox_jobs WHERE id = $1', [jobId]))[0]?.id;
  const statementsOf = async (work: () => PromiseLike<unknown>) => {
    const before = line.statements;
    await work();
    return line.statements - before;
  };

  test('a key of a restaurant sends for it, whatever the sale names (V7)', async () => {
    const [own, other] = [await restaurant(), await restaurant()];
    const { token } = await own.keys.create();
    for (const fields of [{}, { storeCode: other.code }, { restaurantId: other.id }, { storeCode: 'TEST-STORE' }])
      expect(await restaurantOf((await sendBy(relay, token, fields).expect(200)).body.jobId)).toBe(own.id);
  });

  test('a sale that names another store is stored for the restaurant of the key, with a warning; the list of keys says when (W49)', async () => {
    const { id, code, keys } = await restaurant();
    const other = await restaurant();
    const key = await keys.create();
    for (const own of [
      { storeCode: code },
      { restaurantId: id.toUpperCase() },
      {},
      { storeCode: code, restaurantId: id },
    ])
      expect((await sendBy(relay, key.token, own).expect(200)).body).not.toHaveProperty('warnings');
    expect((await keys.list())[0]?.foreignStoreAt).toBeNull();
    for (const foreign of [
      { storeCode: other.code },
      { storeCode: 'NOBODY' },
      { restaurantId: other.id, storeCode: code },
    ]) {
      const { body } = await sendBy(relay, key.token, foreign).expect(200);
      expect(body.warnings).toEqual([FOREIGN_STORE.text]);
      expect(await restaurantOf(body.jobId)).toBe(id);
      const stored = await scenario.database.query(
        'SELECT warnings FROM terminal_events JOIN outbox_jobs ON event_key = transaction_key WHERE id = $1',
        [body.jobId],
      );
      expect(stored).toEqual([{ warnings: [FOREIGN_STORE.text] }]);
    }
    await until(async () => (await keys.list())[0]?.foreignStoreAt);
    await scenario.database.query('UPDATE restaurants SET code_store_terminal = NULL WHERE id = $1', [id]);
    expect((await sendBy(relay, key.token, { storeCode: 'ITS-OWN' }).expect(200)).body).not.toHaveProperty('warnings');
  });

  test('a request in absolute form is answered with the path of its receipt (V26)', async () => {
    const { keys } = await restaurant();
    const { token } = await keys.create();
    const { hostname, port } = new URL(relay.url);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const path = 'http://relay.example/webhooks/terminal?x=1';
    const asked = request({ hostname, port, method: 'POST', path, headers });
    const [answer] = await once(asked.end(JSON.stringify(sale({ storeCode: undefined }))), 'response');
    const { jobId, receipt } = (await json(answer)) as { jobId: string; receipt: string };
    expect(receipt).toBe(`/webhooks/terminal/receipts/${jobId}`);
  });

  test('a key of the platform sends by the rules of the static token (V7)', async () => {
    const { token } = await keysOf(relay, null, admin).create();
    const { id, code } = await restaurant();
    expect(await restaurantOf((await sendBy(relay, token, { storeCode: code }).expect(200)).body.jobId)).toBe(id);
    expect(await restaurantOf((await sendBy(relay, token, { restaurantId: id }).expect(200)).body.jobId)).toBe(id);
    expect((await sendBy(relay, token, { storeCode: 'NOBODY' }).expect(400)).body.code).toBe('UNKNOWN_STORE');
    expect((await sendBy(relay, token).expect(400)).body.code).toBe('UNKNOWN_STORE');
    const nobodys = await scenario.people.restaurant(`S-${randomUUID()}`);
    expect((await sendBy(relay, token, { restaurantId: nobodys }).expect(400)).body.code).toBe('NO_OWNER_LINK');
  });

  test('a known key: one statement for a sale, and one read more for a refusal (V5, V6)', async () => {
    const { id, keys } = await restaurant();
    const key = await keys.create({ scopes: ['sales:test'] });
    const test = { isTestTransaction: true };
    for (let i = 0; i < 3; i++) await sendBy(second, key.token, test).expect(200);
    await until(async () => (await keys.list())[0]?.lastUsedAt);
    for (let i = 0; i < 3; i++) expect(await statementsOf(() => sendBy(second, key.token, test).expect(200))).toBe(1);
    expect(await statementsOf(() => sendBy(second, key.token).expect(403))).toBe(2);
    expect(await statementsOf(() => sendBy(second, key.token, { transactionKey: '' }).expect(400))).toBe(1);
    expect(id).toBeDefined();
  });

  test('a wrong checksum costs no query, and a wrong token of a known key neither (V2, V6)', async () => {
    const { keys } = await restaurant();
    const { keyId, token } = await keys.create();
    await sendBy(second, token).expect(200);
    await until(async () => (await keys.list())[0]?.lastUsedAt);
    const checksum = token.endsWith('0') ? '1' : '0';
    for (const wrong of [token.slice(0, -1) + checksum, newKeyToken(keyId), `rly_${'a'.repeat(200)}`])
      expect(await statementsOf(() => sendBy(second, wrong).expect(401))).toBe(0);
  });

  test('a wrong key id is read once in 10 s; many are read together (V6, L63)', async () => {
    const wrong = newKeyToken(newKeyId());
    expect(await statementsOf(() => sendBy(second, wrong).expect(401))).toBeLessThanOrEqual(2);
    expect(await statementsOf(() => sendBy(second, wrong).expect(401))).toBe(0);
    const known = second.get(KnownKeys);
    const ids = Array.from({ length: 1_500 }, newKeyId);
    expect(await statementsOf(() => Promise.all(ids.map((id) => known.find(id))))).toBeLessThanOrEqual(3);
  });

  test('beyond 2,000 ids that wait, an id is refused as not read, and known keys still send (V6)', async () => {
    const { keys } = await restaurant();
    const { token } = await keys.create();
    await sendBy(second, token).expect(200);
    const known = second.get(KnownKeys);
    const flood = Promise.allSettled(Array.from({ length: 10_000 }, () => known.find(newKeyId())));
    await sendBy(second, token).expect(200);
    const refused = (await flood).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(7_000);
    expect((refused[0] as PromiseRejectedResult).reason.constructor.name).toBe('NotWrittenError');
  });

  test('a key that is revoked by one instance sends no sale by another, and the body is not judged (V5, W1)', async () => {
    const { keys } = await restaurant();
    const [key, bad] = [await keys.create(), await keys.create()];
    for (const { token } of [key, bad]) await sendBy(second, token).expect(200);
    for (const { id } of [key, bad]) await keys.revoke(id).expect(200);
    expect((await sendBy(second, key.token).expect(401)).body.code).toBe('UNAUTHENTICATED');
    await second.api.post('/webhooks/terminal', bad.token, { transactionKey: 1 }).expect(401);
    // and on the instance that revoked it
    await sendBy(relay, key.token).expect(401);
  });

  test.each([
    ['not JSON', '{', 'application/json'],
    ['of another type', 'x', 'text/plain'],
    ['too large', JSON.stringify(sale({ note: 'x'.repeat(LIMIT) })), 'application/json'],
  ])('a body that is %s: a right key learns it, a revoked key does not (W1)', async (_, body, type) => {
    const { keys } = await restaurant();
    const { id, token } = await keys.create();
    const send = () =>
      second.http.post('/webhooks/terminal').auth(token, { type: 'bearer' }).set('Content-Type', type).send(body);
    expect([400, 413, 415]).toContain((await send()).status);
    await keys.revoke(id).expect(200);
    await send().expect(401);
  });

  test('an expired key, and a key of a deleted restaurant, send no sale (V5)', async () => {
    const { id, keys } = await restaurant();
    const [expiring, other] = [await keys.create(), await keys.create()];
    for (const { token } of [expiring, other]) await sendBy(second, token, { isTestTransaction: true }).expect(200);
    await scenario.database.query('UPDATE sender_keys SET expires_at = now() WHERE id = $1', [expiring.id]);
    await sendBy(second, expiring.token).expect(401);
    await sendBy(second, other.token).expect(200);
    await scenario.database.query('UPDATE restaurants SET deleted_at = now() WHERE id = $1', [id]);
    await sendBy(second, other.token).expect(401);
  });

  test('scopes: sales:write sends all sales, sales:test only test sales, receipts:read none (V4)', async () => {
    const { keys } = await restaurant();
    const statuses = async (scopes: string[]) => {
      const { token } = await keys.create({ scopes });
      const real = await sendBy(relay, token);
      return [real.status, (await sendBy(relay, token, { isTestTransaction: true })).status, real.body.code];
    };
    expect(await statuses(['sales:write'])).toEqual([200, 200, undefined]);
    expect(await statuses(['sales:test'])).toEqual([403, 200, 'MISSING_SCOPE']);
    expect(await statuses(['receipts:read'])).toEqual([403, 403, 'MISSING_SCOPE']);
    const { token } = await keys.create({ scopes: ['sales:test'] });
    await sendBy(relay, token, { storeCode: 'TEST-STORE' }).expect(200);
  });

  test('sales of keys and of other senders that arrive together: each by its own rule (V7, W29)', async () => {
    const { id, code, keys } = await restaurant();
    const [good, testOnly] = [await keys.create(), await keys.create({ scopes: ['sales:test'] })];
    await Promise.all([sendBy(second, good.token), sendBy(second, testOnly.token)]);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => {
        if (i % 3 === 0) return sendBy(second, good.token);
        return i % 3 === 1 ? sendBy(second, testOnly.token) : second.post(sale({ storeCode: code }));
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, i) => (i % 3 === 1 ? 403 : 200)));
    for (const { body } of answers.filter(({ status }) => status === 200))
      expect(await restaurantOf(body.jobId)).toBe(id);
  });

  test('the other ways to send are as before: a static token that is no token of a key (W2)', async () => {
    const { code } = await restaurant();
    await second.api.post('/webhooks/terminal', TERMINAL_TOKEN, sale({ storeCode: code })).expect(200);
    await second.api.post('/webhooks/terminal', `${TERMINAL_TOKEN}x`, sale({ storeCode: code })).expect(401);
  });

  test('a duplicate is refused with its job, as for other senders (W20)', async () => {
    const { keys } = await restaurant();
    const { token } = await keys.create();
    const { body } = await sendBy(relay, token, { transactionKey: 'TWICE' }).expect(200);
    const again = await sendBy(relay, token, { transactionKey: 'TWICE' }).expect(400);
    expect(again.body).toMatchObject({ code: 'DUPLICATE_TRANSACTION', jobId: body.jobId });
  });

  test('the last use is written at most once a minute (V10, L62)', async () => {
    const { keys } = await restaurant();
    const { id, token } = await keys.create();
    const lastUse = async () => (await keys.list()).find((key) => key.id === id)?.lastUsedAt;
    expect(await lastUse()).toBeNull();
    await sendBy(relay, token).expect(200);
    await until(lastUse);
    const first = await lastUse();
    await sendBy(relay, token).expect(200);
    await sendBy(second, token).expect(200);
    expect(await lastUse()).toBe(first);
  });

  test('keys that are used together are written by shared statements, one at a time (V10)', async () => {
    const { keys } = await restaurant();
    const ids = await Promise.all([1, 2, 3, 4, 5].map(async () => (await keys.create()).id));
    // read by SQL: a request for the list is a statement too
    const unused = 'SELECT FROM sender_keys WHERE id = ANY ($1) AND last_used_at IS NULL';
    const statements = await statementsOf(async () => {
      for (const id of ids) second.get(LastUsed).note(id);
      await until(async () => (await scenario.database.query(unused, [ids])).length === 0);
    });
    expect(statements).toBeLessThanOrEqual(2);
  });

  test('the log names the key of a sale, and not its token (V10)', async () => {
    const { keys } = await restaurant();
    const { keyId, token } = await keys.create();
    await sendBy(relay, token).expect(200);
    await until(() => relay.logged.some((each) => each.event === 'webhook.accepted' && each.key === keyId));
  });
});
