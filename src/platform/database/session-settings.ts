import type pg from 'pg';

/**
 * What statements rely on, set by every session, whatever role, database and server set (S16). A setting that a session need not set is
 * listed with its reason in test/platform/database/settings.ts.
 */
export const RELIED_ON = {
  // a text array is a value of many statements, and NULL in it is no text
  array_nulls: 'on',
  backslash_quote: 'safe_encoding',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  bytea_output: 'hex',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  xmlbinary: 'base64',
  xmloption: 'content',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  // the schema that Prisma uses
  search_path: 'public',
  row_security: 'on',
  check_function_bodies: 'on',
  default_table_access_method: 'heap',
  // an error, such as a sale that is there already, must not end the session
  exit_on_error: 'off',
  gin_fuzzy_search_limit: '0',
  // a statement that waits for a lock ends with statement_timeout
  lock_timeout: '0',
  idle_session_timeout: '0',
} as const;

/** The same, of settings that some versions do not know: a server refuses a connection that names an unknown one. */
const OF_SOME_VERSIONS: Readonly<Record<string, string>> = {
  transaction_timeout: '0',
  restrict_nonsystem_relation_kind: '',
};

/** Settings that depend on the server: see {@link serverSettings}. */
export type ServerSettings = Readonly<Record<string, string>>;

/** A commit is kept when its session has one of these. `remote_write` is a choice for a server behind a pooler. */
const DURABLE = ['on', 'remote_apply', 'remote_write'];
/** Without these each sale would be at risk, so the start refuses; the value that is meant. */
const REFUSED: Readonly<Record<string, string>> = {
  client_encoding: 'UTF8',
  array_nulls: 'on',
  session_replication_role: 'origin',
  synchronous_commit: 'on',
};
/** Settings of the server that lose data when it crashes, or hide that data was lost; the value that is meant. */
const SAFE: Readonly<Record<string, string>> = {
  fsync: 'on',
  full_page_writes: 'on',
  zero_damaged_pages: 'off',
  ignore_checksum_failure: 'off',
};

interface Row {
  readonly name: string;
  readonly setting: string;
  /** the value that Postgres has without any configuration */
  readonly boot: string;
}

/**
 * The settings of a session that only this server can say: those that its version knows, and `synchronous_commit`, `on` unless role,
 * database or server ask for more (`remote_apply`).
 */
export async function serverSettings(client: pg.ClientBase): Promise<ServerSettings> {
  const names = ['synchronous_commit', ...Object.keys(OF_SOME_VERSIONS)];
  const { rows } = await client.query<Row>('SELECT name, setting FROM pg_settings WHERE name = ANY($1)', [names]);
  const settings = rows.map(({ name, setting }) => [name, OF_SOME_VERSIONS[name] ?? commitOf(setting)]);
  return Object.fromEntries(settings);
}

function commitOf(setting: string): string {
  return setting === 'remote_apply' ? setting : 'on';
}

/** Sets these in a session that has begun without them. */
export async function setSettings(client: pg.ClientBase, settings: ServerSettings): Promise<void> {
  const [names, values] = [Object.keys(settings), Object.values(settings)];
  await client.query('SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS s(name, value)', [
    names,
    values,
  ]);
}

/** Why the relay cannot work in this database, in words for people; undefined: it can. */
export async function unfitEncoding(client: Pick<pg.ClientBase, 'query'>): Promise<string | undefined> {
  const { rows } = await client.query<{ encoding: string; name: string }>(
    `SELECT current_setting('server_encoding') AS encoding, current_database() AS name`,
  );
  const [{ encoding = '', name = '' } = {}] = rows;
  if (encoding === 'UTF8') return undefined;
  return (
    `the database "${name}" of DATABASE_URL has the encoding ${encoding}, and names and notes of sales need UTF8. Create one with ` +
    `CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8', and move a dump of this one into it`
  );
}

/** What is wrong with the settings of a session; each list has texts such as `lock_timeout = 1`. */
export interface SettingsFound {
  /** the relay must not work so */
  readonly refused: readonly string[];
  /** set by somebody, and neither what the relay sets nor what Postgres has by default */
  readonly foreign: readonly string[];
  /** the server may lose data in a crash */
  readonly unsafe: readonly string[];
}

/** Reads a session's settings; a pooler may have dropped those of the relay (S16). */
export const SETTINGS_READ = `SELECT name, setting, boot_val AS boot, version() LIKE '%wasm%' AS embedded FROM pg_settings`;

/** @param rows the result of {@link SETTINGS_READ} */
export function settingsFound(rows: readonly (Row & { readonly embedded: boolean })[]): SettingsFound {
  const found = { refused: [] as string[], foreign: [] as string[], unsafe: [] as string[] };
  const own = { ...RELIED_ON, ...OF_SOME_VERSIONS } as Readonly<Record<string, string>>;
  for (const { name, setting, boot, embedded } of rows) {
    const text = `${name} = ${setting}`;
    const isRefused = name === 'synchronous_commit' ? !DURABLE.includes(setting) : REFUSED[name] !== setting;
    if (name in REFUSED && isRefused) found.refused.push(text);
    // the embedded database says fsync = off, and keeps its files by itself
    else if (name in SAFE && SAFE[name] !== setting && !embedded) found.unsafe.push(text);
    else if (name in own && own[name] !== setting && boot !== setting) found.foreign.push(text);
  }
  return found;
}
