import { offerJobs, openJobs, readableOrder } from '../../../src/outbox/store/offer.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { planning } from '../../support/plans.js';
import { Scenario } from '../../support/scenario.js';
import { PullingPos } from './pulling.js';

const ORDERS = 50_000;
const ALL = { actions: ['CREATE', 'CANCEL'], leftOut: [], limit: 100 } as const;

describe('polls beside 50,000 orders (Q4, R30)', () => {
  const scenario = Scenario.ofSuite();

  test('a poll, an acknowledgement and the reading of an order are a statement each, by index, also in a history of delivered orders', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(() => scenario);
    await scenario.database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at)
         SELECT 'T-' || n, 'T-' || n, false, $1::uuid, '{}', now() - n * interval '1 minute' FROM generate_series(1, ${ORDERS}) n
         RETURNING transaction_key, restaurant_id, received_at)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'SENT', 1, NULL, received_at, received_at FROM event`,
      [restaurant.id],
    );
    await scenario.database.query('ANALYZE');
    const jobId = await restaurant.sell();
    const { prisma, plans } = planning(scenario.relay.get(PrismaService));
    const poll = { credentialId: pos.credentials.id, ...ALL };
    expect(await offerJobs(prisma, poll)).toMatchObject([{ id: jobId, isNew: true }]);
    expect(await offerJobs(prisma, poll)).toMatchObject([{ id: jobId, isNew: false }]);
    expect(await openJobs(prisma, restaurant.id, [jobId])).toHaveLength(1);
    expect(await readableOrder(prisma, pos.credentials.id, jobId)).toMatchObject({ id: jobId });
    expect(plans).toHaveLength(4);
    for (const { scans, text } of plans)
      expect([
        text,
        scans.filter((table) => ['outbox_jobs', 'terminal_events', 'delivery_attempts'].includes(table)),
      ]).toEqual([text, []]);
  });
});

describe('pollers of one restaurant at once (Q4, Q5)', () => {
  const scenario = Scenario.ofSuite({ WORKER_ENABLED: 'false', PULL_LEASE_MS: '1000', OUTBOX_MAX_ATTEMPTS: '1000' });

  test('four pollers, lost acknowledgements and ended leases: each order is offered under one id, settled once, and none is lost', async () => {
    const { restaurant, pos } = await PullingPos.ofRestaurant(() => scenario);
    const pollers = [pos, ...(await Promise.all([1, 2, 3].map(() => PullingPos.of(() => scenario, restaurant))))];
    const sold = new Set<string>();
    const seen = new Set<string>();
    let isOpen = true;
    const sellers = [1, 2].map(async () => {
      for (let i = 0; i < 150; i++) sold.add(await restaurant.sell());
    });
    const reaping = (async () => {
      while (isOpen) await scenario.relay.reap();
    })();
    const settled = async () => {
      const [row] = await scenario.database.query<{ open: number }>(
        `SELECT count(*) FILTER (WHERE status <> 'SENT')::int AS open FROM outbox_jobs WHERE restaurant_id = $1::uuid`,
        [restaurant.id],
      );
      return sold.size === 300 && row?.open === 0;
    };
    const polling = pollers.map(async (poller, n) => {
      for (let round = 0; isOpen; round++) {
        const events = await poller.poll();
        for (const { eventId } of events) seen.add(eventId);
        // every third acknowledgement of a poller is lost
        if ((round + n) % 3 > 0) await poller.acknowledge(...events);
        if (events.length === 0 && (await settled())) isOpen = false;
      }
    });
    await Promise.all([...sellers, ...polling, reaping]);
    expect(seen).toEqual(sold);
    const attempts = await scenario.database.query<{ sent: number; held: number }>(
      `SELECT count(*) FILTER (WHERE outcome = 'SENT')::int AS sent, count(*) FILTER (WHERE outcome NOT IN ('SENT', 'LOST'))::int AS held
       FROM delivery_attempts JOIN outbox_jobs ON outbox_jobs.id = job_id WHERE restaurant_id = $1::uuid GROUP BY job_id`,
      [restaurant.id],
    );
    expect(attempts).toHaveLength(300);
    expect(new Set(attempts.map(({ sent, held }) => `${sent} ${held}`))).toEqual(new Set(['1 0']));
  });
});
