import pg from 'pg';
import { Placement } from '../../src/webhook/placement.js';
import { sale } from '../support/client.js';
import { NEEDS_SERVER, untilWaiting, whereServer } from '../support/database.js';
import { Scenario } from '../support/scenario.js';

describe('A21: a sale and the deletion of its restaurant', () => {
  const scenario = Scenario.ofSuite();

  const stored = (id: string) =>
    scenario.database.query('SELECT 1 FROM terminal_events WHERE restaurant_id = $1', [id]);

  test.each([false, true])(
    'deleted after a sale of its owner was placed: 400, nothing is stored (test: %j)',
    async (test) => {
      const { id, token } = await scenario.restaurant('GONE');
      const placement = scenario.relay.get(Placement);
      const { place } = placement;
      placement.place = async (...named) => {
        const found = await place.apply(placement, named);
        await scenario.people.deleteRestaurant(id);
        return found;
      };
      const request = scenario.relay.http.post('/webhooks/terminal').auth(token, { type: 'bearer' });
      const { body } = await request.send(sale({ storeCode: 'GONE', isTestTransaction: test }));
      placement.place = place;
      expect(body).toMatchObject({ statusCode: 400, code: 'NO_OWNER_LINK' });
      expect(await stored(id)).toEqual([]);
    },
  );

  /** While another session deletes the restaurant, `request` waits; then the deletion is committed. @returns the answer */
  async function duringDeletion<Answer>(id: string, request: () => PromiseLike<Answer>): Promise<Answer> {
    const other = new pg.Client({ connectionString: scenario.database.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM restaurants WHERE id = $1 FOR UPDATE', [id]);
      const answer = Promise.resolve(request());
      await untilWaiting(scenario.database);
      await other.query('UPDATE restaurants SET deleted_at = now() WHERE id = $1', [id]);
      await other.query('COMMIT');
      return await answer;
    } finally {
      await other.end();
    }
  }

  whereServer(
    `a sale that waits for the deletion is not stored into the deleted restaurant${NEEDS_SERVER}`,
    async () => {
      const { id } = await scenario.restaurant('CLOSING');
      const { body } = await duringDeletion(id, () => scenario.relay.post(sale({ storeCode: 'CLOSING' })));
      expect(body).toMatchObject({ statusCode: 400, code: 'UNKNOWN_STORE' });
      expect(await stored(id)).toEqual([]);
    },
  );

  whereServer(`nor is a cancel of one of its orders${NEEDS_SERVER}`, async () => {
    const { id, token, sell } = await scenario.restaurant('CANCELLING');
    const job = await scenario.settle(await sell(), 'SENT');
    const key = await scenario.keyOf(job);
    const { status } = await duringDeletion(id, () => scenario.cancel(id, key, token));
    expect(status).toBe(404);
    const cancels = `SELECT 1 FROM outbox_jobs WHERE restaurant_id = $1 AND action = 'CANCEL'`;
    expect(await scenario.database.query(cancels, [id])).toEqual([]);
  });

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
