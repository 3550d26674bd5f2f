import { sale } from '../support/client.js';
import { NEEDS_SERVER, whereServer } from '../support/database.js';
import { Scenario } from '../support/scenario.js';
import { withClock } from '../support/wrong-clock.js';

const DAY_MS = 86_400_000;
describe("an instance whose clock is wrong uses the database's clock (O5)", () => {
  let scenario: Scenario;

  beforeEach(async () => {
    scenario = await Scenario.open();
    await scenario.relay.createRestaurant();
  });
  afterEach(() => scenario.close());

  whereServer.each([
    ['a day ahead', DAY_MS],
    ['a day behind', -DAY_MS],
  ])(
    `%s: what is due is sent, what is not waits, and a lease that holds is left alone${NEEDS_SERVER}`,
    async (_, ms) => {
      const { relay, pos, jobs } = scenario;
      const id = await relay.accept(sale());
      pos.behave({ mode: 'status', status: 503 });
      await withClock(ms, () => relay.tick());
      // the backoff starts at the database's time
      const failed = await jobs.get(id);
      expect(failed).toMatchObject({ status: 'FAILED', attempts: 1 });
      expect(failed.due_in_ms).toBeGreaterThan(20_000);
      expect(failed.due_in_ms).toBeLessThan(40_000);

      pos.behave({ mode: 'gate', register: 'before', times: 1 });
      const other = await relay.accept(sale());
      const ticking = withClock(ms, () => relay.tick());
      await pos.when(() => pos.waiting === 1);
      await withClock(ms, () => relay.reap());
      expect(await jobs.get(other)).toMatchObject({ status: 'PROCESSING', attempts: 1 });
      expect(await jobs.get(id)).toMatchObject({ status: 'FAILED', attempts: 1 });
      pos.release();
      await ticking;
      expect(await jobs.get(other)).toMatchObject({ status: 'SENT', attempts: 1 });

      await jobs.makeDue(id);
      await withClock(ms, () => relay.tick());
      expect(await jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 2 });
    },
  );
});
