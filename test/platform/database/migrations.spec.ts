import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { MigrationError, migrate, readMigrations } from '../../../src/platform/database/migrations/migrations.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';

/** Lines of `checksum  folder/migration.sql`, as sha256sum writes and checks them. */
const LIST = fileURLToPath(new URL('../../../prisma/migrations/checksums.txt', import.meta.url));

/** @returns folder of each listed migration -> its checksum */
function readList(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^(\w+) {2}(.+)\/migration\.sql$/gm)].map(
      ([, checksum, name]) => [name, checksum] as [string, string],
    ),
  );
}

/** What is wrong with these migrations, beside the list: a line for each that was changed, removed or not listed. */
function differences(migrations: { name: string; checksum: string }[], listed: Map<string, string>): string[] {
  const there = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const wrong = [...listed].flatMap(([name, checksum]) => {
    if (there.get(name) === checksum) return [];
    const what = there.has(name) ? 'was changed' : 'was removed';
    return `${name} ${what}: databases have applied it, so undo that and write a new migration (decisions/017)`;
  });
  const added = migrations.filter(({ name }) => !listed.has(name));
  return [...wrong, ...added.map(({ name }) => `${name} is not in checksums.txt: run \`npm run db:checksums\``)];
}

describe('a migration that is listed in checksums.txt is never changed (decisions/017)', () => {
  test('every migration is as it was when it was listed (npm run db:checksums lists new ones)', () => {
    const migrations = readMigrations();
    if (process.env.MIGRATION_CHECKSUMS === 'write') {
      const listed = readList(readFileSync(LIST, { encoding: 'utf8', flag: 'a+' }));
      for (const { name, checksum } of migrations) if (!listed.has(name)) listed.set(name, checksum);
      writeFileSync(LIST, [...listed].map(([name, checksum]) => `${checksum}  ${name}/migration.sql\n`).join(''));
    }
    expect(differences(migrations, readList(readFileSync(LIST, 'utf8')))).toEqual([]);
  });

  test('one that was changed, removed or not listed is reported by its name, with what to do', () => {
    const listed = new Map(['kept', 'changed', 'removed'].map((name) => [name, `checksum of ${name}`]));
    const now = ['kept', 'changed', 'new'].map((name) => ({ name, checksum: `checksum of ${name}` }));
    const changed = now.map((each) => (each.name === 'changed' ? { ...each, checksum: 'another' } : each));
    expect(differences(changed, listed)).toEqual([
      expect.stringMatching(/^changed was changed: .* write a new migration/),
      expect.stringMatching(/^removed was removed: .* write a new migration/),
      expect.stringMatching(/^new is not in checksums.txt: run `npm run db:checksums`/),
    ]);
  });
});

describe('migrations at start (S7)', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeEach(async () => {
    database = await openDatabase({ migrated: false });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.close();
  });

  const tables = async () =>
    (await database.query<{ name: string }>(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)).map(
      ({ name }) => name,
    );

  test('are applied once', async () => {
    expect(await migrate(client)).toEqual(readMigrations().map(({ name }) => name));
    expect(await migrate(client)).toEqual([]);
    expect(await tables()).toEqual(expect.arrayContaining(['outbox_jobs', '_prisma_migrations']));
  });

  test('one that fails leaves no trace of any', async () => {
    const broken = { name: '99999999999999_broken', sql: 'CREATE TABLE half (id int); SELECT 1/0', checksum: 'x' };
    await expect(migrate(client, [...readMigrations(), broken])).rejects.toThrow(MigrationError);
    expect(await tables()).toEqual([]);
  });

  test('one that was changed after it was applied stops the start', async () => {
    await migrate(client);
    const [first, ...rest] = readMigrations();
    const changed = { ...first, checksum: 'another' } as ReturnType<typeof readMigrations>[number];
    await expect(migrate(client, [changed, ...rest])).rejects.toThrow(/was changed after it was applied/);
  });

  test("one that Prisma's own command left half-way stops the start", async () => {
    await migrate(client);
    await client.query('UPDATE _prisma_migrations SET finished_at = NULL');
    await expect(migrate(client)).rejects.toThrow(/failed half-way/);
  });
});
