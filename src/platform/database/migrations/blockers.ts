import type { ClientBase } from 'pg';

/** A session whose open transaction keeps others waiting. Another user's session shows its id and name alone. */
export interface Session {
  /** null: a prepared transaction, which belongs to no session */
  readonly pid: number | null;
  readonly application: string | null;
  readonly user: string | null;
  readonly state: string | null;
  /** age of its transaction, in ms */
  readonly forMs: number | null;
}

/** A session that holds locks of tables. */
export interface Holder extends Session {
  readonly tables: readonly string[];
  /** it has the lock of VACUUM and ANALYZE on them and no other; autovacuum ends its work when it keeps somebody waiting */
  readonly onlyVacuums: boolean;
}

/** Columns of a Session, from a row of pg_stat_activity. No text of a statement: it may contain data. */
export const SESSION = `activity.application_name AS application, activity.usename AS "user", activity.state,
  round(extract(epoch FROM clock_timestamp() - activity.xact_start) * 1000)::float8 AS "forMs"`;

/** The sessions that hold a lock of one of the relations $1, the oldest transaction first. */
export const HOLDERS = `
  SELECT held.pid, ${SESSION}, held.tables, held.only_vacuums AS "onlyVacuums"
  FROM (SELECT pid, array_agg(DISTINCT relation::regclass::text ORDER BY relation::regclass::text) AS tables,
               bool_and(mode = 'ShareUpdateExclusiveLock') AS only_vacuums
        FROM pg_locks
        WHERE granted AND locktype = 'relation' AND relation = ANY ($1::oid[]) AND pid IS DISTINCT FROM pg_backend_pid()
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        GROUP BY pid) AS held
  LEFT JOIN pg_stat_activity activity ON activity.pid = held.pid
  ORDER BY activity.xact_start`;

/** {@link HOLDERS} in a transaction that stays open. @param relations oids */
export async function holdersOf(client: ClientBase, relations: readonly number[]): Promise<Holder[]> {
  // a transaction sees the sessions as they were when it first looked
  await client.query('SELECT pg_stat_clear_snapshot()');
  return (await client.query<Holder>(HOLDERS, [relations])).rows;
}

/** The session that holds this advisory lock. */
export async function advisoryHolder(client: ClientBase, lock: number): Promise<Session | undefined> {
  const { rows } = await client.query<Session>(
    `SELECT pg_locks.pid, ${SESSION} FROM pg_locks LEFT JOIN pg_stat_activity activity ON activity.pid = pg_locks.pid
     WHERE granted AND locktype = 'advisory' AND classid = 0 AND objid = $1::int
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1`,
    [lock],
  );
  return rows[0];
}

/** The session in words: `session 4711 (psql, user anna, idle in transaction, for 45 s)`. */
export function inWords({ pid, application, user, state, forMs }: Session): string {
  if (pid === null) return 'a prepared transaction (pg_prepared_xacts)';
  const known = [application, user && `user ${user}`, state, forMs !== null && `for ${Math.round(forMs / 1_000)} s`];
  return `session ${pid} (${known.filter(Boolean).join(', ') || 'of another user'})`;
}
