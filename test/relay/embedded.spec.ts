import { renameSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { EmbeddedDatabase } from '../../src/database/embedded.js';
import { EmbeddedHouse } from '../support/embedded-house.js';
import { SHORT_LEASE } from '../support/environment.js';

describe('the embedded database under a process of its own', () => {
  let house: EmbeddedHouse;

  beforeEach(async () => {
    house = await EmbeddedHouse.open({ WORKER_ENABLED: 'true', OUTBOX_PACE: 'eager', OUTBOX_TICK_MS: '100' });
  });
  afterEach(() => house.close());

  async function query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
    const client = new pg.Client({ host: house.dataDir, user: 'postgres', database: 'postgres' });
    await client.connect();
    const { rows } = await client.query<Row>(sql);
    await client.end();
    return rows;
  }

  const health = async (url: string) => (await fetch(`${url}/health`)).status;

  test('kill -9 under load: every acknowledged sale is there after the restart, each order is cooked once, logins stay valid', async () => {
    const first = await house.start(SHORT_LEASE);
    await house.createRestaurant(first);
    const token = await house.login(first);
    const acknowledged: string[] = [];
    const posts = Array.from({ length: 150 }, async () => {
      const answer = await house.sell(first).catch(() => undefined);
      if (answer?.status === 200) acknowledged.push(answer.body.jobId as string);
      if (acknowledged.length === 40) first.signal('SIGKILL');
    });
    await Promise.all(posts);
    await first.ended();
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);

    const second = await house.start(SHORT_LEASE);
    const stored = new Set((await query<{ id: string }>('SELECT id FROM outbox_jobs')).map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    await house.pos.when(() => house.pos.orders.size === stored.size);
    for (const order of house.pos.orders.values()) expect(order.cooked).toBe(1);
    const me = await fetch(`${second.url}/auth/me`, { headers: { Authorization: `Bearer ${token}` } });
    expect(me.status).toBe(200);
    expect(await second.stop()).toBe(0);
  });

  test('a second process on the same folder is refused with a clear message, and the first goes on', async () => {
    const first = await house.start();
    const second = house.spawn();
    expect(await second.ended()).toBe(1);
    expect(second.text).toContain(`DATA_DIR ${house.dataDir} is in use by another relay`);
    expect(await health(first.url)).toBe(200);
  });

  test('two processes starting at once on a folder that a killed one left: one comes up', async () => {
    await leaveSocket(join(house.dataDir, '.s.PGSQL.5432'));
    const both = [house.spawn(), house.spawn()];
    const came = await Promise.allSettled(both.map((instance) => instance.logged('relay.started')));
    expect(came.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('a folder whose path is too long for a socket works all the same', async () => {
    const database = await EmbeddedDatabase.open(house.makeDeepDataDir());
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    expect((await client.query('SELECT count(*)::int AS jobs FROM outbox_jobs')).rows).toEqual([{ jobs: 0 }]);
    await client.end();
    await database.close();
  });
});

/** Nobody listens on it: closing its server removes the name it was made under. */
async function leaveSocket(path: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(`${path}.made`, resolve));
  renameSync(`${path}.made`, path);
  await new Promise((resolve) => void server.close(resolve));
}
