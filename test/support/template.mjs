// Jest's global setup: migrates one embedded database, as a folder and as an image, so that a suite starts in a fraction of
// a second.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { migrate } from '../../dist/database/migrations.js';

export default async function setup() {
  const folder = mkdtempSync(join(tmpdir(), 'relay-test-'));
  process.env.RELAY_TEST_FOLDER = folder;
  const pglite = await PGlite.create({ dataDir: join(folder, 'template') });
  // the little of pg's client that migrating needs
  await migrate({
    query: async (sql, values) => (values ? pglite.query(sql, values) : (await pglite.exec(sql)).at(-1)),
  });
  const image = await pglite.dumpDataDir('none');
  writeFileSync(join(folder, 'template.tar'), Buffer.from(await image.arrayBuffer()));
  await pglite.close();
}

export function removeFolder() {
  rmSync(process.env.RELAY_TEST_FOLDER, { recursive: true, force: true });
}
