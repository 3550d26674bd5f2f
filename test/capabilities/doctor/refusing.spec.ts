import { Scenario } from '../../support/scenario.js';
import { examined } from './doctor.js';

describe('the doctor and restaurants whose POS accepts nothing', () => {
  const scenario = Scenario.ofSuite();

  const checks = async () => {
    const { text } = await examined(scenario.environment, { json: true });
    return JSON.parse(text) as { name: string; level: string; text: string; details?: string[]; hint?: string }[];
  };

  test('are one check, by what the POS answers (R13, G50); late orders of failed attempts are not called unclaimed (R14)', async () => {
    expect((await checks()).filter(({ name }) => name === 'POS that accepts nothing')).toEqual([]);
    const { query } = scenario.database;
    for (let i = 0; i < 3; i++) await scenario.settle(await (await scenario.store()).sell(), 'FAILED', 'maintenance');
    await query(
      `UPDATE outbox_jobs SET next_run_at = now() - interval '2 hours', last_error = 'HTTP 503: maintenance', cause = 'failing'`,
    );
    await query(
      `UPDATE outbox_jobs SET last_error = 'POS sign-in failed: HTTP 401: unknown partner', cause = 'sign_in'
       WHERE id = (SELECT id FROM outbox_jobs LIMIT 1)`,
    );
    await query(
      `INSERT INTO pos_outages (restaurant_id, began_at, failed_at) SELECT restaurant_id, now(), now() FROM outbox_jobs`,
    );
    const { level } = (await checks()).find(({ name }) => name === 'POS that accepts nothing') ?? {};
    expect(level).toBe('warning');
    await query(`UPDATE pos_outages SET began_at = now() - interval '1 hour'`);
    await query(`UPDATE delivery_attempts SET started_at = now() - interval '1 hour'`);
    const found = await checks();
    expect(found).toContainEqual(
      expect.objectContaining({
        ...{
          name: 'POS that accepts nothing',
          level: 'bad',
          text: '3 restaurants: every attempt fails, and orders wait',
        },
        details: [
          expect.stringMatching(/^HTTP 503: maintenance: 2 restaurants, 2 orders, since .* UTC \(.+, .+\)$/),
          expect.stringMatching(
            /^POS sign-in failed: HTTP 401: unknown partner: 1 restaurant, 1 order, since .* UTC \(.+\)$/,
          ),
        ],
      }),
    );
    const late = found.find(({ name }) => name === 'late jobs');
    expect(late).toMatchObject({
      level: 'bad',
      hint: expect.stringMatching(/^after failed attempts: look at the POS/),
    });
    expect(late?.text).toContain('1 of them after failed attempts');
  });

  test('with late orders the doctor says whether a relay works on them, and when the last one did (R13, R21)', async () => {
    const { query } = scenario.database;
    const workers = async () => (await checks()).find(({ name }) => name === 'workers');
    await query('DELETE FROM pos_outages');
    await query(`UPDATE outbox_jobs SET status = 'PENDING', next_run_at = now() - interval '2 hours'`);
    const seen = (worker: boolean, ago: string) =>
      query('UPDATE relay_instances SET worker_enabled = $1, last_seen_at = now() - $2::interval', [worker, ago]);
    await seen(true, '1 second');
    expect(await workers()).toMatchObject({
      level: 'bad',
      text: expect.stringMatching(/^3 orders are late, by up to 2 h, and 1 relay works on orders$/),
    });
    await seen(true, '10 minutes');
    expect(await workers()).toMatchObject({
      level: 'bad',
      text: expect.stringMatching(
        /^3 orders are late, by up to 2 h, and no relay works on orders: the last one was seen on \d{4}-.* UTC$/,
      ),
      hint: expect.stringContaining('WORKER_ENABLED=true'),
    });
    await seen(false, '1 second');
    expect((await workers())?.text).toContain('no relay works on orders: none is known');
    await query(`UPDATE outbox_jobs SET next_run_at = now()`);
    expect(await workers()).toBeUndefined();
  });
});
