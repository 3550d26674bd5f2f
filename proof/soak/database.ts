import pg from 'pg';
import { createDatabase } from '../postgres/connection.js';

/** Retention removes orders that were delivered longer ago than this, in s. */
const KEPT_SECONDS = 30;

/**
 * OUTBOX_RETENTION_DAYS=1 is the shortest that is legal. In a database of its own triggers write what is received and delivered as if it
 * had been a day ago, less {@link KEPT_SECONDS}: no statement is added, and no row is written once more than otherwise.
 */
const A_DAY_AGO = `
  CREATE FUNCTION soak_received_yesterday() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.received_at := NEW.received_at - interval '1 day' + interval '${KEPT_SECONDS} seconds';
    RETURN NEW;
  END $$;
  CREATE TRIGGER soak_received_yesterday BEFORE INSERT ON terminal_events FOR EACH ROW
    EXECUTE FUNCTION soak_received_yesterday();
  CREATE FUNCTION soak_delivered_yesterday() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.updated_at := NEW.updated_at - interval '1 day' + interval '${KEPT_SECONDS} seconds';
    RETURN NEW;
  END $$;
  CREATE TRIGGER soak_delivered_yesterday BEFORE UPDATE OF status ON outbox_jobs FOR EACH ROW
    WHEN (NEW.status = 'SENT') EXECUTE FUNCTION soak_delivered_yesterday()`;

/** What a claim looks for, where the server does not count its statements; nothing stays locked. */
const PROBE = 'SELECT id FROM due_jobs ORDER BY next_run_at LIMIT 20 FOR UPDATE SKIP LOCKED';
const CLAIMS = `SELECT sum(calls)::float8 AS calls, sum(total_exec_time)::float8 AS ms FROM pg_stat_statements
  WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query LIKE '%locked_by = (%picked.place%'`;

export interface TableSize {
  readonly name: string;
  /** bytes, with what was moved out of line */
  readonly table: number;
  /** bytes of its indexes */
  readonly indexes: number;
  readonly dead: number;
}

/** A database of the run's own. */
export class SoakDatabase {
  private readonly pool: pg.Pool;
  private claimsBefore = { calls: 0, ms: 0 };
  /** whether the server counts its statements (pg_stat_statements) */
  countsClaims = false;
  /** whether autovacuum is on: without it tables grow, with any relay */
  vacuums = true;

  private constructor(
    readonly url: string,
    private readonly dropIt: () => Promise<void>,
  ) {
    this.pool = new pg.Pool({ connectionString: url, max: 2 });
    this.pool.on('error', () => {});
  }

  /** @throws when the server does not answer, or the user may not create a database */
  static async create(server: string): Promise<SoakDatabase> {
    const { url, drop } = await createDatabase(server, 'soak');
    return new SoakDatabase(url, drop);
  }

  /** Once the relay has made its tables. */
  async prepare(): Promise<void> {
    const { rows } = await this.pool.query<{ setting: string }>(`SELECT current_setting('autovacuum') AS setting`);
    this.vacuums = rows[0]?.setting === 'on';
    await this.pool.query(A_DAY_AGO);
    this.countsClaims = await this.pool
      .query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements')
      .then(() => this.pool.query('SELECT 1 FROM pg_stat_statements LIMIT 1'))
      .then(
        () => true,
        () => false,
      );
  }

  async sizes(): Promise<TableSize[]> {
    const { rows } = await this.pool.query<TableSize>(
      `SELECT relname AS name, pg_table_size(relid)::float8 AS table, pg_indexes_size(relid)::float8 AS indexes,
              n_dead_tup::float8 AS dead
       FROM pg_stat_user_tables WHERE relname IN ('terminal_events', 'outbox_jobs', 'delivery_attempts', 'spent_keys')
       ORDER BY 1`,
    );
    return rows;
  }

  /** @returns the mean time of a claim since the last call, in ms: the statement's own, or that of a probe */
  async claimMs(): Promise<number> {
    if (!this.countsClaims) return this.probeMs();
    const { rows } = await this.pool.query<{ calls: number; ms: number }>(CLAIMS);
    const { calls, ms } = rows[0] ?? this.claimsBefore;
    const before = this.claimsBefore;
    this.claimsBefore = { calls, ms };
    return (ms - before.ms) / Math.max(1, calls - before.calls);
  }

  /** @returns jobs that are not delivered yet */
  async waiting(): Promise<number> {
    return this.count(
      `SELECT count(*)::int AS count FROM outbox_jobs WHERE status IN ('PENDING', 'FAILED', 'PROCESSING')`,
    );
  }

  /** @returns orders that were delivered, whether they are still there or were removed since */
  async delivered(): Promise<number> {
    return this.count(`SELECT (SELECT count(*) FROM outbox_jobs WHERE status = 'SENT')::int
      + (SELECT count(*) FROM spent_keys WHERE event_removed)::int AS count`);
  }

  async drop(): Promise<void> {
    await this.pool.end();
    await this.dropIt();
  }

  private async count(sql: string): Promise<number> {
    return (await this.pool.query<{ count: number }>(sql)).rows[0]?.count ?? 0;
  }

  private async probeMs(): Promise<number> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const startedAt = performance.now();
      await client.query(PROBE);
      return performance.now() - startedAt;
    } finally {
      await client.query('ROLLBACK').catch(() => {});
      client.release();
    }
  }
}
