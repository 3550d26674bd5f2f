// Jest's global setup: one migrated data folder to copy, and the embedded databases of all suites.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { migrate } from '../../dist/database/migrations.js';
import { clientOf, serveDatabases } from './embedded.mjs';

let databases;

export default async function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'relay-test-'));
  process.env.RELAY_TEST_FOLDER = folder;
  const pglite = await PGlite.create({ dataDir: join(folder, 'template') });
  await migrate(clientOf(pglite));
  const image = await pglite.dumpDataDir('none');
  await pglite.close();
  databases = await serveDatabases(folder, image);
  process.env.RELAY_TEST_DATABASES = databases.url;
}

export async function teardown() {
  await databases.close();
  rmSync(process.env.RELAY_TEST_FOLDER, { recursive: true, force: true });
}
