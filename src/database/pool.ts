import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../telemetry/log.js';
import { LimitedClient, type Refusal } from './connection.js';

/** How long connections may take to say goodbye, in ms. */
const CLOSE_LIMIT_MS = 3_000;
/** Nobody notices that there is room again before something is written: how long a full disk is believed, in ms. */
const DISK_FULL_MS = 30_000;
/** A transaction whose owner has gone without a word holds its locks no longer than this, in ms. */
const IDLE_IN_TRANSACTION_MS = 20_000;
/** The server gives up a little before the client does: its error is the better one, and the connection lives on. */
const SERVER_SHARE = 0.9;

export interface PoolLimits {
  readonly size: number;
  /** ms to wait for a free or new connection */
  readonly connectMs: number;
  /** ms for a statement */
  readonly statementMs: number;
  /** its statements read much of a table; those of other pools never do */
  readonly readsTables?: boolean;
}

/** What every connection of the relay is opened with. */
export function connectionConfig(url: string, limits: Omit<PoolLimits, 'size'>, sessionSettings: boolean) {
  return {
    connectionString: url,
    connectionTimeoutMillis: limits.connectMs,
    statementLimitMs: limits.statementMs,
    sessionSettings: sessionSettings ? settingsOf(limits) : undefined,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Settings of the start-up message win over those of role, database and server, which never change what a statement does here. */
function settingsOf({ statementMs, readsTables = false }: Omit<PoolLimits, 'size'>): string {
  const settings = {
    statement_timeout: Math.ceil(statementMs * SERVER_SHARE),
    // a statement that waits for a lock ends with statement_timeout
    lock_timeout: 0,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    idle_session_timeout: 0,
    default_transaction_isolation: 'read\\ committed',
    // where Prisma looks for the tables, whatever the path is
    search_path: 'public',
    // just-in-time compilation takes a second, and a claim, whose cost the planner overestimates, a few milliseconds
    jit: 'off',
    // the processors belong to everybody's sales, not to one reader's report
    max_parallel_workers_per_gather: 0,
    // a statement prepared while a table was nearly empty would go on reading all of it, until autovacuum has looked at the table
    enable_seqscan: readsTables ? 'on' : 'off',
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** Connections to one server, none of which waits for ever; those to a server that has become read-only are dropped. */
export class ConnectionPool extends pg.Pool {
  private readonly connections = new Set<LimitedClient>();
  private readonly idle = new Set<LimitedClient>();
  private diskFullAt = Number.NEGATIVE_INFINITY;

  constructor(
    url: string,
    limits: PoolLimits,
    sessionSettings: boolean,
    private readonly events: Log,
  ) {
    super({
      ...connectionConfig(url, limits, sessionSettings),
      max: limits.size,
      Client: LimitedClient as unknown as NonNullable<pg.PoolConfig['Client']>,
    });
    this.on('error', (error) => events.warn({ event: 'database.connection_lost', error: error.message }));
    this.on('connect', (client) => this.add(client as unknown as LimitedClient));
    this.on('acquire', (client) => this.idle.delete(client as unknown as LimitedClient));
    this.on('release', (_, client) => this.released(client as unknown as LimitedClient));
    this.on('remove', (client) => {
      this.idle.delete(client as unknown as LimitedClient);
      this.connections.delete(client as unknown as LimitedClient);
    });
  }

  /** Whether a statement failed lately because the server's disk is full. */
  get diskFull(): boolean {
    return performance.now() - this.diskFullAt < DISK_FULL_MS;
  }

  /** Says goodbye to the server; what does not answer within a moment is cut off. */
  async close(before: Promise<void>): Promise<void> {
    const ended = before.then(() => this.end());
    await Promise.race([ended, delay(CLOSE_LIMIT_MS, undefined, { ref: false })]);
    for (const connection of this.connections) connection.drop(new Error('Connection terminated: the relay stops'));
  }

  private add(connection: LimitedClient): void {
    this.connections.add(connection);
    connection.onRefused = (why) => this.refused(why);
  }

  private released(connection: LimitedClient): void {
    // pg's pool removes one that is ending
    if (connection.stale) connection.end().catch(() => {});
    else this.idle.add(connection);
  }

  private refused(why: Refusal): void {
    if (why === 'disk full') this.diskFullAt = performance.now();
    if (why !== 'read-only') return;
    this.events.warn({ event: 'database.read_only', dropped: this.idle.size + 1 });
    // the next connect may reach the new primary
    for (const connection of this.idle) connection.drop(new Error('the server has become read-only'));
  }
}
