// Jest's global setup of the suites that need a database.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import v8 from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { translate } from '../../tools/typescript.mjs';

/** Called for each project; its results are shared by all projects. */
export default async function setup() {
  if (process.env.RELAY_TEST_FOLDER) return;
  execFileSync(process.execPath, ['tools/build.mjs', 'client'], { stdio: 'inherit' });
  const folder = mkdtempSync(join(tmpdir(), 'relay-test-'));
  process.env.RELAY_TEST_FOLDER = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  translateSources(folder);
  const { makeTemplate, migratePGlite } = await import('./template.ts');
  await dumpDatabases(folder, migratePGlite);
  const server = process.env.TEST_DATABASE_URL;
  if (!server) return;
  process.env.RELAY_TEST_TEMPLATE = await makeTemplate(server);
}

/** Compiles src/ once: relay processes would start in twice the time with compiling hooks. */
function translateSources(folder) {
  for (const file of readdirSync('src', { recursive: true }).filter((name) => name.endsWith('.ts'))) {
    const translated = join(folder, 'src', file.replace(/ts$/, 'js'));
    mkdirSync(dirname(translated), { recursive: true });
    writeFileSync(translated, translate(resolve('src', file)));
  }
  for (const beside of ['node_modules', 'package.json', 'prisma']) symlinkSync(resolve(beside), join(folder, beside));
}

/** Dumps a new embedded database, and the same one migrated. Restoring a dump takes a third of the time of creating a database. */
async function dumpDatabases(folder, migrate) {
  v8.setFlagsFromString('--liftoff-only');
  const database = await PGlite.create();
  const dump = async (name) =>
    writeFileSync(join(folder, name), Buffer.from(await (await database.dumpDataDir('none')).arrayBuffer()));
  await dump('database.tar');
  // on a server the suites copy a template
  if (!process.env.TEST_DATABASE_URL) {
    await migrate(database, join(folder, '.s.PGSQL.5432'));
    await dump('migrated.tar');
  }
  await database.close();
}
