import { NEEDS_SERVER, whereServer } from '../support/database.js';
import { EAGER } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';

const WAITING = 2_000;
const PER_MINUTE = 600;

/** Orders of a pause that two instances resume, beside another restaurant. */
describe('the pace after a pause holds for all instances (O49, O50)', () => {
  whereServer(
    `of 2,000 orders two instances send what was asked for, the oldest first, while another restaurant goes on${NEEDS_SERVER}`,
    async () => {
      const scenario = await Scenario.open({ RESEND: 'restaurants' });
      const { database, api, pos } = scenario;
      try {
        const { id, owner, sell } = await scenario.store();
        const other = await scenario.store();
        await api.post(`/restaurants/${id}/pause`, owner.token, { reason: 'the kitchen is full' }).expect(200);
        await sell();
        await database.query(
          `WITH event AS (
             INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at)
             SELECT 'P-' || lpad(n::text, 5, '0'), 'P-' || n, false, $1, payload, now() - (${WAITING} - n) * interval '1 second'
             FROM generate_series(1, ${WAITING}) n, (SELECT payload FROM terminal_events LIMIT 1) AS one
             RETURNING transaction_key, restaurant_id, received_at)
           INSERT INTO outbox_jobs (id, event_key, restaurant_id, next_run_at, created_at)
           SELECT gen_random_uuid(), transaction_key, restaurant_id, received_at, received_at FROM event`,
          [id],
        );
        await Promise.all([scenario.startProcess(EAGER), scenario.startProcess(EAGER)]);
        const sentOf = async (restaurant: string): Promise<string[]> =>
          (
            await database.query(
              `SELECT event_key FROM outbox_jobs WHERE restaurant_id = $1 AND status = 'SENT' ORDER BY updated_at`,
              [restaurant],
            )
          ).map(({ event_key }) => String(event_key));
        const aside = await other.sell();
        await scenario.jobs.until(async () => (await scenario.jobs.get(aside)).status === 'SENT');
        // both instances have looked for due jobs
        expect(await sentOf(id)).toEqual([]);

        await api.post(`/restaurants/${id}/resume`, owner.token, { perMinute: PER_MINUTE }).expect(200);
        const beganAt = Date.now();
        await scenario.jobs.until(async () => (await sentOf(id)).length >= 100, 60_000);
        const seconds = (Date.now() - beganAt) / 1_000;
        const sent = await sentOf(id);
        expect(sent.length).toBeLessThanOrEqual((seconds * PER_MINUTE) / 60 + 20);
        expect(seconds).toBeGreaterThan(8);
        // the oldest, whatever the order among those that were sent together
        expect([...sent].sort()).toEqual(
          Array.from({ length: sent.length }, (_, n) => `P-${String(n + 1).padStart(5, '0')}`),
        );
        const late = await other.sell();
        await scenario.jobs.until(async () => (await scenario.jobs.get(late)).status === 'SENT');
        for (const key of sent) expect(pos.orders.get(key)?.cooked).toBe(1);
      } finally {
        await scenario.close();
      }
    },
    120_000,
  );
});
