import { statfs } from 'node:fs/promises';
import { CLOCK_LIMIT_MS as CLOSING_LIMIT_MS } from '../../platform/database/clock.js';
import { HOLDERS, type Holder, inWords } from '../../platform/database/migrations/blockers.js';
import { readMigrations } from '../../platform/database/migrations/migrations.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { bad, type Check, count, duration, ok, type Result, warning } from './check.js';
import type { Connection } from './connection.js';

const OLDEST_VERSION = 15;
/** A statement that does nothing takes less (L191). */
const ROUND_TRIP_WARNING_MS = 100;
const ROUND_TRIP_LIMIT_MS = 1_000;
const CLOCK_WARNING_MS = 1_000;
/** From this difference on, the clock check is `bad`: the relay renews a POS token this long before the token expires. */
const CLOCK_LIMIT_MS = 30_000;
/** A migration waits for transactions of this age, in ms. */
const OLD_TRANSACTION_MS = 1_000;
/** A larger table needs statistics. */
const LARGE_BYTES = 8 * 1_024 ** 2;
const LEAST_FREE_BYTES = 1_024 ** 3;

/** Checks the server's version (S4) and that it answers. */
export async function versionCheck(database: Connection): Promise<Result> {
  const [row] = await database.query<{ number: number; version: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
  );
  const { number = 0, version = '' } = row ?? {};
  const server = `PostgreSQL ${version.split(' ')[0]}, ${database.where}`;
  if (number < OLDEST_VERSION * 10_000)
    return bad(`${server}: too old`, { hint: `PostgreSQL ${OLDEST_VERSION} or later is needed` });
  const tookMs = await roundTripMs(database);
  const text = `${server}, answered in ${duration(tookMs)}`;
  if (tookMs < ROUND_TRIP_WARNING_MS) return ok(text);
  const hint = 'run the relay near its database; look at its load, its disk and the network between';
  return tookMs < ROUND_TRIP_LIMIT_MS
    ? warning(text, { hint })
    : bad(`${text}: sales are answered late or refused`, { hint });
}

/** How long a statement that does nothing takes, of three the shortest, in ms. A sale waits for several, and for the commit besides. */
async function roundTripMs(database: Connection): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 3; n++)
    await database.timed('SELECT 1', async (run) => {
      const startedAt = performance.now();
      const rows = await run();
      shortest = Math.min(shortest, performance.now() - startedAt);
      return rows;
    });
  return shortest;
}

interface Applied {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

/** Compares the applied migrations with those of this version, by name and checksum (S7). */
export async function migrationsCheck(database: Connection): Promise<Result> {
  const [table] = await database.query<{ there: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`,
  );
  const applied = table?.there
    ? await database.query<Applied>(
        `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
         FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
      )
    : [];
  const expected = readMigrations();
  const problems = applied.flatMap(
    (row) =>
      problemOf(
        row,
        expected.find((migration) => migration.name === row.name),
      ) ?? [],
  );
  if (problems.length > 0)
    return bad('the database and this version do not agree', {
      details: problems,
      hint: 'start the version that made this database, or repair the history with `prisma migrate resolve`',
    });
  const missing = expected.filter((migration) => !applied.some((row) => row.name === migration.name));
  if (missing.length === 0) return ok(`${count(applied.length, 'migration')} applied, as in this version`);
  return warning(`${count(missing.length, 'migration')} of this version not applied yet`, {
    details: [...missing.map((migration) => migration.name), ...(await blockers(database))],
    hint: 'the relay applies them at its next start',
  });
}

/** Whose transactions a migration would wait for (S30). */
async function blockers(database: Connection): Promise<string[]> {
  const [tables] = await database.query<{ oids: number[] }>(
    `SELECT ARRAY(SELECT oid::int8::float8 FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r') AS oids`,
  );
  const holders = await database.query<Holder>(HOLDERS, [tables?.oids ?? []]);
  const old = holders.filter(({ pid, forMs }) => pid === null || (forMs ?? 0) > OLD_TRANSACTION_MS);
  return old.map((holder) => `they wait for ${inWords(holder)}, which holds ${holder.tables.join(', ')}`);
}

function problemOf(
  { name, checksum, finished }: Applied,
  expected?: { readonly checksum: string },
): string | undefined {
  if (!finished) return `${name} failed half-way, or is being applied right now`;
  if (!expected) return `${name} is not known to this version: a newer one has been here`;
  if (checksum !== expected.checksum) return `${name} was changed after it was applied`;
  return undefined;
}

/**
 * Compares the clock of this machine with the clock of the database. Due times and leases use the clock of the database (O5); token
 * expiry, JWTs and the log use the clock of this machine.
 * @param now this machine's clock, epoch ms
 */
export async function clockCheck(database: Connection, now: () => number): Promise<Result> {
  let between = 0;
  const [row] = await database.timed<{ now: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
    async (run) => {
      const before = now();
      const rows = await run();
      between = (before + now()) / 2;
      return rows;
    },
  );
  const difference = (row?.now ?? 0) - between;
  const size = Math.abs(difference);
  if (size < CLOCK_WARNING_MS) return ok(`agrees with the database's within ${Math.ceil(size)} ms`);
  const text = `this machine is ${duration(size)} ${difference > 0 ? 'behind' : 'ahead of'} the database`;
  const hint =
    'set both clocks (NTP). Due times and leases are safe, they are the database’s; the expiry of POS tokens and ' +
    'JWTs, Retry-After dates, the keys of test orders and the log use this machine’s' +
    (size > CLOSING_LIMIT_MS ? '. Until then no day is closed by itself, and nothing is removed' : '');
  return size < CLOCK_LIMIT_MS ? warning(text, { hint }) : bad(text, { hint });
}

interface Upkeep {
  readonly off: string | null;
  readonly table: string;
  readonly excepted: boolean;
  readonly forgotten: boolean;
}

/**
 * Checks that autovacuum is on for the tables (R30). Without autovacuum the tables grow with every change of a job, and reports are
 * planned without statistics. An ANALYZE by hand within the last 7 days is enough. The embedded database is not checked: the relay
 * analyses it.
 */
export async function upkeepCheck(database: Connection): Promise<Result> {
  const tables = await database.query<Upkeep>(
    `SELECT CASE WHEN current_setting('track_counts') = 'off' THEN 'track_counts'
                 WHEN current_setting('autovacuum') = 'off' AND (last_analyze > now() - interval '7 days') IS NOT TRUE THEN 'autovacuum' END AS off,
            pg_class.relname AS table,
            coalesce('autovacuum_enabled=false' = ANY (reloptions) OR 'autovacuum_enabled=off' = ANY (reloptions), false) AS excepted,
            reltuples < 0 AND pg_relation_size(oid) > ${LARGE_BYTES} AS forgotten
     FROM pg_class JOIN pg_stat_user_tables ON relid = oid WHERE oid IN (to_regclass('terminal_events'), to_regclass('outbox_jobs'), to_regclass('delivery_attempts'))
     ORDER BY 2`,
  );
  const off = tables.find((table) => table.off)?.off;
  const details = [
    ...(off ? [`${off} is off on this server`] : []),
    ...tables.filter((table) => table.excepted).map(({ table }) => `${table}: autovacuum_enabled is off`),
    ...tables.filter((table) => table.forgotten).map(({ table }) => `${table}: large, and never analysed`),
  ];
  if (details.length === 0) return ok('on');
  return warning('nobody looks after the tables: they grow, and reports become slow', {
    details,
    hint: 'set autovacuum and track_counts to on, run ALTER TABLE … RESET (autovacuum_enabled), and VACUUM ANALYZE once',
  });
}

/** Checks that DATA_DIR has at least 1 GiB free. */
export async function diskCheck(dataDir: string): Promise<Result> {
  const { bavail, bsize } = await statfs(dataDir);
  const gibibytes = Math.floor((bavail * bsize * 10) / LEAST_FREE_BYTES) / 10;
  const text = `${gibibytes} GiB free in DATA_DIR`;
  if (bavail * bsize >= LEAST_FREE_BYTES) return ok(text);
  return warning(text, { hint: 'free some space: on a full disk every webhook is refused' });
}

/** Finds live instances that cannot decrypt what a relay with this configuration encrypts (S33). */
export async function keysCheck(database: Connection, box: SecretBox): Promise<Check[]> {
  const [table] = await database.query<{ there: boolean }>(
    `SELECT to_regclass('relay_instances') IS NOT NULL AS there`,
  );
  if (!table?.there) return [];
  const others = await database.query<{ id: string }>(
    // as JSON: the column may not be there yet
    `SELECT id FROM relay_instances WHERE last_seen_at > now() - interval '45 seconds'
       AND jsonb_typeof(to_jsonb(relay_instances) -> 'secrets_keys') = 'array' AND NOT to_jsonb(relay_instances) -> 'secrets_keys' ? $1 ORDER BY id LIMIT 20`,
    [box.current],
  );
  if (others.length === 0) return [];
  return [
    {
      name: 'SECRETS_KEY',
      ...warning(`${count(others.length, 'running instance')} cannot decrypt what this configuration encrypts`, {
        details: others.map(({ id }) => id),
        hint: 'first give every instance the new key as SECRETS_KEY_PREVIOUS, then swap the two keys on one after the other',
      }),
    },
  ];
}
