import type { FairSlots } from '../../src/http/fair-slots.js';
import { Shares } from '../../src/http/shares.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';

const NEVER = () => new AbortController().signal;

describe('the shares of an account (H19)', () => {
  const scenario = Scenario.ofSuite();

  test('a change does not wait for reads of its account: whoever reads too much still cancels (L125)', async () => {
    const { id, token, owner, sell } = await scenario.store();
    const key = await scenario.keyOf(await sell());
    const { ordinary } = (scenario.relay.get(Shares) as unknown as { accounts: Record<string, FairSlots> }).accounts;
    const slots = ordinary as FairSlots;
    const held = await Promise.all(Array.from({ length: 4 }, () => slots.take(owner.id, NEVER)));
    const read = scenario.api.get(`/restaurants/${id}/state`, token).then(({ status }) => status);
    await until(() => slots.of(owner.id).waiting === 1);
    await scenario.cancel(id, key, token).expect(202);
    expect(slots.of(owner.id)).toEqual({ underWay: 4, waiting: 1 });
    for (const free of held) free();
    expect(await read).toBe(200);
  });
});
