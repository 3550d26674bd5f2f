import { connected } from '../../runner/template.js';
import { untilWaiting, whereServer } from '../../support/database.js';
import { Scenario } from '../../support/scenario.js';
import { PullingPos } from './pulling.js';

describe('a statement of a POS that waits for its order', () => {
  const scenario = Scenario.ofSuite({ WORKER_ENABLED: 'false' });

  whereServer.each(['accept', 'refuse'] as const)(
    '%s: it sees the cancel that was stored meanwhile (Q15)',
    async (says) => {
      const { restaurant, pos } = await PullingPos.ofRestaurant(() => scenario);
      const jobId = await restaurant.sell();
      await pos.acknowledge(...(await pos.poll()));
      await connected(scenario.database.url, async (other) => {
        await other.query('BEGIN');
        await other.query('SELECT FROM outbox_jobs WHERE id = $1 FOR UPDATE', [jobId]);
        const answer = Promise.resolve(says === 'accept' ? pos.accept(jobId, '4711') : pos.refuse(jobId));
        await untilWaiting(scenario.database);
        await other.query(
          `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
         SELECT gen_random_uuid(), event_key, restaurant_id, 'CANCEL', 'PENDING', now(), now(), now() FROM outbox_jobs WHERE id = $1`,
          [jobId],
        );
        await other.query('COMMIT');
        const { status, body } = await answer;
        expect([status, body]).toMatchObject([422, { title: expect.stringContaining('was cancelled') }]);
      });
      expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'SENT' });
    },
  );

  whereServer('a confirmation that waits for a refusal does not accept what was refused (Q16)', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(() => scenario);
    const jobId = await restaurant.sell();
    await pos.acknowledge(...(await pos.poll()));
    await connected(scenario.database.url, async (other) => {
      await other.query('BEGIN');
      await other.query(
        `INSERT INTO pos_acceptances (id, restaurant_id, job_id, offer, state, offered_as)
         SELECT gen_random_uuid(), restaurant_id, id, 0, 'REFUSED', gen_random_uuid() FROM outbox_jobs WHERE id = $1`,
        [jobId],
      );
      await other.query(
        `UPDATE outbox_jobs SET status = 'DLQ', next_run_at = NULL, last_error = 'refused', cause = 'refused' WHERE id = $1`,
        [jobId],
      );
      const answer = Promise.resolve(pos.accept(jobId, '4711'));
      await untilWaiting(scenario.database);
      await other.query('COMMIT');
      const { status, body } = await answer;
      expect([status, body]).toMatchObject([422, { title: expect.stringContaining('refused') }]);
    });
    expect(await scenario.jobs.get(jobId)).toMatchObject({ status: 'DLQ', cause: 'refused' });
  });
});
