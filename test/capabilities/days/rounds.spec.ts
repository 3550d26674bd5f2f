import { SchedulerRegistry } from '@nestjs/schedule';
import pg from 'pg';
import { DayCloser } from '../../../src/capabilities/days/day-closer.js';
import { DayRounds } from '../../../src/capabilities/days/day-rounds.js';
import { DatabaseClock } from '../../../src/platform/database/clock.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import type { Round, Rounds } from '../../../src/platform/schedule/rounds.js';
import { Log } from '../../../src/platform/telemetry/log.js';
import { sale } from '../../support/client.js';
import { NEEDS_SERVER, whereServer } from '../../support/database.js';
import { Scenario } from '../../support/scenario.js';
import { RestaurantDays } from './restaurant-days.js';

const DAY_MS = 86_400_000;
const ago = (ms: number) => new Date(Date.now() - ms);

describe('the relay closes days by itself, two hours after their end (B8)', () => {
  const scenario = Scenario.ofSuite();

  beforeEach(() => scenario.empty());

  const round = () => scenario.relay.get(DayRounds).run();
  const closings = () =>
    scenario.database.query<{ restaurant_id: string; number: number; closed_by: string | null }>(
      'SELECT restaurant_id, number, closed_by FROM business_days ORDER BY restaurant_id, number',
    );

  /** A restaurant whose business day ended so long ago, in a zone where this is before noon. */
  async function ended(ms: number, daysAgo = 0): Promise<RestaurantDays> {
    const end = ago(ms);
    const zone = end.getUTCHours() < 12 ? 'UTC' : 'Etc/GMT+12';
    const [local] = await scenario.database.query<{ at: string }>(
      `SELECT to_char($1::timestamptz AT TIME ZONE $2, 'HH24:MI') AS at`,
      [end.toISOString(), zone],
    );
    return RestaurantDays.open(
      scenario,
      ago(ms + DAY_MS / 2 + daysAgo * DAY_MS).toISOString(),
      zone,
      (local as { at: string }).at,
    );
  }

  /** Restaurants whose business day ended three hours ago. @returns their ids */
  async function many(count: number): Promise<string[]> {
    const { id } = await ended(3 * 3_600_000);
    const copies = await scenario.database.query<{ id: string }>(
      `INSERT INTO restaurants (id, name, slug, days_since, timezone, day_closes_at)
       SELECT gen_random_uuid(), name, gen_random_uuid(), days_since, timezone, day_closes_at
       FROM restaurants, generate_series(2, $2) WHERE id = $1 RETURNING id`,
      [id, count],
    );
    return [id, ...copies.map((copy) => copy.id)];
  }

  test('not before, and the log and the closing say that it was the relay', async () => {
    await ended(3_600_000);
    const over = await ended(3 * 3_600_000);
    expect(await round()).toBe(1);
    expect(await closings()).toEqual([{ restaurant_id: over.id, number: 1, closed_by: null }]);
    const [closed] = (await over.get().expect(200)).body.data;
    expect(closed).toMatchObject({ number: 1, closedByRelay: true, closedBy: null });
    expect(scenario.relay.logged).toContainEqual(
      expect.objectContaining({ event: 'day.closed', restaurantId: over.id, number: 1, hash: closed.hash }),
    );
    expect(await round()).toBe(0);
  });

  test('after days without a relay, one day after the other; not of a deleted restaurant', async () => {
    const behind = await ended(3 * 3_600_000, 2);
    const gone = await ended(3 * 3_600_000);
    await scenario.database.query('UPDATE restaurants SET deleted_at = now() WHERE id = $1', [gone.id]);
    expect([await round(), await round(), await round(), await round()]).toEqual([1, 1, 1, 0]);
    expect((await closings()).map(({ restaurant_id }) => restaurant_id)).toEqual([behind.id, behind.id, behind.id]);
  });

  test('rounds run every 30 s on instances that run the outbox (B8, L81)', () => {
    const { relay } = scenario;
    const added: Round[] = [];
    new DayRounds(
      relay.get(PrismaService),
      relay.get(DatabaseClock),
      relay.get(DayCloser),
      { add: (...rounds: Round[]) => added.push(...rounds) } as unknown as Rounds,
      new AbortController().signal,
      relay.get(Log),
    ).onModuleInit();
    expect(added).toMatchObject([{ name: 'days.round', everyMs: 30_000, on: 'workers' }]);
  });

  test('a relay that listens has scheduled them, and the round of messages (B8, B12)', async () => {
    const relay = await scenario.start({ WORKER_ENABLED: 'true' });
    expect(relay.get(SchedulerRegistry).getIntervals()).toEqual(
      expect.arrayContaining(['days.round', 'channels.outgoing']),
    );
    await relay.close();
  });

  test('a round is bounded, and the next one goes on (L81)', async () => {
    await many(25);
    expect([await round(), await round(), await round()]).toEqual([20, 5, 0]);
  });

  test('instances at the same time close a day once', async () => {
    await many(5);
    const other = await scenario.start();
    const both = await Promise.all([round(), other.get(DayRounds).run()]);
    expect(both[0] + both[1]).toBe(5);
    expect((await closings()).map(({ number }) => number)).toEqual([1, 1, 1, 1, 1]);
  });

  test('a restaurant whose closing the database refuses stops no other', async () => {
    const refused = (await many(25)).slice(0, 22);
    await scenario.database.query(
      `CREATE FUNCTION refuse_days() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$;
       CREATE TRIGGER refused BEFORE INSERT ON business_days FOR EACH ROW
       WHEN (NEW.restaurant_id IN (${refused.map((id) => `'${id}'::uuid`).join()})) EXECUTE FUNCTION refuse_days()`,
    );
    const closed = (await round()) + (await round());
    await scenario.database.query('DROP FUNCTION refuse_days() CASCADE');
    expect(closed).toBe(3);
    expect(scenario.relay.logged.filter(({ event }) => event === 'day.not_closed')).toHaveLength(22);
  });

  whereServer(
    `a closing waits for no sale, and a sale for no closing; a sale in flight is in exactly one day (B3)${NEEDS_SERVER}`,
    async () => {
      const days = await ended(3 * 3_600_000, 1);
      const { id } = days;
      const [{ open }] = [(await days.get().expect(200)).body];
      const inFlight = new pg.Client(scenario.database.url);
      await inFlight.connect();
      // as the statement that stores a sale: it has begun before the end of the day, and has not committed
      await inFlight.query('BEGIN');
      await inFlight.query('SELECT id FROM restaurants WHERE id = $1 FOR KEY SHARE', [id]);
      await inFlight.query(
        `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, paid_cents, payload, received_at)
       VALUES ('in-flight', 'in-flight', false, $1, 1200, '{}', $2::timestamptz - interval '1 ms')`,
        [id, open.endsAt],
      );
      await days.sold({ key: 'before', at: open.beginsAt, cents: 34 });
      const first = await days.closed(open.day);
      expect(first).toMatchObject({ sales: { count: 1, cents: 34 } });
      await inFlight.query('COMMIT');
      // the lock of a closing that is under way
      await inFlight.query('BEGIN');
      await inFlight.query('SELECT id FROM restaurants WHERE id = $1 FOR NO KEY UPDATE', [id]);
      await scenario.relay.accept(sale({ restaurantId: id, storeCode: null }));
      await inFlight.query('COMMIT');
      await inFlight.end();
      const [next] = [(await days.get().expect(200)).body.open];
      expect(next).toMatchObject({ sales: { count: 1, cents: 1_200 } });
      expect(await days.closed(next.day)).toMatchObject({ sales: { count: 1, cents: 1_200 }, linesCount: 1 });
      expect(await days.lines()).toEqual([[next.day, open.day, 'LATE', 'in-flight', 1_200]]);
      expect(await days.check()).toMatchObject({ days: 2, firstBroken: null });
    },
  );
});
