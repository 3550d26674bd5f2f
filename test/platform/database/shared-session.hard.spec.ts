import { rmSync } from 'node:fs';
import pg from 'pg';
import { EmbeddedDatabase } from '../../../src/platform/database/pglite/embedded.js';
import { makeDataDir } from '../../process/data-dir.js';

describe('the connections of the relay share the one session of the embedded database (S45)', () => {
  let dataDir: string;
  let database: EmbeddedDatabase;
  let one: pg.Client;
  let other: pg.Client;
  let guest: pg.Client;

  async function client(application_name: string, options = ''): Promise<pg.Client> {
    const opened = new pg.Client({ connectionString: database.url, application_name, options });
    await opened.connect();
    return opened;
  }

  beforeAll(async () => {
    dataDir = await makeDataDir();
    database = await EmbeddedDatabase.open(dataDir, { warn: () => {} } as never);
    one = await client('relay', '-c enable_seqscan=off');
    other = await client('relay', '-c enable_seqscan=on');
    guest = await client('psql');
    await guest.query('CREATE TABLE counted (n int); INSERT INTO counted VALUES (41)');
  });
  afterAll(async () => {
    for (const each of [one, other, guest]) await each.end();
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const next = async (client: pg.Client) =>
    (await client.query({ name: 'relay_next', text: 'SELECT n + $1::int AS n FROM counted', values: [1] })).rows;
  const prepared = async () => (await one.query(`SELECT name FROM pg_prepared_statements WHERE name <> ''`)).rows;
  const scans = async (client: pg.Client) => (await client.query('SHOW enable_seqscan')).rows[0].enable_seqscan;

  test('a statement is prepared once for all of them, and again after a guest', async () => {
    for (let round = 0; round < 2; round++) {
      for (const client of [one, other, one]) expect(await next(client)).toEqual([{ n: 42 }]);
      expect(await prepared()).toEqual([{ name: 'relay_next' }]);
      await guest.query('SELECT 1');
      expect(await prepared()).toEqual([]);
    }
  });

  test('a statement that cannot be prepared again says why, and works when it can', async () => {
    await next(one);
    await guest.query('ALTER TABLE counted RENAME TO hidden');
    for (const client of [one, other]) await expect(next(client)).rejects.toMatchObject({ code: '42P01' });
    await guest.query('ALTER TABLE hidden RENAME TO counted');
    for (const client of [one, other]) expect(await next(client)).toEqual([{ n: 42 }]);
  });

  test('nothing is prepared in a transaction that has failed', async () => {
    await guest.query('SELECT 1');
    await one.query('BEGIN');
    await expect(one.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await expect(next(one)).rejects.toMatchObject({ code: '25P02' });
    await one.query('ROLLBACK');
    for (const client of [one, other]) expect(await next(client)).toEqual([{ n: 42 }]);
  });

  test('a connection scans tables only if it has asked for it, whatever another one does meanwhile', async () => {
    for (let round = 0; round < 2; round++)
      expect([await scans(one), await scans(other), await scans(guest)]).toEqual(['off', 'on', 'on']);
  });
});
