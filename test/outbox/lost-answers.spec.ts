import { STATEMENT } from '../../proof/postgres/proxy.js';
import type { PosSimulator } from '../../tools/simulator/simulator.js';
import { LossyLine } from '../platform/database/lossy-line.js';
import { DatabaseSwitch } from '../platform/health/line.js';
import { sale } from '../support/client.js';
import { NEEDS_SERVER, type TestDatabase, whereServer } from '../support/database.js';
import type { TestRelay } from '../support/relay.js';
import { Scenario } from '../support/scenario.js';
import type { Jobs } from './jobs.js';

/** Longer than a statement takes on a slow machine: only a lost answer exceeds it. */
const DEADLINE_MS = 1_000;

/** The answer is lost and the socket stays open, as behind a firewall that dropped the connection. */
describe('a database answer that never arrives', () => {
  let scenario: Scenario;
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;

  beforeEach(async () => {
    scenario = await Scenario.open();
    ({ database, jobs, pos } = scenario);
    await scenario.relay.createRestaurant();
  });
  afterEach(() => scenario.close());

  /** Repeats the webhook until it is stored, as a terminal does. */
  async function stored(relay: TestRelay, body: Record<string, unknown>): Promise<string> {
    for (;;) {
      const answer = await relay.post(body);
      if (answer.status === 503) {
        expect(answer.body.message).toContain('it is not known whether this was stored; send it again');
        continue;
      }
      expect(answer.body).toMatchObject(answer.status === 200 ? { success: true } : { code: 'DUPLICATE_TRANSACTION' });
      const key = body.transactionKey;
      const [job] = await database.query<{ id: string }>('SELECT id FROM outbox_jobs WHERE event_key = $1', [key]);
      return job?.id as string;
    }
  }

  whereServer(
    `to each statement of a delivery in turn: nothing is lost or sent twice, and two ticks deliver it${NEEDS_SERVER}`,
    async () => {
      const line = new LossyLine();
      const relay = await scenario.start({
        DATABASE_URL: await line.listen(database),
        DATABASE_TIMEOUT_MS: String(DEADLINE_MS),
      });
      const road = async () => {
        await database.query('DELETE FROM pos_tokens');
        // a POS that refuses the cached token, so that every order signs in
        pos.behave({ mode: 'status', status: 401, times: 1, paths: ['/order'] });
        const id = await stored(relay, sale());
        let ticks = 0;
        for (; ticks < 3 && (await jobs.get(id)).status !== 'SENT'; ticks++) await relay.tick();
        return { id, ticks };
      };
      await road();
      const before = line.statements;
      await road();
      const statements = line.statements - before;
      expect(statements).toBeGreaterThan(5);
      for (let n = 0; n < statements; n++) {
        Object.assign(line, { lose: STATEMENT, skip: n, lost: 0 });
        const { id, ticks } = await road();
        const job = await jobs.get(id);
        expect({ n, lost: line.lost, status: job.status }).toEqual({ n, lost: 1, status: 'SENT' });
        expect(pos.orders.get(job.event_key)?.cooked).toBe(1);
        expect(ticks).toBeLessThanOrEqual(2);
      }
      await relay.close();
      line.close();
    },
    120_000,
  );

  whereServer(
    `to all statements for a time: delivery continues afterwards, and nothing is sent twice${NEEDS_SERVER}`,
    async () => {
      const line = await DatabaseSwitch.before(database);
      const relay = await scenario.start({
        DATABASE_URL: line.url,
        DATABASE_TIMEOUT_MS: String(DEADLINE_MS),
        WORKER_ENABLED: 'true',
        OUTBOX_TICK_MS: '100',
      });
      const ids = await Promise.all(Array.from({ length: 5 }, () => relay.accept(sale())));
      line.freeze();
      const away = ['outbox.tick_failed', 'outbox.settle_delayed', 'outbox.attempt_interrupted'];
      await jobs.until(async () => relay.logged.some(({ event }) => away.includes(String(event))));
      ids.push(await scenario.relay.accept(sale()));
      line.thaw();
      await jobs.until(async () => (await jobs.countByStatus()).SENT === ids.length);
      for (const id of ids) expect(pos.orders.get((await jobs.get(id)).event_key)?.cooked).toBe(1);
      await relay.close();
      await line.close();
    },
  );

  whereServer.each<[string, 'before' | 'after']>([
    ['during the call to the POS', 'before'],
    ['before its answer is settled', 'after'],
  ])(
    `SIGTERM %s, while the database does not answer: the process ends by itself${NEEDS_SERVER}`,
    async (_, register) => {
      const line = await DatabaseSwitch.before(database);
      const relay = await scenario.startProcess({
        DATABASE_URL: line.url,
        WORKER_ENABLED: 'true',
        OUTBOX_PACE: 'eager',
        POS_TIMEOUT_MS: '800',
      });
      pos.behave({ mode: 'gate', register, times: 1 });
      const id = await relay.accept(sale());
      await pos.when(() => pos.waiting === 1);
      line.freeze();
      if (register === 'after') pos.release();
      // a claimed job was not settled: exit code 1
      expect(await relay.stop()).toBe(1);
      pos.release();
      await line.close();
      expect((await jobs.get(id)).status).toBe('PROCESSING');
    },
  );
});
