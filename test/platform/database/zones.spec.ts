import { sale } from '../../support/client.js';
import { NEEDS_SERVER, type TestDatabase, whereServer } from '../../support/database.js';
import { Scenario } from '../../support/scenario.js';
import { hasPgBouncer, PgBouncer } from './pgbouncer.js';

const wherePooler = hasPgBouncer ? whereServer : test.skip;
const NEEDS_POOLER = NEEDS_SERVER || (hasPgBouncer ? '' : ' [skipped: needs PgBouncer]');

const SOLD_AT = '2026-07-04T12:34:56.789Z';
const NEAR_MS = 60_000;

/** Sale, delivery and cancel on a database with São Paulo's zone: every time is correct. */
async function walk(open: (database: TestDatabase) => Promise<{ url: string; close: () => Promise<void> }>) {
  const scenario = await Scenario.ofProcesses({}, { migrated: false });
  const { database, jobs } = scenario;
  const name = new URL(database.url).pathname.slice(1);
  await database.query(`ALTER DATABASE ${name} SET timezone = 'America/Sao_Paulo'`);
  await database.query(`ALTER DATABASE ${name} SET datestyle = 'SQL, DMY'`);
  const line = await open(database);
  const relay = await scenario.start({ DATABASE_URL: line.url });
  try {
    const restaurantId = await relay.createRestaurant();
    const [delivered, withdrawn] = [
      await relay.accept(sale({ transactionDate: SOLD_AT })),
      await relay.accept(sale({ transactionDate: SOLD_AT })),
    ];
    const token = await relay.login();
    const orders = `/restaurants/${restaurantId}/orders`;
    const key = async (job: string) => encodeURIComponent(await scenario.keyOf(job));
    await relay.api.post(`${orders}/${await key(withdrawn)}/cancel`, token).expect(202);
    await relay.tick();
    expect((await jobs.get(delivered)).status).toBe('SENT');
    const { body } = await relay.api.get(`${orders}/${await key(delivered)}`, token).expect(200);
    for (const [, time] of JSON.stringify(body).matchAll(/"(?:createdAt|receivedAt|updatedAt|startedAt)":"([^"]+)"/g))
      expect(Math.abs(Date.parse(time as string) - Date.now())).toBeLessThan(NEAR_MS);
    const [stored] = await database.query<{ date: string; skew: number }>(
      `SELECT to_char(transaction_date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS date,
         (SELECT max(abs(extract(epoch FROM clock_timestamp() - started_at)))::float8 FROM delivery_attempts) AS skew
       FROM terminal_events LIMIT 1`,
    );
    expect(stored?.date).toBe(SOLD_AT);
    expect(stored?.skew).toBeLessThan(NEAR_MS / 1_000);
    await relay.api.delete(`/restaurants/${restaurantId}`, token).expect(200);
    const [gone] = await database.query<{ skew: number }>(
      'SELECT abs(extract(epoch FROM clock_timestamp() - deleted_at))::float8 AS skew FROM restaurants',
    );
    expect(gone?.skew).toBeLessThan(NEAR_MS / 1_000);
    return relay.logged;
  } finally {
    await relay.close();
    await line.close();
    await scenario.close();
  }
}

describe('times are right on a server in another zone', () => {
  whereServer(`directly${NEEDS_SERVER}`, async () => {
    await walk(async ({ url }) => ({ url, close: async () => {} }));
  });

  whereServer(`with options in the URL${NEEDS_SERVER}`, async () => {
    const logged = await walk(async ({ url }) => ({
      url: `${url}?options=${encodeURIComponent('-c timezone=America/Sao_Paulo -c search_path=public')}`,
      close: async () => {},
    }));
    expect(logged).not.toContainEqual(expect.objectContaining({ event: 'database.no_statement_timeout' }));
  });

  wherePooler.each([
    ['that ignores options', ['ignore_startup_parameters = options,extra_float_digits']],
    ['as it comes', []],
  ])(`through PgBouncer in transaction mode %s${NEEDS_POOLER}`, async (_, settings) => {
    const logged = await walk(async (database) => {
      const bouncer = await PgBouncer.start(database.url, settings);
      return { url: bouncer.url(new URL(database.url).pathname.slice(1)), close: () => bouncer.close() };
    });
    expect(logged).toContainEqual(expect.objectContaining({ event: 'database.no_statement_timeout' }));
  });
});
