import { renameSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/platform/database/migrations/migrations.js';
import { EmbeddedDatabase } from '../../src/platform/database/pglite/embedded.js';
import { sale } from '../support/client.js';
import { EAGER } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import { deepIn } from './data-dir.js';
import { killUnderLoad } from './kill-under-load.js';

describe('the embedded database of a relay process', () => {
  let scenario: Scenario;

  beforeEach(async () => {
    scenario = await Scenario.inDataDir(EAGER);
  });
  afterEach(() => scenario.close());

  const health = async (url: string) => (await fetch(`${url}/health`)).status;

  test('kill -9 under load: every acknowledged sale is stored after the restart, the POS takes each order once, logins stay valid', () =>
    killUnderLoad(scenario));

  test('the log has a psql command at the start, which connects to the tables (S5)', async () => {
    const relay = await scenario.startProcess();
    const { psql } = await relay.logged('database.embedded');
    const [, host, user] = /^psql -h '(.+)' -U (\w+) postgres$/.exec(String(psql)) ?? [];
    const client = new pg.Client({ host, user, database: 'postgres' });
    await client.connect();
    const { rows } = await client.query('SELECT count(*)::int AS jobs FROM outbox_jobs');
    await client.end();
    expect(rows).toEqual([{ jobs: 0 }]);
    expect(await relay.stop()).toBe(0);
  });

  test('a second process on the same folder is refused with a clear message, and the first keeps running (S6)', async () => {
    const first = await scenario.start();
    const second = scenario.spawn();
    expect(await second.ended()).toBe(1);
    expect(second.text).toContain(`DATA_DIR ${scenario.dataDir} is in use by another relay`);
    expect(await health(first.url)).toBe(200);
  });

  test('table statistics are updated at the start, without autovacuum: an owner of 400 restaurants costs no scan for each', async () => {
    const first = await scenario.start();
    await first.createRestaurant();
    const fill = [
      `INSERT INTO restaurants (id, name, slug, code_store_terminal, updated_at)
       SELECT gen_random_uuid(), 'r', 'slug-' || n, 'code-' || n, now() FROM generate_series(1, 400) n`,
      `INSERT INTO user_restaurants (id, user_id, restaurant_id, role, origin, updated_at)
       SELECT gen_random_uuid(), users.id, restaurants.id, 'OWNER', 'CREATED', now() FROM users, restaurants WHERE slug LIKE 'slug-%'`,
    ];
    for (const sql of fill) await scenario.database.query(sql);
    await first.close();
    const second = await scenario.start();
    const known = `SELECT reltuples::int AS rows FROM pg_class WHERE relname = 'user_restaurants'`;
    await scenario.jobs.until(
      async () => ((await scenario.database.query<{ rows: number }>(known))[0]?.rows ?? 0) > 400,
    );
    const plan = await scenario.database.query('EXPLAIN (ANALYZE, COSTS off, TIMING off) SELECT state FROM owners');
    const compared = JSON.stringify(plan).match(/Rows Removed by Join Filter: (\d+)/)?.[1] ?? 0;
    expect(Number(compared)).toBeLessThan(1_000);
    expect(await health(second.url)).toBe(200);
  });

  test('two processes start at once on the folder of a killed process: one starts', async () => {
    await leaveSocket(join(scenario.dataDir, '.s.PGSQL.5432'));
    const both = [scenario.spawn(), scenario.spawn()];
    const came = await Promise.allSettled(both.map((instance) => instance.logged('relay.started')));
    expect(came.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('every acknowledged sale survives kill -9 after a psql session turned synchronous_commit off', async () => {
    const relay = await scenario.startProcess();
    await relay.createRestaurant();
    const guest = new pg.Client({ connectionString: scenario.database.url });
    await guest.connect();
    await guest.query('SET synchronous_commit = off');
    const acknowledged: string[] = [];
    for (let i = 0; i < 10; i++) acknowledged.push(await relay.accept(sale()));
    await guest.query('SET synchronous_commit = off');
    await guest.end();
    for (let i = 0; i < 10; i++) acknowledged.push(await relay.accept(sale()));
    await relay.kill();

    await scenario.start();
    const stored = await scenario.database.query<{ id: string }>('SELECT id FROM outbox_jobs');
    expect(stored.map(({ id }) => id).sort()).toEqual(acknowledged.sort());
  });

  test('a DATA_DIR that does not exist, with a path too long for a socket: a database is created and served', async () => {
    const database = await EmbeddedDatabase.open(deepIn(scenario.dataDir));
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await migrate(client);
    expect((await client.query('SELECT count(*)::int AS jobs FROM outbox_jobs')).rows).toEqual([{ jobs: 0 }]);
    await client.end();
    await database.close();
  });
});

/** A socket file without a server, as a killed process leaves it: renamed, since close() removes the original name. */
async function leaveSocket(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(`${path}.made`, resolve));
  renameSync(`${path}.made`, path);
  await new Promise((resolve) => void server.close(resolve));
}
