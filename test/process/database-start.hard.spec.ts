import pg from 'pg';
import { MigrationError, migrate } from '../../src/platform/database/migrations/migrations.js';
import { DatabaseSwitch } from '../platform/health/line.js';
import { NEEDS_SERVER, whereServer } from '../support/database.js';
import { Scenario } from '../support/scenario.js';

/** @see migrations.ts */
const ADVISORY_LOCK = 72707369;

describe('a relay whose database is not ready', () => {
  let scenario: Scenario;

  beforeEach(async () => {
    scenario = await Scenario.ofProcesses();
  });
  afterEach(() => scenario.close());

  async function connected(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: scenario.database.url });
    await client.connect();
    return client;
  }

  test('waits for it, logs that, and starts when it is back', async () => {
    const line = await DatabaseSwitch.before(scenario.database);
    await line.cut();
    const relay = scenario.spawn({ DATABASE_URL: line.url });
    expect(await relay.logged('database.start_waiting')).toMatchObject({
      error: expect.stringContaining('ECONNREFUSED'),
      givesUpAfterMs: 30_000,
      level: expect.stringMatching(/^[a-z]+$/),
    });
    await line.restore();
    await relay.logged('relay.started');
    await relay.kill();
    await line.close();
  });

  test('waits when the server has no free connection after the migration', async () => {
    const line = await DatabaseSwitch.before(scenario.database);
    Object.assign(line.room, { taken: 1, refused: 2 });
    const relay = scenario.spawn({ DATABASE_URL: line.url });
    expect(await relay.logged('database.start_waiting')).toMatchObject({
      error: expect.stringContaining('too many clients'),
    });
    await relay.logged('relay.started');
    expect(line.room.refused).toBe(0);
    await relay.kill();
    await line.close();
  });

  test('gives up after six times DATABASE_TIMEOUT_MS: exit code 1 and one line', async () => {
    const line = await DatabaseSwitch.before(scenario.database);
    await line.cut();
    const relay = scenario.spawn({ DATABASE_URL: line.url, DATABASE_TIMEOUT_MS: '300' });
    expect(await relay.ended()).toBe(1);
    expect(relay.text).toMatch(/^The relay cannot start: the database does not answer, tried for \d+ s: .*ECONN.*\n$/);
  });

  whereServer(`logs that another instance is migrating, and starts after it${NEEDS_SERVER}`, async () => {
    const other = await connected();
    await other.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    const relay = scenario.spawn();
    await relay.logged('database.migration_waiting');
    await other.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]);
    await relay.logged('relay.started');
    await other.end();
  });

  whereServer(`gives up waiting for another instance's migration after a limit${NEEDS_SERVER}`, async () => {
    const other = await connected();
    const client = await connected();
    await other.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await expect(migrate(client, undefined, { lockLimitMs: 50 })).rejects.toThrow(MigrationError);
    await other.end();
    await client.end();
  });
});
