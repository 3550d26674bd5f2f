import { sale } from '../support/client.js';
import type { TestDatabase } from '../support/database.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import { People, type Person } from '../user-links/people.js';

/** An object under which `levels` objects nest, itself included. */
function nested(levels: number): object {
  return levels === 1 ? { leaf: true } : { inner: nested(levels - 1) };
}

describe('what the webhook refuses, and what it keeps', () => {
  let scenario: Scenario;
  let database: TestDatabase;
  let relay: TestRelay;
  let person: Person;

  beforeAll(async () => {
    scenario = await Scenario.open();
    ({ database, relay } = scenario);
    const people = new People(database);
    person = await people.user();
    await people.restaurant('STORE-1', [person, 'OWNER']);
    await people.restaurant('42', [person, 'OWNER']);
  });
  afterAll(() => scenario.close());

  function post(body: unknown) {
    const request = relay.http.post('/webhooks/terminal').auth(TERMINAL_TOKEN, { type: 'bearer' });
    return request.set('Content-Type', 'application/json').send(JSON.stringify(body));
  }

  interface EventRow {
    payload: Record<string, unknown>;
    store_code: string | null;
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

  const without = (field: string) => {
    const { [field]: _, ...rest } = sale();
    return rest;
  };

  test.each<[string, string, unknown]>([
    ['an array', 'body', [sale()]],
    ['a text', 'body', 'sale'],
    ['a number', 'body', 7],
    ['true', 'body', true],
    ['null', 'body', null],
    ['without a transactionKey', 'transactionKey', without('transactionKey')],
    ['with a transactionKey of null', 'transactionKey', sale({ transactionKey: null })],
    ['with a transactionKey that is a number', 'transactionKey', sale({ transactionKey: 123 })],
    ['with a transactionKey that is an object', 'transactionKey', sale({ transactionKey: {} })],
    ['with a transactionKey that is an array', 'transactionKey', sale({ transactionKey: ['T-1'] })],
    ['with an empty transactionKey', 'transactionKey', sale({ transactionKey: '' })],
    ['with a transactionKey of blanks', 'transactionKey', sale({ transactionKey: ' \u00a0 ' })],
    ['with a transactionKey of 256 characters', 'transactionKey', sale({ transactionKey: 'k'.repeat(256) })],
    ['with a newline in the transactionKey', 'transactionKey', sale({ transactionKey: 'T\n1' })],
    ['with a NUL in the transactionKey', 'transactionKey', sale({ transactionKey: 'T\0' })],
    ['with DEL in the transactionKey', 'transactionKey', sale({ transactionKey: 'T\u007f' })],
    ['with an unpaired surrogate in the transactionKey', 'transactionKey', sale({ transactionKey: 'T\ud800' })],
    ['with items that are an object', 'items', sale({ items: {} })],
    ['with items that are a text', 'items', sale({ items: 'pizza' })],
    ['with an item that is null', 'items', sale({ items: [null] })],
    ['with an item that is an array', 'items', sale({ items: [[]] })],
    ['with 501 items', 'items', sale({ items: Array(501).fill({}) })],
    ['with payments that are a number', 'payments', sale({ payments: 79.8 })],
    ['with a payment that is a number', 'payments', sale({ payments: [79.8] })],
    ['with 501 payments', 'payments', sale({ payments: Array(501).fill({}) })],
    ['with an isTestTransaction of "true"', 'isTestTransaction', sale({ isTestTransaction: 'true' })],
    ['with an isTestTransaction of 1', 'isTestTransaction', sale({ isTestTransaction: 1 })],
    ['nested 33 levels deep', 'body', { ...sale(), deep: nested(32) }],
    ['of more than 20,000 keys', 'body', { ...sale(), many: Object.fromEntries(Array(20_001).fill(0).entries()) }],
    ['of more than 50,000 values', 'body', { ...sale(), many: Array(50_001).fill(0) }],
    ['nested thousands of levels deep', 'body', { ...sale(), deep: nested(3_000) }],
  ])('a body %s: 400 that names the field', async (_, field, body) => {
    const { body: answer } = await post(body).expect(400);
    expect(answer).toMatchObject({ statusCode: 400, error: 'Bad Request', code: 'INVALID_TRANSACTION' });
    expect([answer.message].flat()).toEqual([expect.stringMatching(new RegExp(`^${field}: `))]);
  });

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

    test('that are no UTF-8: 400, and no two keys become one', async () => {
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
      ['a charset that nobody knows', 'application/json; charset=klingon', {}],
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

  test('every problem is told at once, and nothing is stored', async () => {
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
    ['no items', { items: undefined }],
    ['no payments', { payments: undefined }],
    ['items and payments of null', { items: null, payments: null }],
    ['an isTestTransaction of null', { isTestTransaction: null }],
    ['empty items and payments', { items: [], payments: [] }],
    ['500 items and 500 payments', { items: Array(500).fill({}), payments: Array(500).fill({ amount: 1 }) }],
    ['items without fields', { items: [{}] }],
    ['a negative price', { items: [{ itemCode: 'A', itemName: 'B', quantity: 1, price: -1 }] }],
    ['a quantity of zero', { items: [{ itemCode: 'A', itemName: 'B', quantity: 0, price: 1 }] }],
    ['amounts that are texts', { totalAmount: '79,80', payments: [{ tenderType: 1, amount: 'much' }] }],
    ['amounts beyond every limit', { totalAmount: 1e300, payments: [{ tenderType: 1, amount: 1e300 }] }],
    ['an unknown tender type', { payments: [{ tenderType: 4711, amount: 79.8 }] }],
    ['a totalAmount that is missing', { totalAmount: undefined }],
    ['an unreadable date', { transactionDate: 'last friday' }],
    ['a long store name in an unknown field', { store: { name: 'x'.repeat(10_000) } }],
    ['fields named like inherited ones', { constructor: 1, toString: 2, hasOwnProperty: 3 }],
    ['32 levels of nesting', { deep: nested(31) }],
  ])('a sale that already happened is stored with %s (W14)', async (_, fields) => {
    expect(await stored(sale(fields))).toBeTruthy();
  });

  test.each([
    ['255 characters', 'k'.repeat(255)],
    ['inner blanks', 'sale 1 of 2'],
    ['letters beyond ASCII', 'venda-ção-😀'],
    ['quotes and SQL', `'; DROP TABLE users; --"`],
  ])('a transactionKey with %s is kept as it is', async (_, transactionKey) => {
    expect(await stored(sale({ transactionKey }))).toMatchObject({ payload: { transactionKey } });
  });

  test('identifiers sent as numbers are read as strings', async () => {
    const row = await stored(sale({ storeCode: 42, transactionNumber: 7, items: [{ itemCode: 5 }] }));
    expect(row).toMatchObject({ store_code: '42', transaction_number: '7' });
  });

  test('the body is stored as it was sent, unknown fields included (W16)', async () => {
    const event = sale({ loyalty: { points: 3, tags: ['a', null, true] }, 'odd name': 0.1 });
    expect((await stored(event)).payload).toEqual(event);
  });

  test('an own field named __proto__ is kept and changes nothing', async () => {
    const transactionKey = 'proto-1';
    const text = `{"transactionKey":"${transactionKey}","storeCode":"STORE-1","__proto__":{"isTestTransaction":true}}`;
    const request = relay.http.post('/webhooks/terminal').auth(TERMINAL_TOKEN, { type: 'bearer' });
    await request.set('Content-Type', 'application/json').send(text).expect(200);
    expect(
      await database.query(
        `SELECT test_mode, payload -> '__proto__' AS proto FROM terminal_events WHERE transaction_key = $1`,
        [transactionKey],
      ),
    ).toEqual([{ test_mode: false, proto: { isTestTransaction: true } }]);
  });

  test('NUL characters and unpaired surrogates are stored as U+FFFD, in names and values (W16)', async () => {
    const row = await stored(
      sale({
        transactionNumber: 'n\0',
        note: 'a\0b\ud800c\udc00d😀',
        'odd\0name': ['\udfff'],
        items: [{ itemCode: 'A', itemName: 'Pi\0zza', quantity: 1, price: 1 }],
      }),
    );
    expect(row.transaction_number).toBe('n\ufffd');
    expect(row.payload).toMatchObject({
      note: 'a\ufffdb\ufffdc\ufffdd😀',
      'odd\ufffdname': ['\ufffd'],
      items: [{ itemName: 'Pi\ufffdzza' }],
    });
  });

  test('a readable transactionDate is stored with the event, in UTC', async () => {
    const row = await stored(sale({ transactionDate: '2026-01-31T20:15:00-03:00' }));
    expect(row.transaction_date?.toISOString()).toBe('2026-01-31T23:15:00.000Z');
  });

  test('an unreadable transactionDate is stored as null, with a warning (W15)', async () => {
    const event = sale({ transactionDate: '31/01/2026' });
    expect(await stored(event)).toMatchObject({ transaction_date: null, payload: { transactionDate: '31/01/2026' } });
    const warnings = relay.logged.filter(({ level, eventKey }) => level === 40 && eventKey === event.transactionKey);
    expect(warnings).toHaveLength(1);
  });

  test.each<[string, Record<string, unknown>, string | null]>([
    ['equal to what was paid: no mark', {}, null],
    ['above what was paid', { totalAmount: 80 }, '20'],
    ['below what was paid', { totalAmount: 79.79 }, '-1'],
    ['absent', { totalAmount: undefined }, null],
    ['no number', { totalAmount: '79.80' }, null],
    ['equal, summed from tenths', { totalAmount: 0.3, payments: [{ amount: 0.1 }, { amount: 0.2 }] }, null],
    ['compared with the valid payments only', { payments: [{ amount: 79.8 }, { amount: -5 }, { amount: 'x' }] }, null],
  ])('a totalAmount %s', async (_, fields, cents) => {
    expect((await stored(sale(fields))).amount_mismatch_cents).toBe(cents);
  });

  test('body credentials are neither stored nor logged, accepted or refused (W4)', async () => {
    const credentials = { email: person.email, password: person.password };
    const key = 'credentials-1';
    const send = (fields: object) => relay.http.post('/webhooks/terminal').send({ ...sale(), ...fields });
    await send({ ...credentials, transactionKey: key }).expect(200);
    await send({ ...credentials, transactionKey: key }).expect(400);
    await send({ ...credentials, items: 'none' }).expect(400);
    await send({ ...credentials, password: 'wrong password' }).expect(401);
    // beside another method they are no less credentials
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
