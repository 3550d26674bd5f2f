import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrate } from '../../../src/platform/database/migrations/migrations.js';
import { openDatabase } from '../../support/database.js';

test('`prisma migrate status` agrees with the applied history (S7)', async () => {
  const database = await openDatabase({ migrated: false });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const status = () =>
    promisify(execFile)('node_modules/.bin/prisma', ['migrate', 'status'], {
      env: { ...process.env, DATABASE_URL: database.url },
    });
  await expect(status()).rejects.toMatchObject({ stdout: expect.stringMatching(/not yet been applied/) });
  await migrate(client);
  expect((await status()).stdout).toContain('Database schema is up to date');
  await client.end();
  await database.close();
});
