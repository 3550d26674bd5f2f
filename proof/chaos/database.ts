import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import type { PostgresBinaries } from '../postgres/binaries.js';
import { Cluster } from '../postgres/cluster.js';
import type { EventLog } from './event-log.js';

export const DATABASE = 'relay';
/** The relay's user: no superuser, so that connections kept for the superuser are not its own. */
export const OWNER = 'relay';
const SYNC_LIMIT_MS = 120_000;
/** Few, so that another client can take them all; five more are the superuser's. */
export const CONNECTIONS = 80;

const SETTINGS = {
  max_connections: String(CONNECTIONS),
  superuser_reserved_connections: '5',
  shared_buffers: '64MB',
  max_wal_senders: '5',
  wal_keep_size: '256MB',
  hot_standby: 'on',
  wal_retrieve_retry_interval: '300ms',
  wal_receiver_status_interval: '1s',
  log_min_messages: 'warning',
  // a standby that was promoted has not been shut down: nothing here waits for its old primary
  recovery_target_timeline: 'latest',
};

/** Where the database of a run is asked, past every line that a fault may meet. */
export interface Reach {
  /** for psql */
  readonly url: string;
  /** Runs statements as the superuser, on the primary. @returns the rows of the last */
  query<Row extends QueryResultRow>(...statements: string[]): Promise<Row[]>;
}

/**
 * A primary and its synchronous standby, of which a commit is acknowledged when both have it. One fault at a time: a
 * manager of such pairs promotes only a standby that it knows to be synchronous, and so does this one.
 */
export class Database implements Reach {
  private primary: Cluster;
  private standby: Cluster | undefined;
  private generation = 0;
  private turn: Promise<unknown> = Promise.resolve();
  private readonly clusters = new Set<Cluster>();

  constructor(
    private readonly binaries: PostgresBinaries,
    private readonly folder: string,
    private readonly events: EventLog,
  ) {}

  /** Makes the pair and starts it. */
  async open(): Promise<void> {
    const primary = await Cluster.create(this.binaries, join(this.folder, 'postgres-0'), SETTINGS);
    this.clusters.add(primary);
    this.primary = primary;
    await primary.start();
    await primary.query('postgres', `CREATE ROLE ${OWNER} LOGIN`, `CREATE DATABASE ${DATABASE} OWNER ${OWNER}`);
    await this.addStandby();
  }

  /** The port of the primary, as the address behind which it stands leads to it. */
  get port(): number {
    return this.primary.port;
  }

  get url(): string {
    return this.primary.url(DATABASE);
  }

  /** Asks the primary as the superuser, past every line. */
  query<Row extends QueryResultRow>(...statements: string[]): Promise<Row[]> {
    return this.primary.query<Row>(DATABASE, ...statements);
  }

  /**
   * As {@link query}, also while the server crashes or fails over: repeated until it is done.
   * @throws when it is not within minutes
   */
  async insist(...statements: string[]): Promise<void> {
    const startedAt = performance.now();
    for (;;) {
      try {
        await this.query(...statements);
        return;
      } catch (error) {
        if (performance.now() - startedAt > SYNC_LIMIT_MS) throw error;
        await delay(200);
      }
    }
  }

  /** The primary crashes and comes back. */
  restart(): Promise<void> {
    return this.oneAtATime(async () => {
      const ended = this.events.begin('restart', null, 'Postgres: stopped in immediate mode');
      await this.primary.stopImmediately();
      await this.primary.start();
      ended('Postgres: back after its crash');
    });
  }

  /**
   * The standby becomes the primary. The old one stays reachable for those who are connected to it, and then becomes read-only;
   * after `readOnlyMs` it is gone. Then a new standby is made.
   */
  failover(readOnlyMs: number): Promise<void> {
    return this.oneAtATime(async () => {
      const { primary: old, standby } = this;
      if (!standby) throw new Error('there is no standby');
      await this.untilSynchronous();
      const ended = this.events.begin(
        'failover',
        null,
        `Postgres: failover, the standby on port ${standby.port} is promoted`,
      );
      await standby.promote();
      // acknowledged data is kept; this server has no standby yet
      await standby.query('postgres', `ALTER SYSTEM SET synchronous_standby_names = ''`, 'SELECT pg_reload_conf()');
      this.primary = standby;
      this.standby = undefined;
      // its commits wait for a standby that has left it, so none is acknowledged any more
      await old.query('postgres', 'ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()');
      this.events.say(`Postgres: the old primary is read-only, and reachable for another ${readOnlyMs} ms`);
      await delay(readOnlyMs);
      await old.remove();
      this.clusters.delete(old);
      this.events.say('Postgres: the old primary is gone; a new standby is made');
      await this.addStandby();
      ended('Postgres: the new standby is synchronous');
    });
  }

  /**
   * Commits wait for a standby that is not there: they are on disk, visible to nobody, and acknowledged after `ms`. Each session that
   * waits so is kept until then, whatever becomes of its client.
   */
  holdCommits(ms: number): Promise<void> {
    return this.oneAtATime(async () => {
      const ended = this.events.begin('held', null, `Postgres: every commit waits for a standby for ${ms} ms`);
      const wait = (names: string) =>
        this.primary.query(
          'postgres',
          `ALTER SYSTEM SET synchronous_standby_names = '${names}'`,
          'SELECT pg_reload_conf()',
        );
      await wait('nobody');
      await delay(ms);
      await wait('*');
      await this.untilSynchronous();
      ended('Postgres: the commits that waited are visible');
    });
  }

  /** Resolves when no fault of it is under way. */
  quiet(): Promise<void> {
    return this.oneAtATime(async () => {});
  }

  destroy(): void {
    for (const cluster of this.clusters) cluster.destroy();
  }

  private async addStandby(): Promise<void> {
    this.generation += 1;
    const standby = await this.primary.copy(join(this.folder, `postgres-${this.generation}`), 'standby');
    this.clusters.add(standby);
    await standby.start();
    this.standby = standby;
    await this.primary.query('postgres', `ALTER SYSTEM SET synchronous_standby_names = '*'`, 'SELECT pg_reload_conf()');
    await this.untilSynchronous();
  }

  /** Until the standby is synchronous, and has everything that was committed before it was. */
  private async untilSynchronous(): Promise<void> {
    const startedAt = performance.now();
    const isSynchronous = async () => {
      const rows = await this.primary.query<{ sync: boolean }>(
        'postgres',
        `SELECT sync_state = 'sync' AND flush_lsn >= pg_current_wal_flush_lsn() AS sync FROM pg_stat_replication`,
      );
      return rows.some(({ sync }) => sync);
    };
    // twice: sessions read the new setting shortly after it is set
    for (let seen = 0; seen < 2; seen = (await isSynchronous()) ? seen + 1 : 0) {
      if (performance.now() - startedAt > SYNC_LIMIT_MS) throw new Error('the standby does not become synchronous');
      await delay(200);
    }
  }

  private oneAtATime(work: () => Promise<void>): Promise<void> {
    const result = this.turn.then(work);
    this.turn = result.catch(() => {});
    return result;
  }
}
