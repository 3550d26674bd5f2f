import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Log } from '../telemetry/log.js';
import { RELAY } from './connection.js';
import { DatabaseStartError } from './database-start-error.js';
import { reasonOf } from './errors.js';
import { PrismaClient } from './generated/client.js';
import type { EmbeddedDatabase } from './pglite/embedded.js';
import { ConnectionPool } from './pool.js';
import { isNotPrepared, type PreparedStatement } from './prepared.js';
import { SETTINGS_READ, settingsFound } from './session-settings.js';
import { type NotStorable, reasonOfCheck, STORABLE } from './storable.js';
import { ZonedPrismaPg } from './times.js';

/** Limits of a transaction, in ms: concurrent changes to one restaurant wait for each other. */
const TRANSACTION = { maxWait: 15_000, timeout: 15_000 };
/** The start waits for the server for DATABASE_TIMEOUT_MS times this number. */
const START_PATIENCE = 6;
/** Reports read a long history: few connections, with a longer statement limit (ms). */
const REPORTS = { size: 2, statementMs: 30_000, readsTables: true };

/**
 * The Prisma client of the process, on a Postgres server or on the embedded default; `open` migrates the database.
 * Every statement has a time limit (W25); exceeding it is an outage: see `isDatabaseAway`.
 * The client closes last, in onApplicationShutdown, after requests and deliveries have ended.
 */
@Injectable()
export class PrismaService extends PrismaClient implements OnApplicationShutdown {
  /** For statements over a long history: a separate pool, so that reports take no connection from a sale. */
  readonly reports: PrismaClient;
  /** whether statements are prepared: false behind a pooler that does not keep them */
  private prepares = true;
  /** the current check of whyNotStorable */
  private storable: Promise<NotStorable | undefined> | undefined;
  /** how long the last check of {@link whyNotStorable} took that was answered, in ms; undefined: there was none */
  answeredInMs: number | undefined;
  private endStatistics: () => void = () => {};

  private constructor(
    private readonly pool: ConnectionPool,
    private readonly reportsPool: ConnectionPool,
    private readonly embedded: EmbeddedDatabase | undefined,
    private readonly log: Log,
  ) {
    super({ adapter: new ZonedPrismaPg(pool), transactionOptions: TRANSACTION });
    this.reports = new PrismaClient({ adapter: new ZonedPrismaPg(reportsPool) });
  }

  /** @throws EmbeddedDatabaseError, MigrationError, DatabaseStartError, or the error of a server that refuses */
  static async open(config: Config, log: Log): Promise<PrismaService> {
    // what only the start needs: the embedded database, migrations
    const { patienceOf, startDatabase } = await import('./start.js');
    const embedded = config.databaseUrl
      ? undefined
      : await (await import('./pglite/embedded.js')).EmbeddedDatabase.open(config.dataDir, log);
    const url = config.databaseUrl ?? (embedded as EmbeddedDatabase).url;
    const limitMs = config.databaseTimeoutMs;
    const limits = { size: config.databasePoolSize, connectMs: limitMs, statementMs: limitMs };
    let prisma: PrismaService | undefined;
    try {
      const patiently = patienceOf(START_PATIENCE * limitMs, log, embedded !== undefined);
      const settings = await startDatabase(url, limits, patiently, log);
      const reportsLimits = { ...limits, ...REPORTS, statementMs: Math.max(REPORTS.statementMs, limitMs) };
      const [pool, reportsPool] = [limits, reportsLimits].map(
        (each) => new ConnectionPool(url, each, settings, log),
      ) as [ConnectionPool, ConnectionPool];
      const opened = new PrismaService(pool, reportsPool, embedded, log);
      prisma = opened;
      // the connection that migrated is closed, and the server may have no free connection by now
      await patiently(() => opened.$connect());
      if (embedded) {
        log.info({ event: 'database.embedded', dataDir: config.dataDir, psql: embedded.psql });
        const { keepStatistics } = await import('./statistics.js');
        prisma.endStatistics = keepStatistics((sql) => pool.query({ text: sql, values: [] }), log);
      } else await patiently(() => opened.checkSession());
      return prisma;
    } catch (error) {
      await (prisma ? prisma.onApplicationShutdown() : embedded?.close());
      throw error;
    }
  }

  /** How an operator reaches this database with psql, for a shell. */
  get psql(): string {
    return this.embedded?.psql ?? 'psql "$DATABASE_URL"';
  }

  /**
   * Runs a frequent statement in its own transaction, without Prisma's query compiler, which costs more than the statement. The
   * statement uses the same pool and has the same time limit. If sessions do not keep prepared statements, later statements are sent
   * unprepared.
   * @param values for `$1`, `$2`, …
   * @returns the rows as `pg` reads them: timestamptz as Date, int8 as text, jsonb parsed
   * @throws the driver's error: see `isDatabaseAway`
   */
  async prepared<Row extends object>({ name, text }: PreparedStatement, values: readonly unknown[]): Promise<Row[]> {
    if (!this.prepares) return this.unprepared(text, values);
    try {
      return (await this.pool.query<Row>({ name, text, values: [...values] })).rows;
    } catch (error) {
      if (!isNotPrepared(error)) throw error;
    }
    // logged once: several statements may be under way when the first one is refused
    if (this.prepares)
      this.log.warn({
        event: 'database.not_prepared',
        hint: 'a pooler without prepared statements costs speed: set its max_prepared_statements, see docs/operations.md',
      });
    this.prepares = false;
    return this.unprepared(text, values);
  }

  /** Like {@link prepared}, for a statement whose text varies: Postgres parses and plans it each time, for its values. */
  async unprepared<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.pool.query<Row>({ text, values: [...values] })).rows;
  }

  /** Like {@link unprepared}, on a connection of reports. */
  async report<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return (await this.reportsPool.query<Row>({ text, values: [...values] })).rows;
  }

  /** How many statements the embedded database, which runs one after the other, has run; undefined on a server. */
  get embeddedStatements(): number | undefined {
    return this.embedded?.served;
  }

  /**
   * Why a webhook could not be stored now, for `/health/ready` (H12); undefined: it could. The server is a writable primary, the tables exist
   * with the privilege to insert, and no lock blocks an insert. No statement detects a full disk: for 30 s after a statement failed because
   * of a full disk, this is the reason. Concurrent callers share one check. Never throws.
   */
  whyNotStorable(): Promise<NotStorable | undefined> {
    this.storable ??= this.checkStorable()
      .catch((error) => {
        this.log.debug({ event: 'database.not_writable', error: reasonOf(error) });
        return reasonOfCheck(error);
      })
      .finally(() => {
        this.storable = undefined;
      });
    return this.storable;
  }

  /** Whether a webhook could be stored now, see {@link whyNotStorable}. */
  async canWrite(): Promise<boolean> {
    return (await this.whyNotStorable()) === undefined;
  }

  private async checkStorable(): Promise<NotStorable | undefined> {
    if (this.pool.diskFull) return 'disk full';
    const startedAt = performance.now();
    // without values: several statements in one message are one transaction, which a pooler gives one session
    const results = (await this.pool.query(STORABLE)) as unknown as {
      rows: { writable: boolean; permitted: boolean }[];
    }[];
    this.answeredInMs = performance.now() - startedAt;
    const found = results.flatMap(({ rows }) => rows)[0];
    if (!found?.writable) return 'read-only';
    return found.permitted ? undefined : 'not permitted';
  }

  async onApplicationShutdown(): Promise<void> {
    this.endStatistics();
    await Promise.all([this.pool.close(this.$disconnect()), this.reportsPool.close(this.reports.$disconnect())]);
    await this.embedded?.close();
  }

  /**
   * Checks the settings of a session, since a pooler may have dropped those of the relay (S16, S25). Without statement_timeout a statement
   * continues after its client has given up; without the application name the database refuses to settle (O27).
   * @throws DatabaseStartError when the relay would lose or double orders with these settings
   */
  private async checkSession(): Promise<void> {
    const [session] = await this.$queryRaw<{ timeout: string; name: string; mayMove: boolean }[]>`
      SELECT current_setting('statement_timeout') AS timeout, current_setting('application_name') AS name,
             current_setting('application_name') = ${RELAY} OR coalesce(current_setting('relay.force', true) = 'on', false) AS "mayMove"`;
    if (session?.mayMove === false)
      throw new DatabaseStartError(
        `a pooler names this session "${session.name}" and not "${RELAY}", so the database would refuse to settle orders. Let the pooler pass ` +
          `application_name on, or: ALTER ROLE … SET relay.force = 'on', see docs/operations.md`,
      );
    if (session?.timeout === '0')
      this.log.warn({
        event: 'database.no_statement_timeout',
        hint: 'a pooler does not pass the limit on: ALTER ROLE … SET statement_timeout, see docs/operations.md',
      });
    const { refused, foreign, unsafe } = settingsFound(await this.$queryRawUnsafe(SETTINGS_READ));
    if (refused.length > 0)
      throw new DatabaseStartError(
        `the relay's sessions have ${refused.join(', ')}, with which sales would be lost or sent twice. Reset it where it is set ` +
          '(DATABASE_URL, ALTER ROLE, ALTER DATABASE, postgresql.conf), see docs/operations.md',
      );
    if (foreign.length > 0)
      this.log.warn({
        event: 'database.foreign_settings',
        settings: foreign,
        hint: 'a pooler does not pass the settings of a session on: ALTER ROLE … RESET these, see docs/operations.md',
      });
    if (unsafe.length > 0)
      this.log.warn({
        event: 'database.not_durable',
        settings: unsafe,
        hint: 'a crash of the server may lose accepted sales or damage the database: reset these in postgresql.conf',
      });
  }
}
