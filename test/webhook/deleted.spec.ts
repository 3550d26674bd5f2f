import pg from 'pg';
import { RestaurantFinder } from '../../src/webhook/restaurant-finder.js';
import { sale } from '../support/client.js';
import { NEEDS_SERVER, whereServer } from '../support/database.js';
import { Scenario } from '../support/scenario.js';

describe('A21: a sale and the deletion of its restaurant', () => {
  let scenario: Scenario;

  beforeAll(async () => {
    scenario = await Scenario.open();
  });
  afterAll(() => scenario.close());

  const stored = (id: string) =>
    scenario.database.query('SELECT 1 FROM terminal_events WHERE restaurant_id = $1', [id]);

  test.each([false, true])(
    'deleted after it was found: 400 UNKNOWN_STORE, nothing is stored (test: %j)',
    async (test) => {
      const { id } = await scenario.restaurant('GONE');
      const finder = scenario.relay.get(RestaurantFinder);
      const { find } = finder;
      finder.find = async (...named) => {
        const found = await find.apply(finder, named);
        await scenario.people.deleteRestaurant(id);
        return found;
      };
      const { body } = await scenario.relay.post(sale({ storeCode: 'GONE', isTestTransaction: test }));
      finder.find = find;
      expect(body).toMatchObject({ statusCode: 400, code: 'UNKNOWN_STORE' });
      expect(await stored(id)).toEqual([]);
    },
  );

  whereServer(
    `a sale that waits for the deletion is not stored into the deleted restaurant${NEEDS_SERVER}`,
    async () => {
      const { id } = await scenario.restaurant('CLOSING');
      const other = new pg.Client({ connectionString: scenario.database.url });
      await other.connect();
      try {
        await other.query('BEGIN');
        await other.query('SELECT 1 FROM restaurants WHERE id = $1 FOR UPDATE', [id]);
        const answer = Promise.resolve(scenario.relay.post(sale({ storeCode: 'CLOSING' })));
        await scenario.jobs.until(async () => {
          const rows = await scenario.database.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return rows.length > 0;
        });
        await other.query('UPDATE restaurants SET deleted_at = now() WHERE id = $1', [id]);
        await other.query('COMMIT');
        expect((await answer).body).toMatchObject({ statusCode: 400, code: 'UNKNOWN_STORE' });
        expect(await stored(id)).toEqual([]);
      } finally {
        await other.end();
      }
    },
  );

  whereServer(`a deletion that waits for a sale is refused: 409${NEEDS_SERVER}`, async () => {
    const { id, token, sell } = await scenario.restaurant('BUSY');
    for (let round = 0; round < 10; round++) {
      const [deletion, jobId] = await Promise.all([
        scenario.api.delete(`/restaurants/${id}`, token),
        sell().catch(() => undefined),
      ]);
      // whichever commits first, a deleted restaurant has no undelivered order
      expect([deletion.status, jobId !== undefined]).toEqual(deletion.status === 200 ? [200, false] : [409, true]);
      if (deletion.status === 200) break;
    }
  });
});
