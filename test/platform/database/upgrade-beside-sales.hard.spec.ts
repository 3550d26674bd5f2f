import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import type { TemporaryServer } from '../../../proof/postgres/temporary-server.js';
import { LimitedClient } from '../../../src/platform/database/connection.js';
import { type MigrateOptions, migrate, readMigrations } from '../../../src/platform/database/migrations/migrations.js';
import { connectionConfig } from '../../../src/platform/database/pool.js';
import type { Log } from '../../../src/platform/telemetry/log.js';
import { RelayProcess } from '../../process/relay-process.js';
import { connected } from '../../runner/template.js';
import { ENVIRONMENT, NO_POS } from '../../support/environment.js';
import { until } from '../../support/until.js';
import { NEEDS_CLUSTER, openServer, PROGRAMS, testWithCluster } from './cluster.js';
import { fillUp } from './released/fill-up.js';
import { OldTerminals } from './released/old-terminals.js';
import { type Release, readReleases, restoreRelease } from './released/released.js';

/** UPGRADE_EVENTS=1000000 is the run by hand: its sales must not stop for 2 s. */
const { UPGRADE_EVENTS } = process.env;
const EVENTS = Number(UPGRADE_EVENTS ?? 50_000);
const LIMIT_MS = UPGRADE_EVENTS ? 1_800_000 : 240_000;

/** A session with its own settings, as the start has it. */
async function ownSession(url: string): Promise<LimitedClient> {
  const client = new LimitedClient(connectionConfig(url, { connectMs: 10_000, statementMs: 30_000 }, {}));
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Migrates as the start does. @returns the names of the migrations, and what was logged */
async function upgrade(url: string, options: MigrateOptions = {}, migrations = readMigrations()) {
  const logged: Record<string, unknown>[] = [];
  const note = (line: Record<string, unknown>) => void logged.push(line);
  const client = await ownSession(url);
  try {
    return {
      applied: await migrate(client, migrations, { log: { info: note, warn: note } as unknown as Log, ...options }),
      logged,
    };
  } finally {
    await client.end();
  }
}

describe.each(readReleases().map((release): [string, Release] => [release.version, release]))(
  'the upgrade from %s beside its instances',
  (_, release) => {
    let server: TemporaryServer;
    let name: string;
    let url: string;

    beforeAll(async () => {
      if (PROGRAMS) server = await openServer();
    }, 60_000);
    afterAll(() => server?.close());
    beforeEach(async () => {
      if (!server) return;
      name = `of_${randomUUID().replaceAll('-', '')}`;
      await server.query(`CREATE DATABASE ${name}`);
      url = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
      await restoreRelease(url, release);
    });

    const query = async <Row extends pg.QueryResultRow>(sql: string) =>
      connected(url, async (client) => (await client.query<Row>(sql)).rows);
    const builtAhead = () =>
      query<{ name: string; valid: boolean }>(
        `SELECT relname AS name, indisvalid AS valid FROM pg_class JOIN pg_index ON indexrelid = oid WHERE relname LIKE 'built_ahead%'`,
      );
    async function schemaOf(database: string): Promise<string> {
      const dump = spawn(join(PROGRAMS, 'pg_dump'), ['--schema-only', database]);
      let text = '';
      dump.stdout.on('data', (data) => {
        text += data;
      });
      await once(dump, 'close');
      return text.replace(/^\\(un)?restrict .*$/gm, '');
    }

    testWithCluster(
      `sales go on while a dump is open, and the start ends well after it (S30, S31)${NEEDS_CLUSTER}`,
      async () => {
        await fillUp(url, EVENTS);
        const terminals = await OldTerminals.open(url, release, 4);
        const dump = spawn(join(PROGRAMS, 'pg_dump'), [url]);
        await once(dump.stdout, 'readable');

        const { SECRETS_KEY, email, password } = release.secrets;
        const changes = { SECRETS_KEY, ADMIN_EMAIL: email, ADMIN_PASSWORD: password, POS_BASE_URL: NO_POS };
        const relay = RelayProcess.spawn({ ...ENVIRONMENT, ...changes, DATABASE_URL: url });
        const waits = ({ waitsFor }: Record<string, unknown>) => JSON.stringify(waitsFor ?? '').includes('"pg_dump"');
        await relay.logged('database.index_building', waits);
        const during = terminals.stored;
        await until(() => terminals.stored > during);
        dump.stdout.resume();
        await until(() => relay.lines.some(({ event }) => event === 'relay.started'), LIMIT_MS);
        const after = terminals.stored;
        await until(() => terminals.stored > after);
        await relay.kill();
        await terminals.close();

        // a sale that waits for the limit of a statement, or dies in a deadlock, is an error
        expect(terminals.errors).toEqual([]);
        if (UPGRADE_EVENTS) {
          console.log(`${EVENTS} events: ${terminals.stored} sales, the longest gap ${terminals.longestGapMs} ms`);
          expect(terminals.longestGapMs).toBeLessThan(2_000);
        }
        expect(await builtAhead()).toEqual([]);
      },
      LIMIT_MS,
    );

    testWithCluster(
      `an open transaction is waited for and named, and the start that waits in vain names it (S30, L140)${NEEDS_CLUSTER}`,
      async () => {
        const terminals = await OldTerminals.open(url, release, 2);
        await connected(url, async (other) => {
          await other.query(`SET application_name = 'a report'; BEGIN; SELECT count(*) FROM outbox_jobs`);
          await other.query('SELECT pg_sleep(1.1)');
          const { rows } = await other.query('SELECT pg_backend_pid() AS pid');
          const pid = rows[0]?.pid as number;
          await expect(upgrade(url, { tablesLimitMs: 50 })).rejects.toThrow(
            new RegExp(
              `session ${pid} \\(a report, user \\w+, idle in transaction, for \\d+ s\\) holds .*outbox_jobs.*pg_terminate_backend\\(${pid}\\)`,
            ),
          );
          expect(await query('SELECT migration_name FROM _prisma_migrations')).toHaveLength(release.migrations.length);
          const logged: Record<string, unknown>[] = [];
          const note = (line: Record<string, unknown>) => void logged.push(line);
          const upgraded = upgrade(url, { log: { info: note, warn: note } as unknown as Log });
          const blocked = await until(() => logged.find(({ event }) => event === 'database.migration_blocked'));
          expect(blocked).toMatchObject({ sessions: [expect.objectContaining({ pid, application: 'a report' })] });
          const before = terminals.stored;
          await until(() => terminals.stored > before + 10);
          await other.query('COMMIT');
          expect((await upgraded).applied).toHaveLength(readMigrations().length - release.migrations.length);
        });
        await terminals.close();
        expect(terminals.errors).toEqual([]);
      },
      LIMIT_MS,
    );

    testWithCluster(
      `of two that start at once one migrates; a build that was killed is made again (S31)${NEEDS_CLUSTER}`,
      async () => {
        const killed = await ownSession(url);
        const { rows } = await killed.query('SELECT pg_backend_pid() AS pid');
        await connected(url, async (other) => {
          await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM users');
          const refused = expect(migrate(killed)).rejects.toThrow();
          await until(async () => (await builtAhead()).some(({ valid }) => !valid));
          await query(`SELECT pg_terminate_backend(${rows[0]?.pid})`);
          await refused;
          await other.query('COMMIT');
        });
        expect(await builtAhead()).toEqual([expect.objectContaining({ valid: false })]);
        const both = await Promise.all([upgrade(url), upgrade(url)]);
        expect(both.map(({ applied }) => applied.length).sort((a, b) => a - b)).toEqual([
          0,
          readMigrations().length - release.migrations.length,
        ]);
        expect(await builtAhead()).toEqual([]);
      },
      LIMIT_MS,
    );

    testWithCluster(
      `with indexes that are built apart the schema is that of the migrations (S31)${NEEDS_CLUSTER}`,
      async () => {
        const twin = `${name}_twin`;
        await server.query(`CREATE DATABASE ${twin} TEMPLATE ${name}`);
        const plain = Object.assign(new URL(server.url), { pathname: `/${twin}` }).href;
        await connected(plain, migrate);
        const { logged } = await upgrade(url);
        const built = logged.filter(({ event }) => event === 'database.index_built').map(({ index }) => index);
        expect(built).toContain('terminal_events_restaurant_id_received_at_transaction_key_idx');
        // a later migration drops it
        expect(built).not.toContain('outbox_jobs_restaurant_id_action_created_at_id_idx');
        expect(await schemaOf(url)).toBe(await schemaOf(plain));
      },
      LIMIT_MS,
    );

    testWithCluster(
      `an index on a column of an earlier migration is built apart, after that one (S31)${NEEDS_CLUSTER}`,
      async () => {
        const added = [
          'ALTER TABLE outbox_jobs ADD COLUMN mark integer',
          'CREATE INDEX outbox_jobs_mark_idx ON outbox_jobs (mark)',
          'CREATE UNIQUE INDEX outbox_jobs_mark_key ON outbox_jobs (id, mark)',
          // the rows violate it until the statement before it has changed them
          `UPDATE outbox_jobs SET mark = n FROM (SELECT id, row_number() OVER () AS n FROM outbox_jobs) AS numbered
             WHERE numbered.id = outbox_jobs.id;
           CREATE UNIQUE INDEX outbox_jobs_alone_key ON outbox_jobs (coalesce(mark, 0))`,
        ].map((sql, at) => ({ name: `9999010100000${at}_mark`, sql, checksum: String(at) }));
        const { applied, logged } = await upgrade(url, {}, [...readMigrations(), ...(added as never[])]);
        expect(applied.slice(-4)).toEqual(added.map(({ name: of }) => of));
        const built = logged.filter(({ event }) => event === 'database.index_built').map(({ index }) => index);
        expect(built).toEqual(expect.arrayContaining(['outbox_jobs_mark_idx', 'outbox_jobs_mark_key']));
        expect(built).not.toContain('outbox_jobs_alone_key');
        expect(
          await query(
            `SELECT relname, indisvalid, indisunique FROM pg_index JOIN pg_class ON oid = indexrelid
             WHERE indrelid = 'outbox_jobs'::regclass AND (relname LIKE '%mark%' OR relname LIKE '%alone%') ORDER BY relname`,
          ),
        ).toEqual([
          { relname: 'outbox_jobs_alone_key', indisvalid: true, indisunique: true },
          { relname: 'outbox_jobs_mark_idx', indisvalid: true, indisunique: false },
          { relname: 'outbox_jobs_mark_key', indisvalid: true, indisunique: true },
        ]);
        expect(await builtAhead()).toEqual([]);
      },
      LIMIT_MS,
    );
  },
);
