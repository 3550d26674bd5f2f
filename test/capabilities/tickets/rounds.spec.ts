import { SchedulerRegistry } from '@nestjs/schedule';
import { TicketRounds } from '../../../src/capabilities/tickets/rounds.js';
import { DatabaseClock } from '../../../src/platform/database/clock.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import type { Round, Rounds } from '../../../src/platform/schedule/rounds.js';
import { Log } from '../../../src/platform/telemetry/log.js';
import { Scenario } from '../../support/scenario.js';
import { addPrinter, atNoon, late, offerEnds, type Printing, round, ticketOf } from './printing.js';

interface Node {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Node[];
}
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

describe('which orders get paper', () => {
  const scenario = Scenario.ofSuite();
  let restaurant: Awaited<ReturnType<Scenario['restaurant']>>;
  let printing: Printing;

  beforeAll(async () => {
    restaurant = await scenario.restaurant('STORE-1');
    await atNoon(scenario, restaurant.id);
    printing = await addPrinter(scenario, restaurant);
  });
  afterEach(() => scenario.database.query('DELETE FROM outbox_jobs'));

  const query = (sql: string, ...values: unknown[]) => scenario.database.query(sql, values);
  const sell = (changes?: object) => restaurant.sell(changes);
  const stateOf = async (job: string) => (await ticketOf(scenario, job))?.state;

  test('a parked sale, and one that has waited for more than 3 minutes; one ticket each (K1)', async () => {
    const parked = await scenario.settle(await sell(), 'DLQ');
    const waiting = await late(scenario, await scenario.settle(await sell(), 'FAILED'));
    const untried = await late(scenario, await sell());
    const fresh = await sell();
    expect(await round(scenario.relay)).toBe(3);
    expect(await round(scenario.relay)).toBe(0);
    expect(await ticketOf(scenario, parked)).toMatchObject({ state: 'WAITING', reason: 'PARKED', printer_id: null });
    for (const job of [waiting, untried])
      expect(await ticketOf(scenario, job)).toMatchObject({ state: 'WAITING', reason: 'LATE' });
    expect(await ticketOf(scenario, fresh)).toBeUndefined();
  });

  test('a refund, a test sale, a cancelled order, a delivered one and one of an earlier business day get none (K1)', async () => {
    const refund = await scenario.settle(await sell({ totalAmount: -5, payments: [] }), 'DLQ');
    const trial = await scenario.settle(await sell({ isTestTransaction: true }), 'DLQ');
    const cancelled = await scenario.settle(await sell(), 'DLQ');
    await scenario.cancel(restaurant.id, await scenario.keyOf(cancelled), restaurant.token).expect(202);
    const sent = await late(scenario, await scenario.settle(await sell(), 'SENT'));
    const old = await scenario.settle(await sell(), 'DLQ');
    await query(`UPDATE outbox_jobs SET created_at = now() - interval '2 days' WHERE id = $1`, old);
    expect(await round(scenario.relay)).toBe(0);
    for (const job of [refund, trial, cancelled, sent, old]) expect(await ticketOf(scenario, job)).toBeUndefined();
  });

  test('a round every 15 s; an order waits for 3 minutes before it gets a ticket (K1, L30)', async () => {
    const { relay } = scenario;
    const added: Round[] = [];
    const rounds = { add: (round: Round) => added.push(round) } as unknown as Rounds;
    new TicketRounds(relay.get(PrismaService), relay.get(DatabaseClock), rounds, relay.get(Log)).onModuleInit();
    expect(added).toMatchObject([{ name: 'tickets.round', everyMs: 15_000, on: 'workers' }]);
    const job = await sell();
    const waitsFor = (seconds: number) =>
      query(`UPDATE outbox_jobs SET created_at = now() - $2::int * interval '1 second' WHERE id = $1`, job, seconds);
    await waitsFor(175);
    expect(await round(relay)).toBe(0);
    await waitsFor(181);
    expect(await round(relay)).toBe(1);
  });

  test('a restaurant without a printer gets none (K1)', async () => {
    const other = await scenario.restaurant('STORE-2');
    await atNoon(scenario, other.id);
    const job = await scenario.settle(await other.sell(), 'DLQ');
    await round(scenario.relay);
    expect(await ticketOf(scenario, job)).toBeUndefined();
  });

  describe('the orders of one restaurant do not hold up the tickets of another (K12, L180)', () => {
    let sets = 0;
    /** Restaurants with a printer, each with its number of parked orders of this day: those of the first are the oldest. */
    async function withParked(...counts: number[]): Promise<string[]> {
      const ids: string[] = [];
      for (const count of counts) {
        const made = await scenario.restaurant(`MANY-${++sets}`);
        await atNoon(scenario, made.id);
        await addPrinter(scenario, made);
        await query(
          `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
           SELECT $1 || '-' || n, $1 || '-' || n, false, $1::uuid, '{}' FROM generate_series(1, $2::int) n`,
          made.id,
          count,
        );
        await query(
          `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, attempts, created_at)
           SELECT gen_random_uuid(), transaction_key, restaurant_id, 'DLQ', NULL, 1,
                  now() - interval '1 minute' + ($2::int * 1000 + split_part(transaction_key, $1 || '-', 2)::int) * interval '1 ms'
           FROM terminal_events WHERE restaurant_id = $1::uuid`,
          made.id,
          ids.length,
        );
        ids.push(made.id);
      }
      return ids;
    }
    /** How many tickets in these states each restaurant has. */
    const ticketsOf = (ids: string[], ...states: string[]) =>
      Promise.all(
        ids.map(async (id) => {
          const sql = 'SELECT FROM tickets WHERE restaurant_id = $1 AND state::text = ANY ($2)';
          return (await query(sql, id, states)).length;
        }),
      );
    const WAITING = ['WAITING', 'OFFERED'];

    test('a restaurant with more parked orders than a round creates tickets', async () => {
      const ids = await withParked(600, 1);
      expect(await round(scenario.relay)).toBe(201);
      expect(await ticketsOf(ids, ...WAITING)).toEqual([200, 1]);
    });

    test('those with the fewest tickets that wait come first, whosever orders are the oldest', async () => {
      const ids = await withParked(200, 200, 200, 1);
      expect(await round(scenario.relay)).toBe(500);
      expect(await ticketsOf(ids, ...WAITING)).toEqual([167, 166, 166, 1]);
      const more = [...ids, ...(await withParked(150, 150, 150))];
      expect(await round(scenario.relay)).toBe(500);
      expect(await ticketsOf(more, ...WAITING)).toEqual([183, 183, 183, 1, 150, 150, 150]);
      expect(await round(scenario.relay)).toBe(51);
      expect(await round(scenario.relay)).toBe(0);
    });

    test('a restaurant without room costs the round no look at its orders', async () => {
      const ids = await withParked(210);
      const rowsOfJobs = async () => {
        const texts: string[] = [];
        const tx = {
          $queryRawUnsafe: async () => [{ taken: true }],
          $executeRawUnsafe: async (text: string) => texts.push(text),
        };
        const prisma = {
          prepared: async () => [{ needed: true }],
          $transaction: (run: (sender: typeof tx) => Promise<number>) => run(tx),
        } as unknown as PrismaService;
        await new TicketRounds(prisma, scenario.relay.get(DatabaseClock), {} as Rounds, scenario.relay.get(Log)).run();
        const [row] = await query(`EXPLAIN (ANALYZE, FORMAT JSON) ${texts.at(-1)}`);
        return nodesOf((row as { 'QUERY PLAN': [{ Plan: Node }] })['QUERY PLAN'][0].Plan)
          .filter((node) => node['Relation Name'] === 'outbox_jobs')
          .reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
      };
      expect(await rowsOfJobs()).toBeGreaterThanOrEqual(200);
      // that statement has created them
      expect(await ticketsOf(ids, ...WAITING)).toEqual([200]);
      expect(await rowsOfJobs()).toBe(0);
    });

    test('beyond 200 that wait the rest follows, the oldest first, as they are printed: each order gets its ticket', async () => {
      const ids = await withParked(210);
      const missing = async () =>
        (
          await query(
            `SELECT split_part(event_key, $1 || '-', 2)::int AS n FROM outbox_jobs job WHERE restaurant_id = $1::uuid
               AND NOT EXISTS (SELECT FROM tickets WHERE job_id = job.id) ORDER BY n`,
            ids[0],
          )
        ).map(({ n }) => n);
      expect(await round(scenario.relay)).toBe(200);
      expect(await missing()).toEqual([201, 202, 203, 204, 205, 206, 207, 208, 209, 210]);
      expect(await round(scenario.relay)).toBe(0);
      const ends = (count: number, state: string) =>
        query(
          `UPDATE tickets SET state = $2::ticket_state, printed_at = CASE WHEN $2 = 'PRINTED' THEN now() END, failure = CASE WHEN $2 = 'FAILED' THEN 'paper' END
           WHERE id IN (SELECT id FROM tickets WHERE restaurant_id = $3 AND state = 'WAITING' LIMIT $1)`,
          count,
          state,
          ids[0],
        );
      await ends(3, 'PRINTED');
      // one that is on offer has not ended
      await ends(1, 'OFFERED');
      await query(`UPDATE tickets SET offered_at = now() WHERE state = 'OFFERED'`);
      expect(await round(scenario.relay)).toBe(3);
      expect(await missing()).toEqual([204, 205, 206, 207, 208, 209, 210]);
      await ends(100, 'FAILED');
      expect(await round(scenario.relay)).toBe(7);
      expect(await missing()).toEqual([]);
    });
  });

  test('a ticket of an order that the POS has taken meanwhile, or that was cancelled, is never offered (K2)', async () => {
    const [taken, cancelled] = [await scenario.settle(await sell(), 'DLQ'), await scenario.settle(await sell(), 'DLQ')];
    await round(scenario.relay);
    await scenario.jobs.reset(taken);
    await scenario.settle(taken, 'SENT');
    await scenario.cancel(restaurant.id, await scenario.keyOf(cancelled), restaurant.token).expect(202);
    expect((await printing.printer.ask()).jobReady).toBe(false);
    await round(scenario.relay);
    expect([await stateOf(taken), await stateOf(cancelled)]).toEqual(['EXPIRED', 'EXPIRED']);
  });

  test('a ticket of an ended business day expires (K2)', async () => {
    const job = await scenario.settle(await sell(), 'DLQ');
    await round(scenario.relay);
    await query(`UPDATE outbox_jobs SET created_at = now() - interval '2 days' WHERE id = $1`, job);
    expect((await printing.printer.ask()).jobReady).toBe(false);
    await round(scenario.relay);
    expect(await stateOf(job)).toBe('EXPIRED');
  });

  test('a ticket on offer is not ended; when its time is over, and the POS has the order, it is (K2)', async () => {
    const job = await scenario.settle(await sell(), 'DLQ');
    await round(scenario.relay);
    await printing.printer.ask();
    await scenario.jobs.reset(job);
    await scenario.settle(job, 'SENT');
    await round(scenario.relay);
    expect(await stateOf(job)).toBe('OFFERED');
    await offerEnds(scenario);
    await round(scenario.relay);
    expect(await stateOf(job)).toBe('EXPIRED');
  });

  test('the ticket is no part of the delivery: the order is delivered as ever (K2)', async () => {
    const job = await scenario.settle(await sell(), 'FAILED');
    await late(scenario, job);
    await round(scenario.relay);
    await printing.printer.poll();
    await scenario.settle(job, 'SENT');
    expect((await scenario.jobs.get(job)).status).toBe('SENT');
    expect(await stateOf(job)).toBe('PRINTED');
  });

  test('a ticket whose job was removed by hand is EXPIRED by the next round (K2)', async () => {
    const job = await scenario.settle(await sell(), 'DLQ');
    await round(scenario.relay);
    await query('DELETE FROM outbox_jobs WHERE id = $1', job);
    await round(scenario.relay);
    expect(await stateOf(job)).toBe('EXPIRED');
  });

  test.each([
    ['true', true],
    ['false', false],
  ])('WORKER_ENABLED=%s: the round is scheduled: %s (K1)', async (WORKER_ENABLED, expected) => {
    // that of the suite has no worker
    const relay = expected ? await scenario.start({ WORKER_ENABLED }) : scenario.relay;
    expect(relay.get(SchedulerRegistry).getIntervals().includes('tickets.round')).toBe(expected);
    if (expected) await relay.close();
  });

  test('rounds at the same time create one ticket (K1)', async () => {
    const job = await scenario.settle(await sell(), 'DLQ');
    const created = await Promise.all([1, 2, 3].map(() => round(scenario.relay)));
    expect(created.reduce((sum, each) => sum + each)).toBe(1);
    expect(await scenario.database.query('SELECT FROM tickets WHERE job_id = $1', [job])).toHaveLength(1);
  });
});
