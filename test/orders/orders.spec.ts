import { randomUUID } from 'node:crypto';
import { Scenario, type Settled } from '../support/scenario.js';

interface Listed {
  transactionKey: string;
  receivedAt: string;
  status: string;
  withdrawn: boolean;
}

describe('GET /restaurants/:id/orders (R3)', () => {
  const scenario = Scenario.ofSuite();
  let stores = 0;

  /** A new restaurant, and its lists as its owner gets them. */
  async function restaurant() {
    const { id, token, sell } = await scenario.restaurant(`STORE-${++stores}`);
    const path = `/restaurants/${id}/orders`;
    const get = (query: Record<string, string> | string = {}) =>
      scenario.api.get(`${path}?${typeof query === 'string' ? query : new URLSearchParams(query)}`, token);
    const page = async (query: Record<string, string> = {}) => (await get(query).expect(200)).body;
    const keys = async (query: Record<string, string> = {}): Promise<string[]> =>
      (await page(query)).data.map(({ transactionKey }: Listed) => transactionKey);
    const sellAs = async (transactionKey: string, changes: object = {}) => sell({ transactionKey, ...changes });
    /** every page, from the first to the last */
    const walk = async (query: Record<string, string>, between: (pages: number) => Promise<unknown>) => {
      const seen: string[] = [];
      for (let after: string | null = '', pages = 1; after !== null; pages++) {
        const { data, meta } = await page({ ...query, ...(after ? { after } : {}) });
        seen.push(...data.map(({ transactionKey }: Listed) => transactionKey));
        after = meta.next;
        if (after) await between(pages);
      }
      return seen;
    };
    return { id, token, path, sell, sellAs, get, page, keys, walk };
  }

  const unique = (name: string) => `${name}-${randomUUID()}`;

  test('a listed order has its sale, the state of its job and its last error', async () => {
    const { sell, page } = await restaurant();
    const key = unique('T');
    const jobId = await sell({ transactionKey: key, transactionNumber: 4711 });
    await scenario.settle(jobId, 'FAILED', 'closed for lunch');
    const { data, meta } = await page();
    expect(meta).toEqual({ limit: 20, next: null });
    expect(data).toEqual([
      {
        transactionKey: key,
        warnings: [],
        label: null,
        ...{ resolvedAt: null, enteredAt: null, enteredBy: null, enteredNote: null },
        transactionNumber: '4711',
        test: false,
        receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        transactionDate: '2026-01-31T20:15:00.000Z',
        receivedOnAnotherDay: true,
        paidCents: 7_980,
        ...{ kind: 'SALE', netCents: 7_980, currency: null },
        action: 'CREATE',
        status: 'FAILED',
        withdrawn: false,
        state: 'waiting',
        cancellation: null,
        attempts: 1,
        nextRunAt: expect.stringMatching(/Z$/),
        ...{ cause: 'failing', subject: null },
        lastError: 'HTTP 503, POS error 310: closed for lunch',
      },
    ]);
  });

  test('the newest first, or with sort=receivedAt the oldest', async () => {
    const { sellAs, keys } = await restaurant();
    const [first, second, third] = [unique('1'), unique('2'), unique('3')];
    await scenario.jobs.receivedAt(await sellAs(second), '2026-01-02T00:00:00Z');
    await scenario.jobs.receivedAt(await sellAs(first), '2026-01-01T00:00:00Z');
    await scenario.jobs.receivedAt(await sellAs(third), '2026-01-03T00:00:00Z');
    expect(await keys()).toEqual([third, second, first]);
    expect(await keys({ sort: '-receivedAt' })).toEqual([third, second, first]);
    expect(await keys({ sort: 'receivedAt' })).toEqual([first, second, third]);
  });

  test('status: only orders in that state; a withdrawn order is in none of them (C10)', async () => {
    const { id, token, sellAs, page } = await restaurant();
    const expected: Record<string, string[]> = {};
    for (const status of ['SENT', 'FAILED', 'DLQ'] satisfies Settled[]) {
      expected[status] = [unique(status)];
      await scenario.settle(await sellAs(expected[status][0] as string), status);
    }
    const withdrawn = unique('withdrawn');
    await sellAs(withdrawn);
    await scenario.cancel(id, withdrawn, token).expect(202);
    await scenario.relay.tick();
    expected.PROCESSING = [unique('PROCESSING')];
    await scenario.jobs.take(await sellAs(expected.PROCESSING[0] as string));
    expected.PENDING = [unique('PENDING')];
    await sellAs(expected.PENDING[0] as string);
    for (const [status, orders] of Object.entries(expected)) {
      const { data } = await page({ status });
      expect(data.map(({ transactionKey }: Listed) => transactionKey)).toEqual(orders);
      for (const order of data) expect(order.status).toBe(status);
    }
    const { data } = await page({ search: withdrawn });
    expect(data).toMatchObject([{ status: 'DLQ', withdrawn: true }]);
  });

  test('action: orders by default, or their cancels', async () => {
    const { id, token, sellAs, keys, page } = await restaurant();
    const [kept, cancelled] = [unique('kept'), unique('cancelled')];
    await sellAs(kept);
    await sellAs(cancelled);
    await scenario.cancel(id, cancelled, token).expect(202);
    expect((await keys()).toSorted()).toEqual([cancelled, kept].toSorted());
    expect((await keys({ action: 'CREATE' })).toSorted()).toEqual([cancelled, kept].toSorted());
    expect(await keys({ action: 'CANCEL' })).toEqual([cancelled]);
    expect((await page({ action: 'CANCEL' })).data[0]).toMatchObject({ action: 'CANCEL', status: 'PENDING' });
  });

  test('cancellation is the status of the CANCEL job; cancelled filters by it (C9)', async () => {
    const { id, token, sellAs, keys, page } = await restaurant();
    const [kept, waiting, cancelled, refused, withdrawn] = ['kept', 'waiting', 'cancelled', 'refused', 'withdrawn'].map(
      unique,
    ) as [string, string, string, string, string];
    const cancel = async (key: string) => (await scenario.cancel(id, key, token).expect(202)).body.data.jobId;
    for (const key of [kept, waiting, cancelled, refused]) await scenario.settle(await sellAs(key), 'SENT');
    await sellAs(withdrawn);
    await scenario.settle(await cancel(withdrawn), 'SENT');
    await scenario.settle(await cancel(cancelled), 'SENT');
    await scenario.settle(await cancel(refused), 'DLQ', 'too late');
    await cancel(waiting);
    const { data } = await page();
    const cancellations = data.map(({ transactionKey, status, cancellation }: Record<string, string>) => [
      transactionKey,
      status,
      cancellation,
    ]);
    expect(cancellations).toEqual([
      [withdrawn, 'DLQ', 'SENT'],
      [refused, 'SENT', 'DLQ'],
      [cancelled, 'SENT', 'SENT'],
      [waiting, 'SENT', 'PENDING'],
      [kept, 'SENT', null],
    ]);
    expect(await keys({ cancelled: 'true' })).toEqual([withdrawn, refused, cancelled, waiting]);
    expect(await keys({ cancelled: 'true', status: 'SENT', limit: '2' })).toEqual([refused, cancelled]);
    expect(await keys({ cancelled: 'false' })).toEqual([kept]);
    expect(await keys({ cancelled: 'false', search: cancelled })).toEqual([]);
    expect(await keys({ cancelled: 'true', search: cancelled })).toEqual([cancelled]);
    expect((await page({ action: 'CANCEL', search: refused })).data).toMatchObject([
      { action: 'CANCEL', status: 'DLQ', cancellation: 'DLQ' },
    ]);
    expect(await keys({ action: 'CANCEL', cancelled: 'false' })).toEqual([]);
    const detail = async (key: string) =>
      (await scenario.api.get(`/restaurants/${id}/orders/${key}`, token).expect(200)).body.cancellation;
    expect([await detail(kept), await detail(waiting), await detail(refused)]).toEqual([null, 'PENDING', 'DLQ']);
  });

  test('from and to: received at or after, and before; to the millisecond, in any zone', async () => {
    const { sellAs, keys } = await restaurant();
    const times = ['2026-01-31T22:59:59.999Z', '2026-01-31T23:00:00.000Z', '2026-02-01T00:00:00.000Z'];
    const [early, edge, late] = [unique('early'), unique('edge'), unique('late')];
    for (const [i, key] of [early, edge, late].entries())
      await scenario.jobs.receivedAt(await sellAs(key), times[i] as string);
    expect(await keys({ from: '2026-01-31T23:00:00Z' })).toEqual([late, edge]);
    expect(await keys({ from: '2026-01-31T20:00:00-03:00' })).toEqual([late, edge]);
    expect(await keys({ to: '2026-01-31T23:00:00Z' })).toEqual([early]);
    expect(await keys({ to: '2026-01-31T23:00:00.001Z' })).toEqual([edge, early]);
    expect(await keys({ from: '2026-02-01' })).toEqual([late]);
    expect(await keys({ from: '2026-01-31T23:00:00Z', to: '2026-02-01T00:00:00Z' })).toEqual([edge]);
    expect(await keys({ from: '2026-02-01', to: '2026-01-31' })).toEqual([]);
  });

  describe('search', () => {
    test('finds a test transaction by its key as sent and as stored', async () => {
      const { sellAs, keys } = await restaurant();
      const key = unique('T');
      const stored = await scenario.keyOf(await sellAs(key, { isTestTransaction: true }));
      expect(stored).toMatch(new RegExp(`^${key}-\\d{13}$`));
      expect(await keys({ search: key })).toEqual([stored]);
      expect(await keys({ search: stored })).toEqual([stored]);
    });

    test('finds every order with a transactionNumber, and none of another restaurant', async () => {
      const [{ sellAs, keys }, theirs] = [await restaurant(), await restaurant()];
      const [one, two, other] = [unique('T'), unique('T'), unique('T')];
      await sellAs(one, { transactionNumber: '4711' });
      await sellAs(two, { transactionNumber: 4711 });
      await sellAs(unique('T'), { transactionNumber: '47110' });
      await theirs.sellAs(other, { transactionNumber: '4711' });
      expect((await keys({ search: '4711' })).toSorted()).toEqual([one, two].toSorted());
      expect(await keys({ search: other })).toEqual([]);
    });

    test.each(['50%', 'a_b', "it's", 'Mesa 4 – São João 🍕', ' x ', '+', '"', '\\', '🍕'.repeat(255)])(
      'takes %s literally, and whole',
      async (name) => {
        const { sellAs, keys } = await restaurant();
        // keys are unique across the service
        await sellAs(name);
        await sellAs(unique('50'));
        expect(await keys({ search: name })).toEqual([name]);
        expect(await keys({ search: name.slice(0, -1) || 'x' })).toEqual([]);
      },
    );
  });

  test('test: only test transactions, only real ones, or both', async () => {
    const { sellAs, keys } = await restaurant();
    const real = unique('real');
    await sellAs(real);
    const stored = await scenario.keyOf(await sellAs(unique('test'), { isTestTransaction: true }));
    expect(await keys({ test: 'true' })).toEqual([stored]);
    expect(await keys({ test: 'false' })).toEqual([real]);
    expect((await keys()).toSorted()).toEqual([real, stored].toSorted());
  });

  test('several filters: an order must pass all of them', async () => {
    const { sellAs, keys } = await restaurant();
    const number = { transactionNumber: '7' };
    const match = unique('match');
    await scenario.settle(await sellAs(match, number), 'DLQ');
    await scenario.settle(await sellAs(unique('other number')), 'DLQ');
    await scenario.settle(await sellAs(unique('test'), { ...number, isTestTransaction: true }), 'DLQ');
    await scenario.settle(await sellAs(unique('sent'), number), 'SENT');
    const all = { status: 'DLQ', action: 'CREATE', search: '7', test: 'false', from: '2020-01-01' };
    expect(await keys(all)).toEqual([match]);
    expect(await keys({ ...all, to: '2020-01-02' })).toEqual([]);
  });

  describe('pages', () => {
    test.each(['-receivedAt', 'receivedAt'])(
      'sort=%s: each order once, for any page size, with a filter, and within one millisecond',
      async (sort) => {
        const { sellAs, keys, walk } = await restaurant();
        for (let i = 0; i < 11; i++) {
          const id = await sellAs(unique('T'), { isTestTransaction: i % 2 === 0 });
          if (i < 7) await scenario.jobs.receivedAt(id, '2026-01-31T20:00:00.123Z');
        }
        const whole = await keys({ sort, limit: '100' });
        expect(new Set(whole).size).toBe(11);
        for (const limit of ['1', '2', '3', '10', '11', '12'])
          expect(await walk({ sort, limit }, async () => {})).toEqual(whole);
        const filter = { sort, test: 'false' };
        expect(await walk({ ...filter, limit: '3' }, async () => {})).toEqual(await keys(filter));
      },
    );

    test('newest first while new orders arrive: each earlier order once; the new ones are on a new first page', async () => {
      const { sellAs, keys, walk } = await restaurant();
      for (let i = 0; i < 7; i++) await sellAs(unique('old'));
      const whole = await keys();
      const seen = await walk({ limit: '2' }, () => sellAs(unique('new')));
      expect(seen).toEqual(whole);
      expect((await keys()).slice(0, 3).every((key) => key.startsWith('new'))).toBe(true);
    });

    test('oldest first while new orders arrive: each order once, the new ones last', async () => {
      const { sellAs, keys, walk } = await restaurant();
      for (let i = 0; i < 5; i++)
        await scenario.jobs.receivedAt(await sellAs(unique('old')), `2026-01-0${i + 1}T00:00:00Z`);
      let arrived = 0;
      const seen = await walk({ sort: 'receivedAt', limit: '2' }, async () => {
        // only three, so that the walk ends
        if (arrived < 3) await scenario.jobs.receivedAt(await sellAs(unique('new')), `2026-02-0${++arrived}T00:00:00Z`);
      });
      expect(seen).toEqual(await keys({ sort: 'receivedAt' }));
      expect(seen).toHaveLength(8);
    });

    test('an order that changes its state while pages are read stays where it was', async () => {
      const { sellAs, keys, walk } = await restaurant();
      const jobIds: string[] = [];
      for (let i = 0; i < 5; i++) jobIds.push(await sellAs(unique('T')));
      const whole = await keys();
      const states: Settled[] = ['SENT', 'FAILED', 'DLQ', 'SENT', 'SENT'];
      const seen = await walk({ limit: '1' }, (pages) =>
        scenario.settle(jobIds[pages - 1] as string, states[pages - 1] as Settled),
      );
      expect(seen).toEqual(whole);
    });
  });

  const cursor = (text: string) => Buffer.from(text).toString('base64url');

  test.each([
    ['no base64', '***'],
    ['other text', 'x'],
    ['no id', cursor('2026-01-31T20:00:00.000Z')],
    ['no time', cursor(` ${randomUUID()}`)],
    ['no key', cursor('2026-01-31T20:00:00.000Z ')],
    ['a key that cannot be stored', cursor('2026-01-31T20:00:00.000Z \0')],
    ['a time before the year 0', cursor(`-271821-04-20T00:00:00.000Z ${randomUUID()}`)],
    ['a statement', cursor(`' OR true -- ${randomUUID()}`)],
    ['too long', 'A'.repeat(2_001)],
  ])('a malformed cursor is a 400: %s', async (_, after) => {
    const { get } = await restaurant();
    const { body } = await get({ after }).expect(400);
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', message: [expect.stringMatching(/^after must be/)] });
  });

  test.each(['1', '100'])('limit=%s is a page size', async (limit) => {
    const { page } = await restaurant();
    expect((await page({ limit })).meta.limit).toBe(Number(limit));
  });

  const INVALID =
    'limit=0 limit=101 limit=-1 limit=1.5 limit=many limit= limit=1&limit=2 status=sent status= status=SENT&status=DLQ ' +
    'action=PAY sort=id test=1 test= cancelled=1 cancelled= cancelled=true&cancelled=true from=yesterday from= ' +
    'from=2026-02-30 to=31.01.2026 from=2026-01-01&from=2026-01-02 search=a&search=b page=2 restaurantId=x';
  test.each([...INVALID.split(' '), `search=${'x'.repeat(301)}`])('%s is a 400 that names the field', async (query) => {
    const { get } = await restaurant();
    const { body } = await get(query).expect(400);
    expect(body).toMatchObject({ statusCode: 400, code: 'VALIDATION_FAILED', message: expect.any(Array) });
    expect(body.message.join()).toContain(query.split('=')[0]);
  });

  test.each(['2026-W05', '2026-031', '20260131', '2026-01-31T20', '2026-01-31T20:00:00+03'])(
    'an ISO 8601 time is read or refused: from=%s',
    async (from) => {
      const { get } = await restaurant();
      expect([200, 400]).toContain((await get({ from })).status);
    },
  );

  test("orders of another restaurant never appear, with any query or with that restaurant's cursor", async () => {
    const [ours, theirs] = [await restaurant(), await restaurant()];
    for (let i = 0; i < 3; i++) {
      await ours.sellAs(unique('OURS'));
      await theirs.sellAs(unique('THEIRS'));
    }
    const { next } = (await theirs.page({ limit: '1' })).meta;
    const queries = [{}, { sort: 'receivedAt' }, { status: 'PENDING' }, { test: 'false' }, { from: '2020-01-01' }];
    for (const query of [...queries, { after: next }, { after: next, sort: 'receivedAt' }] as Record<string, string>[])
      for (const key of await ours.keys(query)) expect(key).toMatch(/^OURS/);
    expect(await ours.keys()).toHaveLength(3);
  });
});
