import { randomUUID } from 'node:crypto';
import { POS_STATES } from '../../../src/domain/acceptance.js';
import { JobStore } from '../../../src/outbox/job-store.js';
import { offerJobs, openJobs, readableOrder } from '../../../src/outbox/store/offer.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { connected } from '../../runner/template.js';
import { NEEDS_SERVER, whereServer } from '../../support/database.js';
import { planning } from '../../support/plans.js';
import { Scenario } from '../../support/scenario.js';
import { PullingPos } from './pulling.js';

const ORDERS = 50_000;
const ALL = { actions: ['CREATE', 'CANCEL'], leftOut: [], states: POS_STATES, limit: 100 } as const;

describe('polls beside 50,000 orders (Q4, R30)', () => {
  const scenario = Scenario.ofSuite();

  test('a poll, what an acknowledgement reads, and the reading of an order look up rows by index, also in a history of delivered orders', async () => {
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
    const poll = { credentialId: pos.credentials.id, restaurantId: restaurant.id, ...ALL };
    const ofNobody = { ...poll, credentialId: randomUUID() };
    const offered = (isNew: boolean) => [undefined, { jobs: [{ id: jobId, isNew }], said: [] }];
    expect(await offerJobs(prisma, [ofNobody, poll])).toMatchObject(offered(true));
    expect(await offerJobs(prisma, [ofNobody, poll])).toMatchObject(offered(false));
    expect(await openJobs(prisma, pos.credentials.id, [jobId])).toHaveLength(1);
    expect(await readableOrder(prisma, pos.credentials.id, jobId)).toMatchObject({ id: jobId });
    expect(plans).toHaveLength(4);
    for (const { scans, text } of plans)
      expect([
        text,
        scans.filter((table) => ['outbox_jobs', 'terminal_events', 'delivery_attempts'].includes(table)),
      ]).toEqual([text, []]);
  });
});

describe('polls of many restaurants at once (Q4, Q11)', () => {
  const scenario = Scenario.ofSuite({ WORKER_ENABLED: 'false' });
  const restaurants = () => Promise.all(Array.from({ length: 30 }, () => PullingPos.ofRestaurant(() => scenario)));

  test('they share statements, and each has the orders of its restaurant and no others', async () => {
    const places = await restaurants();
    const orders = await Promise.all(places.map(({ restaurant }, n) => sold(restaurant, n % 8)));
    const offer = jest.spyOn(scenario.relay.get(JobStore), 'offer');
    for (let round = 0; round < 2; round++) {
      const found = await Promise.all(places.map(({ pos }) => pos.poll()));
      expect(found.map((events) => events.map(({ orderId }) => orderId))).toEqual(orders);
    }
    const polls = offer.mock.calls.map(([together]) => together.length);
    expect(polls.reduce((sum, count) => sum + count)).toBe(60);
    expect(Math.max(...polls)).toBeGreaterThan(1);
    expect(Math.max(...polls)).toBeLessThanOrEqual(20);
    await Promise.all(places.map(async ({ pos }) => pos.acknowledge(...(await pos.poll()))));
    const states = await Promise.all(orders.flat().map((id) => scenario.jobs.get(id)));
    expect(new Set(states.map(({ status }) => status))).toEqual(new Set(['SENT']));
  });

  whereServer(
    `what another session has locked holds up no poll: a restaurant that is being changed has no new events meanwhile (Q4, Q14)${NEEDS_SERVER}`,
    async () => {
      const places = await restaurants();
      const [locked] = places as [(typeof places)[number]];
      const orders = await Promise.all(places.map(({ restaurant }) => sold(restaurant, 1)));
      await connected(scenario.database.url, async (other) => {
        await other.query('BEGIN');
        await other.query('SELECT FROM restaurants WHERE id = $1 FOR NO KEY UPDATE', [locked.restaurant.id]);
        await other.query('SELECT FROM pos_credentials WHERE restaurant_id = $1 FOR UPDATE', [locked.restaurant.id]);
        const found = await Promise.all(places.map(({ pos }) => pos.poll()));
        expect(found.map(([event]) => event?.orderId)).toEqual([undefined, ...orders.slice(1).flat()]);
      });
      expect(await locked.pos.poll()).toMatchObject([{ orderId: orders[0]?.[0] }]);
    },
  );

  async function sold(restaurant: { sell: () => Promise<string> }, count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push(await restaurant.sell());
    return ids;
  }
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
