import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TemporaryServer } from '../../../proof/postgres/temporary-server.js';
import { connected } from '../../runner/template.js';
import { sale } from '../../support/client.js';
import { makeFolder } from '../../support/database.js';
import { EAGER } from '../../support/environment.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { markedIn } from '../../support/secrets.js';
import { until } from '../../support/until.js';
import { NEEDS_CLUSTER, openServer, PROGRAMS, testWithCluster } from './cluster.js';

const run = promisify(execFile);
const TERMINALS = 6;

/** What an order that is there by half would be, each with how many there are. */
const HALVES = `
  SELECT 'a sale without its order' AS half, count(*)::int FROM terminal_events event
  WHERE NOT EXISTS (SELECT FROM outbox_jobs job WHERE job.event_key = event.transaction_key
                    AND job.restaurant_id = event.restaurant_id AND job.action = 'CREATE')
  UNION ALL
  SELECT 'a settled job without the attempt that settled it', count(*)::int FROM outbox_jobs job
  WHERE status IN ('SENT', 'FAILED') AND NOT EXISTS (
    SELECT FROM delivery_attempts attempt WHERE attempt.job_id = job.id AND attempt.outcome::text = job.status::text
      AND attempt.number = job.attempts)
  UNION ALL
  SELECT 'a delivery of a job that is not delivered', count(*)::int FROM delivery_attempts attempt
  JOIN outbox_jobs job ON job.id = attempt.job_id WHERE attempt.outcome = 'SENT' AND job.status <> 'SENT'
  UNION ALL
  SELECT 'a cancel without its order', count(*)::int FROM outbox_jobs cancel
  WHERE action = 'CANCEL' AND NOT EXISTS (SELECT FROM outbox_jobs job WHERE job.event_key = cancel.event_key
                    AND job.restaurant_id = cancel.restaurant_id AND job.action = 'CREATE')`;

describe('a backup that was taken under load', () => {
  let server: TemporaryServer;
  let scenario: Scenario;
  let relay: TestRelay;
  let restaurantId: string;
  let token: string;

  beforeAll(async () => {
    if (testWithCluster !== test) return;
    server = await openServer();
    scenario = await Scenario.ofProcesses({ ...EAGER, DATABASE_URL: server.url }, { migrated: false });
    relay = await scenario.start();
    restaurantId = await relay.createRestaurant();
    token = await relay.login();
  });
  afterAll(async () => {
    await scenario?.close();
    await server?.close();
  });

  /**
   * Lets terminals sell, and staff cancel, until a backup is complete and some time beyond.
   * @returns the keys accepted before it began
   */
  async function underLoad(backUp: () => Promise<void>): Promise<string[]> {
    const accepted: string[] = [];
    let isOver = false;
    const terminals = Array.from({ length: TERMINALS }, async () => {
      while (!isOver) {
        const sold = sale();
        await relay.accept(sold);
        accepted.push(String(sold.transactionKey));
        if (accepted.length % 7 === 0)
          await relay.api.post(`/restaurants/${restaurantId}/orders/${sold.transactionKey}/cancel`, token);
      }
    });
    const count = (number: number) => until(() => accepted.length >= number);
    await count(50);
    const before = [...accepted];
    try {
      await backUp();
      await count(accepted.length + 50);
    } finally {
      isOver = true;
      await Promise.all(terminals);
    }
    return before;
  }

  /** Every sale accepted before is there, none by half; a relay on it delivers what waits, and nothing is cooked twice. */
  async function expectWhole(url: string, before: string[]): Promise<void> {
    await connected(url, async (client) => {
      const query = async <Row extends pg.QueryResultRow>(sql: string) => (await client.query<Row>(sql)).rows;
      const kept = new Set(
        (await query<{ key: string }>('SELECT event_key AS key FROM outbox_jobs')).map(({ key }) => key),
      );
      expect(before.filter((key) => !kept.has(key))).toEqual([]);
      expect((await query<{ half: string; count: number }>(HALVES)).filter(({ count }) => count > 0)).toEqual([]);

      const restored = await scenario.start({ DATABASE_URL: url });
      const waiting = `SELECT FROM outbox_jobs WHERE status IN ('PENDING', 'FAILED', 'PROCESSING')`;
      // whoever held a lock when the backup was taken is not there any more
      await query(`UPDATE outbox_jobs SET processing_at = now() - interval '1 day' WHERE status = 'PROCESSING'`);
      await until(async () => {
        await restored.reap();
        await query(`UPDATE outbox_jobs SET next_run_at = now() WHERE status = 'FAILED' AND next_run_at > now()`);
        return (await query(waiting)).length === 0;
      });
      for (const order of scenario.pos.orders.values()) expect(order.cooked).toBe(1);
      await restored.close();

      // and a half would be found
      await query(`DELETE FROM delivery_attempts WHERE outcome = 'SENT'`);
      await query(`DELETE FROM outbox_jobs WHERE status = 'SENT' AND action = 'CANCEL'`);
      await query(`DELETE FROM outbox_jobs WHERE event_key = '${before[0]}'`);
      expect((await query<{ half: string; count: number }>(HALVES)).filter(({ count }) => count > 0)).toHaveLength(2);
    });
  }

  testWithCluster(`pg_dump: no order is half written, and no secret is readable in it${NEEDS_CLUSTER}`, async () => {
    const file = join(makeFolder(), 'relay.dump');
    const program = (name: string, ...args: string[]) => run(join(PROGRAMS, name), args);
    const before = await underLoad(async () => {
      await program('pg_dump', '-Fc', '-Z0', '-f', file, server.url);
    });
    expect(markedIn(readFileSync(file, 'latin1'))).toEqual([]);
    await connected(server.url, (client) => client.query('CREATE DATABASE restored'));
    const url = Object.assign(new URL(server.url), { pathname: '/restored' }).href;
    await program('pg_restore', '--exit-on-error', '--no-owner', '-d', url, file);
    await expectWhole(url, before);
  });

  testWithCluster(
    `pg_basebackup: the server's files, copied while it works, come up whole${NEEDS_CLUSTER}`,
    async () => {
      let copy: TemporaryServer | undefined;
      const before = await underLoad(async () => {
        copy = await server.backup();
      });
      await expectWhole((copy as TemporaryServer).url, before).finally(() => copy?.close());
    },
  );
});
