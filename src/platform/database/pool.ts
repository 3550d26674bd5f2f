import pg from 'pg';
import type { Log } from '../telemetry/log.js';
import { withLimit } from '../time-limit.js';
import { LimitedClient, type Refusal } from './connection.js';
import { RELIED_ON, type ServerSettings } from './session-settings.js';

/** Time limit of a clean close, in ms. */
const CLOSE_LIMIT_MS = 3_000;
/** The disk counts as full for this time after a statement failed because of a full disk, in ms. */
const DISK_FULL_MS = 30_000;
/** An abandoned transaction holds its locks for at most this time, in ms. */
const IDLE_IN_TRANSACTION_MS = 20_000;
/** The server's limit is this share of the client's: the server's error is more precise, and the connection stays open. */
const SERVER_SHARE = 0.9;

/** A setting of the relay's sessions that have their own settings: not shared through a pooler, not that of the embedded database. */
export const OWN_SESSION = 'relay.own_session';

export interface PoolLimits {
  readonly size: number;
  /** ms to wait for a free or new connection */
  readonly connectMs: number;
  /** ms for a statement */
  readonly statementMs: number;
  /** whether statements may scan tables */
  readonly readsTables?: boolean;
}

/**
 * The configuration of every connection of the relay.
 * @param settings those that depend on the server, beside the relay's own; undefined: a pooler refuses settings at the start of a session
 */
export function connectionConfig(url: string, limits: Omit<PoolLimits, 'size'>, settings: ServerSettings | undefined) {
  return {
    connectionString: url,
    connectionTimeoutMillis: limits.connectMs,
    statementLimitMs: limits.statementMs,
    sessionSettings: settings && settingsOf(limits, settings),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** The settings for the start-up message, which override the settings of role, database and server. */
function settingsOf(
  { statementMs, readsTables = false }: Omit<PoolLimits, 'size'>,
  serversOwn: ServerSettings,
): string {
  const settings = {
    ...RELIED_ON,
    ...serversOwn,
    statement_timeout: Math.ceil(statementMs * SERVER_SHARE),
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // just-in-time compilation takes a second, and the planner overestimates the cost of a claim of a few ms
    jit: 'off',
    // a report must not take the processors of sales
    max_parallel_workers_per_gather: 0,
    // a statement that was planned for a nearly empty table would scan it until autovacuum analyses the table
    enable_seqscan: readsTables ? 'on' : 'off',
    [OWN_SESSION]: 'on',
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`)
    .join(' ');
}

/** Connections with time limits. Connections to a server that has become read-only are closed. */
export class ConnectionPool extends pg.Pool {
  private readonly connections = new Set<LimitedClient>();
  private readonly idle = new Set<LimitedClient>();
  private diskFullAt = Number.NEGATIVE_INFINITY;

  constructor(
    url: string,
    limits: PoolLimits,
    settings: ServerSettings | undefined,
    private readonly events: Log,
  ) {
    super({
      ...connectionConfig(url, limits, settings),
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

  /** Closes all connections after `before`; if that takes 3 s, drops the connections without waiting for the server. */
  async close(before: Promise<void>): Promise<void> {
    const ended = before.then(() => this.end());
    await withLimit(CLOSE_LIMIT_MS, ended, () => undefined);
    for (const connection of this.connections) connection.drop(new Error('Connection terminated: the relay stops'));
  }

  private add(connection: LimitedClient): void {
    this.connections.add(connection);
    connection.onRefused = (why) => this.refused(why);
  }

  private released(connection: LimitedClient): void {
    // pg's pool removes a connection that is ending
    if (connection.stale) connection.end().catch(() => {});
    else this.idle.add(connection);
  }

  private refused(why: Refusal): void {
    if (why === 'disk full') this.diskFullAt = performance.now();
    if (why !== 'read-only') return;
    this.events.warn({ event: 'database.read_only', dropped: this.idle.size + 1 });
    // a new connection may reach the new primary
    for (const connection of this.idle) connection.drop(new Error('the server has become read-only'));
  }
}
