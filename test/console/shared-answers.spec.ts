import { SharedReads } from '../../src/http/shared-reads.js';
import { OrdersService } from '../../src/orders/orders.service.js';
import { StatisticsService } from '../../src/reports/statistics.service.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';
import { Visitor } from './visitor.js';

const VIEWERS = 50;
const times = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('many viewers of the console', () => {
  let scenario: Scenario;
  let owner: Caller;
  let id: string;
  let sell: (changes?: object) => Promise<string>;
  let visitor: Visitor;

  beforeAll(async () => {
    scenario = await Scenario.open();
    ({ id, owner, sell } = await scenario.restaurant('STORE-1'));
    visitor = await Visitor.signIn(scenario.relay, owner);
    await sell();
  });
  afterEach(() => jest.restoreAllMocks());
  // nothing of one test is remembered in the next
  beforeEach(() => scenario.relay.get(SharedReads).pause()());
  afterAll(() => scenario.close());

  const listed = () => jest.spyOn(scenario.relay.get(OrdersService), 'list');
  const orders = (query = '') => `/restaurants/${id}/orders${query}`;

  test('who ask for the same at once are answered by one reading (N8)', async () => {
    const service = scenario.relay.get(OrdersService);
    const read = service.list.bind(service);
    const asked = jest.spyOn(scenario.relay.get(SharedReads), 'of');
    const list = listed().mockImplementation(async (...args) => {
      // on a slow machine they take longer than a second to come
      await until(() => asked.mock.calls.filter(([key]) => key === orders()).length === VIEWERS);
      return read(...args);
    });
    const answers = await Promise.all(times(VIEWERS).map(() => visitor.get(orders()).expect(200)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body.data).toHaveLength(1);
    expect(list).toHaveBeenCalledTimes(1);
  });

  test('another query, another path: another answer', async () => {
    const list = listed();
    const paths = [orders(), orders('?limit=1'), orders('?status=SENT'), `/restaurants/${id}/statistics`];
    const answers = await Promise.all(paths.map((path) => visitor.get(path).expect(200)));
    expect(list).toHaveBeenCalledTimes(3);
    expect(answers[2]?.body.data).toEqual([]);
    expect(answers[3]?.body).toHaveProperty('amounts');
  });

  test('each of them is authorized: who may not see it gets nothing of what others see', async () => {
    const stranger = await Visitor.signIn(scenario.relay, await scenario.person());
    const [mine, theirs] = await Promise.all([visitor.get(orders()), stranger.get(orders())]);
    expect([mine.status, theirs.status]).toEqual([200, 403]);
    const nobody = Visitor.of(scenario.relay);
    expect((await nobody.get(orders())).status).toBe(401);
  });

  test('what depends on who asks is never shared', async () => {
    const other = await scenario.person();
    const others = await Visitor.signIn(scenario.relay, other);
    for (const path of ['/auth/me', '/restaurants', '/users/me/restaurants', `/restaurants/${id}/my-role`]) {
      const [mine, theirs] = await Promise.all([visitor.get(path), others.get(path)]);
      expect(mine.text).not.toBe(theirs.text);
    }
    expect((await others.get('/auth/me')).body.id).toBe(other.id);
  });

  test('callers with a token share nothing: each is answered with what is so now', async () => {
    const list = listed();
    await Promise.all(times(5).map(() => scenario.api.get(orders(), owner.token).expect(200)));
    expect(list).toHaveBeenCalledTimes(5);
  });

  test('after a second it is read again (L17)', async () => {
    const list = listed();
    await visitor.get(orders()).expect(200);
    const sold = await scenario.keyOf(await sell());
    const newest = async () => (await visitor.get(orders()).expect(200)).body.data[0].transactionKey;
    await until(async () => (await newest()) === sold);
    expect(list.mock.calls.length).toBe(2);
  });

  test('who changes something sees it at once', async () => {
    const key = await scenario.keyOf(await sell());
    const cancelled = async () => (await visitor.get(orders(`/${key}`)).expect(200)).body.cancellation;
    expect(await cancelled()).toBeNull();
    await visitor.call('post', orders(`/${key}/cancel`)).expect(202);
    expect(await cancelled()).not.toBeNull();
  });

  test('an error is told to those who wait for it, and to nobody after them', async () => {
    const compute = jest.spyOn(scenario.relay.get(StatisticsService), 'compute');
    const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);
    const path = `/restaurants/${id}/statistics`;
    const asked = jest.spyOn(scenario.relay.get(SharedReads), 'of');
    compute.mockImplementationOnce(async () => {
      await until(() => asked.mock.calls.filter(([key]) => key === path).length === 3);
      throw Object.assign(new Error('too long a span'), { statusCode: 400 });
    });
    expect(statuses(await Promise.all(times(3).map(() => visitor.get(path))))).toEqual([400, 400, 400]);
    expect(compute).toHaveBeenCalledTimes(1);
    await visitor.get(path).expect(200);
  });
});

describe('the memory of shared answers', () => {
  test('is bounded: what has no room is read each time (L17)', async () => {
    const reads = new SharedReads();
    let count = 0;
    const read = async () => ++count;
    for (const i of times(1_000)) await reads.of(`path ${i}`, read);
    for (const i of times(1_000)) await reads.of(`path ${i}`, read);
    expect(count).toBe(1_800);
    await reads.of('x'.repeat(10_000), read);
    await reads.of('x'.repeat(10_000), read);
    expect(count).toBe(1_802);
  });

  test('shares nothing while somebody writes, and nothing of before', async () => {
    const reads = new SharedReads();
    let count = 0;
    const read = async () => ++count;
    expect(await reads.of('path', read)).toBe(1);
    const [first, second] = [reads.pause(), reads.pause()];
    expect(await reads.of('path', read)).toBe(2);
    first();
    first();
    expect(await reads.of('path', read)).toBe(3);
    second();
    expect([await reads.of('path', read), await reads.of('path', read)]).toEqual([4, 4]);
  });

  test('a reading that began before a write is not given to who asks after it', async () => {
    const reads = new SharedReads();
    let finish: (value: string) => void = () => {};
    const slow = reads.of('path', () => new Promise<string>((resolve) => (finish = resolve)));
    reads.pause()();
    expect(await reads.of('path', async () => 'after')).toBe('after');
    finish('before');
    expect([await slow, await reads.of('path', async () => 'never')]).toEqual(['before', 'after']);
  });
});
