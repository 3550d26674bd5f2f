import pg from 'pg';
import { inUtc } from './times.js';

declare module 'pg' {
  interface Client {
    /** The parameters that open a session. */
    getStartupConf(): Record<string, string | undefined>;
  }
}

/**
 * The application name, by which the embedded database tells the relay's own connections from a guest's, and the triggers the
 * relay's own moves from others' (O27).
 */
export const RELAY = 'relay';

/** What came while the process was busy with something else is read before a statement counts as unanswered. */
const GRACE_MS = 50;

/** Read-only transaction: after a failover this server is no longer the primary. */
const READ_ONLY = '25006';
const DISK_FULL = '53100';

/** No answer to a statement within its limit; the connection is closed. It is not known whether the statement was executed. */
export class NoAnswerError extends Error {
  constructor(limitMs: number) {
    super(`the database gave no answer within ${limitMs} ms`);
  }
}

export interface ConnectionConfig extends pg.ClientConfig {
  /** how long a statement may take, in ms, answer included */
  readonly statementLimitMs: number;
  /** settings of the session on the server, `-c name=value`; those in the URL come after them and win */
  readonly sessionSettings?: string;
}

/** Why the server took no write. */
export type Refusal = 'read-only' | 'disk full';

/**
 * A connection that never waits for ever and never depends on the session's time zone.
 *
 * - A statement without an answer closes the connection: half of an answer may still be on its way, so it cannot be used
 *   again. pg's own `query_timeout` leaves it open, and after a failed transaction in the pool.
 * - UTC and ISO dates are parameters of the start-up message, which PgBouncer keeps for each client in transaction mode,
 *   where a SET would stay with another's session. Times are right without them too, see times.ts.
 * - Its application name is {@link RELAY}, also when the URL names another.
 */
export class LimitedClient extends pg.Client {
  /** how long a statement may take, in ms */
  statementLimitMs: number;
  /** to be replaced by a new one: its server takes no writes */
  stale = false;
  /** told when the server takes no write */
  onRefused: (why: Refusal) => void = () => {};
  private readonly sessionSettings: string | undefined;

  constructor(config: ConnectionConfig) {
    super(config);
    this.statementLimitMs = config.statementLimitMs;
    this.sessionSettings = config.sessionSettings;
  }

  override getStartupConf() {
    const conf = super.getStartupConf();
    const options = [this.sessionSettings, conf.options].filter(Boolean).join(' ');
    return { ...conf, application_name: RELAY, TimeZone: 'UTC', DateStyle: 'ISO', ...(options && { options }) };
  }

  /** Closes it at once; what waits for an answer fails with this error. */
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
