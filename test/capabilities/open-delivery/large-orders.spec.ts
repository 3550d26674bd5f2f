import { PosTurns } from '../../../src/capabilities/open-delivery/pos-turns.js';
import type { FairSlots } from '../../../src/platform/http/limits/fair-slots.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { PullingPos } from './pulling.js';

const NEVER = new AbortController().signal;
const item = { itemCode: 'PZ-01', itemName: 'Pizza with many words'.repeat(10), quantity: 1, price: 1 };

describe('large orders of POSs take turns (H29)', () => {
  const scenario = Scenario.ofSuite({ WORKER_ENABLED: 'false' });

  /** Holds the turn of large orders until the returned function is called. */
  const holdTurn = () => {
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const turn = scenario.relay.get(PosTurns).large.run(
      'another',
      () => NEVER,
      () => held,
    );
    return async () => {
      end();
      await turn;
    };
  };

  /** The number of requests of a restaurant that wait for the turn. */
  const waitingOf = (restaurantId: string) =>
    (scenario.relay.get(PosTurns).large as unknown as { slots: FairSlots }).slots.of(restaurantId).waiting;

  test.each([
    ['an open', false],
    ['a delivered', true],
  ])('a POS that reads %s one waits while another is made; small ones do not', async (_, isDelivered) => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(() => scenario);
    const large = await restaurant.sell({ items: Array.from({ length: 100 }, () => item) });
    const small = await restaurant.sell();
    const events = await pos.poll();
    if (isDelivered) await pos.acknowledge(...events);
    const end = holdTurn();
    const read = Promise.resolve(pos.read(large));
    await until(() => waitingOf(restaurant.id) === 1);
    await pos.read(small).expect(200);
    expect(waitingOf(restaurant.id)).toBe(1);
    await end();
    const { status, body } = await read;
    expect([status, body.id, body.items.length]).toEqual([200, large, 100]);
  });

  test('so does one that names items of it in a refusal', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(() => scenario);
    const large = await restaurant.sell({ items: Array.from({ length: 100 }, () => item) });
    await pos.poll();
    const { body: order } = await pos.read(large).expect(200);
    const end = holdTurn();
    const refusal = Promise.resolve(pos.refuse(large, { invalidItems: [order.items[0].id] }));
    await until(() => waitingOf(restaurant.id) === 1);
    await end();
    expect((await refusal).status).toBe(202);
    await scenario.settle(large, 'DLQ');
  });
});
