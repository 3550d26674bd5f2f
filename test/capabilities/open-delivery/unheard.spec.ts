import { readMigrations } from '../../../src/platform/database/migrations/migrations.js';
import { sale } from '../../support/client.js';
import { Scenario } from '../../support/scenario.js';
import { PullingPos } from './pulling.js';

const LEASE_MS = 60_000;

describe('which orders wait for a word of their POS (Q18)', () => {
  const scenario = Scenario.ofSuite({ OUTBOX_PACE: 'eager', WORKER_ENABLED: 'false', RESEND: 'restaurants' });
  const opened = () => scenario;
  // of the test before: jobs are removed without their triggers between tests
  beforeEach(() => scenario.database.query('DELETE FROM unheard_orders'));
  const unheard = async () =>
    (await scenario.database.query<{ id: string }>('SELECT job_id::text AS id FROM unheard_orders')).map(
      ({ id }) => id,
    );
  const delivered = async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    await pos.acknowledge(...(await pos.poll()));
    expect(await unheard()).toEqual([jobId]);
    return { restaurant, pos, jobId };
  };

  test.each(['confirm', 'preparing', 'delivered'])(
    'one that was acknowledged, until it says %s (Q15)',
    async (path) => {
      const { pos, jobId } = await delivered();
      await pos.say(jobId, path, { orderExternalCode: '4711' }).expect(202);
      expect(await unheard()).toEqual([]);
    },
  );

  test('one that is offered does not wait for it; nor one that another kind of POS was sent', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    await restaurant.sell();
    await pos.poll();
    const { id } = await scenario.store();
    const sold = await scenario.relay.accept(sale({ storeCode: null, restaurantId: id }));
    await scenario.settle(sold, 'SENT');
    expect(await unheard()).toEqual([]);
  });

  test('one that was acknowledged after its lease', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(opened);
    const jobId = await restaurant.sell();
    const events = await pos.poll();
    await scenario.database.query(
      `UPDATE outbox_jobs SET processing_at = processing_at - interval '${LEASE_MS + 1} milliseconds' WHERE id = $1::uuid`,
      [jobId],
    );
    await scenario.relay.reap();
    expect(await unheard()).toEqual([]);
    await pos.acknowledge(...events);
    expect(await unheard()).toEqual([jobId]);
    await pos.accept(jobId, '4711').expect(202);
    expect(await unheard()).toEqual([]);
  });

  test('a refused one waits again when it is sent again (Q16)', async () => {
    const { restaurant, pos, jobId } = await delivered();
    await pos.refuse(jobId).expect(202);
    expect(await unheard()).toEqual([]);
    const key = await scenario.keyOf(jobId);
    await scenario.api.post(`/restaurants/${restaurant.id}/orders/${key}/resend`, restaurant.owner.token).expect(202);
    expect(await unheard()).toEqual([]);
    await pos.acknowledge(...(await pos.poll('?eventType=CREATED')));
    expect(await unheard()).toEqual([jobId]);
    await pos.accept(jobId, '4712').expect(202);
    expect(await unheard()).toEqual([]);
  });

  test('those that were delivered before the upgrade wait for it too; not one of which something was said', async () => {
    const { pos, restaurant, jobId } = await delivered();
    const accepted = await restaurant.sell();
    await pos.acknowledge(...(await pos.poll()));
    await pos.accept(accepted, '4711').expect(202);
    await scenario.database.query('DELETE FROM unheard_orders');
    const { sql } = readMigrations().find(({ name }) => name.endsWith('_unheard_orders')) as { sql: string };
    await scenario.database.query(sql.slice(sql.indexOf('INSERT INTO unheard_orders')));
    expect(await unheard()).toEqual([jobId]);
  });

  test('it goes with its job', async () => {
    const { jobId } = await delivered();
    await scenario.database.query('DELETE FROM outbox_jobs WHERE id = $1::uuid', [jobId]);
    expect(await unheard()).toEqual([]);
  });
});
