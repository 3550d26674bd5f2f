import pg from 'pg';
import { inUtc } from './times.js';

declare module 'pg' {
  interface Client {
    /** The parameters of the start-up message. */
    getStartupConf(): Record<string, string | undefined>;
  }
}

/**
 * The application name of the relay's own connections. The embedded database treats connections with another name as guests, and the
 * triggers allow more moves to sessions with this name (O27).
 */
export const RELAY = 'relay';

/** Extra time after the limit, in ms, to read an answer that arrived while the process was busy. */
const GRACE_MS = 50;

/** Read-only transaction: after a failover this server is no longer the primary. */
const READ_ONLY = '25006';
export const DISK_FULL = '53100';

/** No answer to a statement within its limit; the connection is closed, and the statement may have been executed. */
export class NoAnswerError extends Error {
  constructor(limitMs: number) {
    super(`the database gave no answer within ${limitMs} ms`);
  }
}

export interface ConnectionConfig extends pg.ClientConfig {
  /** time limit of a statement until its answer, in ms */
  readonly statementLimitMs: number;
  /** settings of the session on the server, `-c name=value`; settings in the URL come after these and override them */
  readonly sessionSettings?: string;
}

/** Why the server refused a write. */
export type Refusal = 'read-only' | 'disk full';

/**
 * A connection with a time limit on every statement, and independent of the session's time zone.
 *
 * - A statement without an answer closes the connection, since the answer may still arrive. pg's own `query_timeout` would leave the
 *   connection open and, after a failed transaction, in the pool.
 * - UTC and ISO dates are parameters of the start-up message. In transaction mode PgBouncer keeps these for each client; a SET would stay
 *   in a session that other clients use. Times are right without these parameters too, see times.ts.
 * - The application name is {@link RELAY}, also when the URL has another name.
 */
export class LimitedClient extends pg.Client {
  /** time limit of a statement, in ms */
  statementLimitMs: number;
  /** the server is read-only: the connection is closed on release */
  stale = false;
  /** called when the server refuses a write */
  onRefused: (why: Refusal) => void = () => {};
  private readonly sessionSettings: string | undefined;

  constructor(config: ConnectionConfig) {
    super(config);
    this.statementLimitMs = config.statementLimitMs;
    this.sessionSettings = config.sessionSettings;
    // the server may end a connection between two statements of a transaction, when neither the pool nor a statement listens: without a
    // listener the process would end. The next statement fails, and the pool then removes the connection
    this.on('error', () => {});
  }

  override getStartupConf() {
    const conf = super.getStartupConf();
    const options = [this.sessionSettings, conf.options].filter(Boolean).join(' ');
    return { ...conf, application_name: RELAY, TimeZone: 'UTC', DateStyle: 'ISO', ...(options && { options }) };
  }

  /** Closes the connection at once; pending statements fail with this error. */
  drop(error: Error): void {
    this.connection.stream.destroy(error);
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg's query has a dozen overloads, and this is each of them
  override query(...args: any[]): any {
    const limitMs = this.statementLimitMs;
    let timer = setTimeout(() => {
      timer = setTimeout(() => this.drop(new NoAnswerError(limitMs)), GRACE_MS);
    }, limitMs);
    const ended = (error?: unknown) => {
      clearTimeout(timer);
      this.note(error);
    };
    const [config, ...rest] = args;
    const statement = config?.types ? { ...config, types: { getTypeParser: inUtc(config.types) } } : config;
    const callback = rest.at(-1);
    if (typeof callback === 'function') {
      rest[rest.length - 1] = (error: unknown, result: unknown) => {
        ended(error);
        callback(error, result);
      };
      return super.query(statement, ...(rest as []));
    }
    const result: Promise<unknown> = super.query(statement, ...(rest as []));
    result.then(() => ended(), ended);
    return result;
  }

  private note(error: unknown): void {
    const code = (error as { code?: unknown } | null | undefined)?.code;
    if (code === READ_ONLY) {
      this.stale = true;
      this.onRefused('read-only');
    }
    if (code === DISK_FULL) this.onRefused('disk full');
  }
}
