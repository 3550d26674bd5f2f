import { LimitedClient } from '../../../src/platform/database/connection.js';
import { connectionConfig } from '../../../src/platform/database/pool.js';
import { Scenario } from '../../support/scenario.js';

describe('a connection that nobody listens to', () => {
  const scenario = Scenario.ofSuite();

  test('ends between two statements of a transaction: the next statement fails, and the process goes on (S42)', async () => {
    const client = new LimitedClient(
      connectionConfig(scenario.database.url, { connectMs: 10_000, statementMs: 10_000 }, {}),
    );
    await client.connect();
    await client.query('BEGIN');
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.drop(new Error('terminating connection due to administrator command'));
    await ended;
    await expect(client.query('SELECT 1')).rejects.toThrow();
  });
});
