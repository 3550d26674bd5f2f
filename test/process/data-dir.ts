import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../../src/platform/database/migrations/migrations.js';
import { EmbeddedDatabase } from '../../src/platform/database/pglite/embedded.js';
import { connected } from '../runner/template.js';
import { makeFolder, restored, type TestDatabase, urlIn } from '../support/database.js';
import { leaksInFolder } from '../support/secrets.js';

let template: Promise<string> | undefined;

async function makeTemplate(): Promise<string> {
  const dataDir = makeFolder();
  await (await restored({ dataDir: join(dataDir, 'postgres') })).close();
  const database = await EmbeddedDatabase.open(dataDir);
  await connected(database.url, migrate);
  await database.close();
  return dataDir;
}

/** A DATA_DIR with a migrated database. Migrating takes seconds, so it is done once and the folder is copied. */
export async function makeDataDir(dataDir = makeFolder()): Promise<string> {
  template ??= makeTemplate();
  mkdirSync(dataDir, { recursive: true });
  cpSync(join(await template, 'postgres'), join(dataDir, 'postgres'), { recursive: true });
  return dataDir;
}

/** A path that is too long for a Unix socket. */
export const deepIn = (folder: string) => join(folder, 'a'.repeat(60), 'b'.repeat(60));

/** The database of a new DATA_DIR; reachable while a relay process serves it. */
export async function openDataDir(): Promise<TestDatabase & { dataDir: string }> {
  const dataDir = await makeDataDir();
  const url = urlIn(dataDir);
  return {
    dataDir,
    url,
    query: (sql, values) => connected(url, async (client) => (await client.query(sql, values)).rows),
    goAway: () => Promise.reject(new Error('the database goes with its process')),
    leaks: async () => leaksInFolder(join(dataDir, 'postgres')),
    close: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}
