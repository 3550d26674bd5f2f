import pg from 'pg';
import { sale } from '../support/client.js';
import { Scenario } from '../support/scenario.js';

describe('while a psql session is open', () => {
  let scenario: Scenario;

  beforeEach(async () => {
    scenario = await Scenario.inDataDir();
  });
  afterEach(() => scenario.close());

  async function guest(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: scenario.database.url });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  test('that turned synchronous_commit off: every acknowledged sale survives kill -9', async () => {
    const relay = await scenario.startProcess();
    await relay.createRestaurant();
    const psql = await guest();
    await psql.query('SET synchronous_commit = off');
    const acknowledged: string[] = [];
    for (let i = 0; i < 10; i++) acknowledged.push(await relay.accept(sale()));
    await psql.query('SET synchronous_commit = off');
    await psql.end();
    for (let i = 0; i < 10; i++) acknowledged.push(await relay.accept(sale()));
    await relay.kill();

    await scenario.start();
    const stored = await scenario.database.query<{ id: string }>('SELECT id FROM outbox_jobs');
    expect(stored.map(({ id }) => id).sort()).toEqual(acknowledged.sort());
  });
});
