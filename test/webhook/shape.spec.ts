import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { People, type Person } from '../user-links/people.js';

/** An object of this many nested levels, itself included. */
function nested(levels: number): object {
  return levels === 1 ? { leaf: true } : { inner: nested(levels - 1) };
}

describe('what the webhook refuses, and what it keeps', () => {
  const scenario = Scenario.ofSuite();
  let database: TestDatabase;
  let relay: TestRelay;
  let person: Person;

  beforeAll(async () => {
    ({ database, relay } = scenario);
    const people = new People(database);
    person = await people.user();
    await people.restaurant('STORE-1', [person, 'OWNER']);
  });

  function post(body: unknown) {
    const request = relay.http.post('/webhooks/terminal').auth(TERMINAL_TOKEN, { type: 'bearer' });
    return request.set('Content-Type', 'application/json').send(JSON.stringify(body));
  }

  interface EventRow {
    payload: Record<string, unknown>;
    transaction_number: string | null;
    transaction_date: Date | null;
    amount_mismatch_cents: string | null;
  }

  async function stored(event: Record<string, unknown>): Promise<EventRow> {
    await post(event).expect(200);
    const [row] = await database.query<EventRow>('SELECT * FROM terminal_events WHERE transaction_key = $1', [
      event.transactionKey,
    ]);
    return row as EventRow;
  }

  // test/domain/transaction.shape.spec.ts has each field
  test.each<[string, string, unknown]>([
    ['that is an array', 'body', [sale()]],
    ['without a transactionKey', 'transactionKey', sale({ transactionKey: undefined })],
    ['with a NUL in the transactionKey', 'transactionKey', sale({ transactionKey: 'T\0' })],
    ['with 501 items', 'items', sale({ items: Array(501).fill({}) })],
    ['of 33 nested levels', 'body', { ...sale(), deep: nested(32) }],
    ['of thousands of nested levels', 'body', { ...sale(), deep: nested(3_000) }],
    ['of more than 20,000 keys', 'body', { ...sale(), many: Object.fromEntries(Array(20_001).fill(0).entries()) }],
    ['of more than 50,000 values', 'body', { ...sale(), many: Array(50_001).fill(0) }],
  ])('a body %s: 400 that names the field', async (_, field, body) => {
    const { body: answer } = await post(body).expect(400);
    expect(answer).toMatchObject({ statusCode: 400, error: 'Bad Request', code: 'INVALID_TRANSACTION' });
    expect([answer.message].flat()).toEqual([expect.stringMatching(new RegExp(`^${field}: `))]);
  });

  test.each(['1e308', '-1E+308', '5e-308'])(
    'a body that is longer than the limit when its numbers are written out, as %s: 400 (L5)',
    async (number) => {
      const text = (count: number) => JSON.stringify(sale()).replace(/}$/, `,"many":[${Array(count).fill(number)}]}`);
      const send = (count: number) =>
        relay.http
          .post('/webhooks/terminal')
          .auth(TERMINAL_TOKEN, { type: 'bearer' })
          .set('Content-Type', 'application/json')
          .send(text(count));
      const { body } = await send(4_000).expect(400);
      expect(body).toMatchObject({
        code: 'INVALID_TRANSACTION',
        message: ['body: must have at most 1048576 bytes when its numbers are written out'],
      });
      await send(3_000).expect(200);
    },
  );

  test('no body at all: 400', async () => {
    const request = relay.http.post('/webhooks/terminal').auth(TERMINAL_TOKEN, { type: 'bearer' });
    const { body } = await request.expect(400);
    expect(body.code).toBe('INVALID_TRANSACTION');
  });

  describe('the bytes of a body', () => {
    const send = (bytes: Buffer, type = 'application/json', headers: Record<string, string> = {}) => {
      const request = relay.http.post('/webhooks/terminal').auth(TERMINAL_TOKEN, { type: 'bearer' });
      return request
        .set({ 'Content-Type': type, ...headers })
        .serialize((body) => body as string)
        .send(bytes as never);
    };
    const bytesOf = (event: object, encoding: BufferEncoding = 'utf8') => Buffer.from(JSON.stringify(event), encoding);
    const keyOf = async (jobId: string) =>
      (await database.query<{ event_key: string }>('SELECT event_key FROM outbox_jobs WHERE id = $1', [jobId]))[0]
        ?.event_key;

    test('may begin with a byte order mark', async () => {
      const event = sale();
      const { body } = await send(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytesOf(event)])).expect(200);
      expect(await keyOf(body.jobId)).toBe(event.transactionKey);
    });

    test('that are not UTF-8: 400, so two keys never become one', async () => {
      for (const transactionKey of ['caf\u00e9', 'caf\u00e8']) {
        const { body } = await send(bytesOf(sale({ transactionKey }), 'latin1')).expect(400);
        expect(body).toMatchObject({ code: 'INVALID_JSON', message: 'body: has bytes that are not UTF-8' });
      }
    });

    test('are read by the charset that Content-Type declares', async () => {
      for (const transactionKey of ['bar\u00e9', 'bar\u00e8']) {
        const event = bytesOf(sale({ transactionKey }), 'latin1');
        const { body } = await send(event, 'application/json; charset=ISO-8859-1').expect(200);
        expect(await keyOf(body.jobId)).toBe(transactionKey);
      }
    });

    test.each<[string, string, Record<string, string>]>([
      ['an unknown charset', 'application/json; charset=klingon', {}],
      ['gzip', 'application/json', { 'Content-Encoding': 'gzip' }],
      ['br', 'application/json', { 'Content-Encoding': 'br' }],
    ])('in %s: 415 that says what to send', async (_, type, headers) => {
      const { body } = await send(bytesOf(sale()), type, headers).expect(415);
      expect(body.message).toMatch(/send (UTF-8|the body uncompressed)/);
    });
  });

  test('the address may end in a slash', async () => {
    const request = relay.http.post('/webhooks/terminal/').auth(TERMINAL_TOKEN, { type: 'bearer' });
    await request.send(sale()).expect(200);
  });

  test('the 400 names every problem, and nothing is stored', async () => {
    const { body } = await post({ isTestTransaction: 'no', items: 1, payments: 2, email: person.email }).expect(400);
    expect(body.message.map((line: string) => line.split(':')[0])).toEqual([
      'transactionKey',
      'isTestTransaction',
      'items',
      'payments',
    ]);
    const refused = await database.query(`SELECT FROM terminal_events WHERE payload ? 'deep' OR test_mode`);
    expect(refused).toEqual([]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['items and payments of null', { items: null, payments: null }],
    ['500 items and 500 payments', { items: Array(500).fill({}), payments: Array(500).fill({ amount: 1 }) }],
    ['amounts that are texts', { totalAmount: '79,80', payments: [{ tenderType: 1, amount: 'much' }] }],
    ['amounts beyond every limit', { totalAmount: 1e300, payments: [{ tenderType: 1, amount: 1e300 }] }],
    ['an unreadable date', { transactionDate: 'last friday' }],
    ['32 nested levels', { deep: nested(31) }],
  ])('a sale is stored with %s (W14)', async (_, fields) => {
    expect(await stored(sale(fields))).toBeTruthy();
  });

  test('the body is stored as sent, unknown fields and any transactionKey included (W16)', async () => {
    const transactionKey = `'; DROP TABLE users; --"${'venda-ção-😀'.padEnd(231, 'k')}`;
    const event = sale({ transactionKey, loyalty: { points: 3, tags: ['a', null, true] }, 'odd name': 0.1 });
    expect((await stored(event)).payload).toEqual(event);
  });

  test('a field named __proto__ is stored and changes nothing', async () => {
    const text = '{"transactionKey":"proto-1","storeCode":"STORE-1","__proto__":{"isTestTransaction":true}}';
    const request = relay.http.post('/webhooks/terminal').auth(TERMINAL_TOKEN, { type: 'bearer' });
    await request.set('Content-Type', 'application/json').send(text).expect(200);
    const sql = `SELECT test_mode, payload -> '__proto__' AS proto FROM terminal_events WHERE transaction_key = 'proto-1'`;
    expect(await database.query(sql)).toEqual([{ test_mode: false, proto: { isTestTransaction: true } }]);
  });

  test('NUL characters and unpaired surrogates are stored as U+FFFD, in names and values (W16)', async () => {
    const { transaction_number, payload } = await stored(
      sale({ transactionNumber: 'n\0', note: 'a\0b\ud800c', 'odd\0name': ['\udfff'] }),
    );
    expect(transaction_number).toBe('n\ufffd');
    expect(payload).toMatchObject({ note: 'a\ufffdb\ufffdc', 'odd\ufffdname': ['\ufffd'] });
  });

  test('transactionDate is stored in UTC, an unreadable one as null (W15)', async () => {
    const readable = await stored(sale({ transactionDate: '2026-01-31T20:15:00-03:00' }));
    expect(readable.transaction_date?.toISOString()).toBe('2026-01-31T23:15:00.000Z');
    const unreadable = await stored(sale({ transactionDate: '31/01/2026' }));
    expect(unreadable).toMatchObject({ transaction_date: null, payload: { transactionDate: '31/01/2026' } });
  });

  test.each([
    [79.8, null],
    [80, '20'],
    [79.79, '-1'],
  ])('a totalAmount of %d for 79.80 paid is stored as a mismatch of %p cents (M9)', async (totalAmount, cents) => {
    expect((await stored(sale({ totalAmount }))).amount_mismatch_cents).toBe(cents);
  });

  test('body credentials are neither stored nor logged, accepted or refused (W4)', async () => {
    const credentials = { email: person.email, password: person.password };
    const key = 'credentials-1';
    const send = (fields: object) => relay.http.post('/webhooks/terminal').send({ ...sale(), ...fields });
    await send({ ...credentials, transactionKey: key }).expect(200);
    await send({ ...credentials, transactionKey: key }).expect(400);
    await send({ ...credentials, items: 'none' }).expect(400);
    await send({ ...credentials, password: 'wrong password' }).expect(401);
    // also when another method authenticates the sender
    await post({ ...sale({ transactionKey: `${key}-bearer` }), ...credentials }).expect(200);
    const rows = await database.query<{ payload: object }>(
      `SELECT payload FROM terminal_events WHERE transaction_key LIKE 'credentials-1%'`,
    );
    expect(rows).toHaveLength(2);
    for (const { payload } of rows) {
      expect(payload).not.toHaveProperty('email');
      expect(payload).not.toHaveProperty('password');
    }
    const [{ everything } = {}] = await database.query<{ everything: string }>(
      `SELECT string_agg(event::text || job::text, '') AS everything
       FROM terminal_events event JOIN outbox_jobs job ON job.event_key = event.transaction_key AND job.restaurant_id = event.restaurant_id`,
    );
    for (const text of [everything, JSON.stringify(relay.logged)]) {
      expect(text).not.toContain(person.email);
      expect(text).not.toContain(person.password);
      expect(text).not.toContain('wrong password');
    }
  });
});
