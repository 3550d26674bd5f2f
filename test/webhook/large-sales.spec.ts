import { BodyBudget } from '../../src/platform/http/body/body-budget.js';
import type { FairSlots } from '../../src/platform/http/limits/fair-slots.js';
import { SaleTurns } from '../../src/webhook/sale-turns.js';
import { sale } from '../support/client.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

/** Never aborts. */
const NEVER = () => new AbortController().signal;

describe('large sales take turns (W50, L162)', () => {
  const scenario = Scenario.ofSuite();
  const large = (fields = {}) => sale({ note: 'x'.repeat(70_000), ...fields });
  let slots: FairSlots;
  let end: () => void;

  beforeAll(async () => {
    await scenario.restaurant('STORE-1');
    slots = (scenario.relay.get(SaleTurns).large as unknown as { slots: FairSlots }).slots;
  });
  /** Another sender reads a large sale. */
  beforeEach(async () => {
    const free = await slots.take('another sender', NEVER);
    let isFree = false;
    end = () => {
      if (!isFree) free();
      isFree = true;
    };
  });
  afterEach(() => end());

  const waiting = () => slots.of('platform').waiting;
  const held = () => scenario.relay.get(BodyBudget).bytes.proven;
  const stored = (transactionKey: unknown) =>
    scenario.database.query('SELECT FROM terminal_events WHERE transaction_key = $1', [transactionKey]);

  test('a large sale waits while one of another sender is read, and its bytes count; a small sale does not wait', async () => {
    const event = large();
    const answer = scenario.relay.post(event).then(({ status }) => status);
    await until(() => waiting() === 1);
    expect(held()).toBeGreaterThan(70_000);
    await scenario.relay.accept(sale());
    expect(await stored(event.transactionKey)).toHaveLength(0);
    end();
    expect(await answer).toBe(200);
    expect(held()).toBe(0);
    expect(await stored(event.transactionKey)).toHaveLength(1);
  });

  test('a large sale that waits gives way to other bodies: 503, and it is not stored (W43)', async () => {
    const budget = scenario.relay.get(BodyBudget);
    const before = budget.limits.proven;
    const event = large();
    const answer = scenario.relay.post(event).then(({ status, body }) => [status, body.code]);
    await until(() => waiting() === 1);
    budget.limits.proven = held();
    await scenario.relay.accept(sale());
    budget.limits.proven = before;
    expect(await answer).toEqual([503, 'TOO_MANY_BODIES']);
    expect([held(), waiting()]).toEqual([0, 0]);
    expect(await stored(event.transactionKey)).toHaveLength(0);
  });

  test('a repeat of a large sale waits, however small it is; of a small sale it does not (W45)', async () => {
    end();
    const items = Array.from({ length: 400 }, (_, i) => ({
      itemName: `${i} ${'x'.repeat(240)}`,
      quantity: 1,
      price: 1,
    }));
    const [first, small] = [sale({ items }), sale()];
    for (const event of [first, small]) await scenario.relay.accept(event);
    const free = await slots.take('another sender', NEVER);
    const repeat = scenario.relay.post({ ...first, items: [] }).then(({ body }) => body.code);
    const own = (
      scenario.relay.get(SaleTurns).large as unknown as {
        slots: { keys: Map<string, { waiting: Set<unknown> }> };
      }
    ).slots;
    await until(() => [...own.keys.values()].some((key) => key.waiting.size > 0));
    expect((await scenario.relay.post(small).expect(400)).body.code).toBe('DUPLICATE_TRANSACTION');
    free();
    expect(await repeat).toBe('TRANSACTION_KEY_REUSED');
  });

  test('of those that wait, the sender whose large sales took the least time lately is next', async () => {
    end();
    const work = scenario.relay.get(SaleTurns).large;
    const order: string[] = [];
    const read = (sender: string, ms: number) =>
      work.run(sender, NEVER, async () => {
        order.push(sender);
        const endsAt = performance.now() + ms;
        while (performance.now() < endsAt);
      });
    await read('busy', 20);
    const free = await slots.take('another sender', NEVER);
    const all = [read('busy', 0), read('busy', 0), read('new', 0)];
    free();
    await Promise.all(all);
    expect(order).toEqual(['busy', 'new', 'busy', 'busy']);
  });

  test('after long work nobody has a turn for a while', async () => {
    end();
    const { slots: inside } = scenario.relay.get(SaleTurns).large as unknown as { slots: { underWay: number } };
    await scenario.relay.get(SaleTurns).large.run('busy', NEVER, async () => {
      const endsAt = performance.now() + 50;
      while (performance.now() < endsAt);
    });
    // the slot is taken, although the work has ended
    expect(inside.underWay).toBe(1);
    await until(() => inside.underWay === 0);
  });

  test('twenty large sales of a sender at once are all stored', async () => {
    end();
    const answers = await Promise.all(Array.from({ length: 20 }, () => scenario.relay.post(large())));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  });
});
