// Jest's global setup: one migrated data folder to copy, and the embedded databases of all suites.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { migrate } from '../../dist/database/migrations.js';
import { clientOf, serveDatabases } from './embedded.mjs';

let databases;

export default async function setup() {
  refuseAnOldBuild();
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

/** The application under test is the built one. */
function refuseAnOldBuild() {
  const built = statSync('dist/main.js', { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const changed = readdirSync('src', { recursive: true }).filter(
    (file) => file.endsWith('.ts') && !file.includes('generated') && statSync(join('src', file)).mtimeMs > built,
  );
  if (changed.length > 0) throw new Error(`src/${changed[0]} is newer than dist: run \`npm run build\` first`);
}
