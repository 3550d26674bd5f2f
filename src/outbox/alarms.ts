import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { AHEAD, CLOCK_LIMIT_MS, DatabaseClock } from '../platform/database/clock.js';
import { isDatabaseAway, reasonOf } from '../platform/database/errors.js';
import { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { posSecretContext } from '../platform/secrets/contexts.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import { Log } from '../platform/telemetry/log.js';
import { type NamedRestaurant, namedRestaurants } from '../platform/telemetry/named-restaurants.js';

/** A POS counts as one that refuses everything after this many attempts, all failed. */
const MIN_ATTEMPTS = 3;

/** The most late jobs that are counted. */
const MOST_LATE = 10_000;

/** Time between two log lines of one outage, in ms. */
const REPEAT_MS = 60_000;
/** A database that takes longer for the check whether a sale could be stored is slow, in ms (L191). */
const SLOW_MS = 1_000;

/** A restaurant that had at least three attempts within ALARM_REFUSING_MS, all failed. */
export interface RefusingRestaurant extends NamedRestaurant {
  /** number of its attempts within ALARM_REFUSING_MS */
  readonly attempts: number;
  readonly cause: string | null;
  readonly lastError: string | null;
}

/** The alarms (R14): every instance logs each condition as `alarm.*` while the condition lasts. */
@Injectable()
export class Alarms {
  /** when the database outage began, and when its last line was logged; by performance.now(), ms */
  private outage: { readonly since: number; toldAt: number } | undefined;
  /** when a difference of the clocks was last logged, by performance.now(), ms */
  private clockToldAt = Number.NEGATIVE_INFINITY;
  /** when a slow database was last logged, by performance.now(), ms */
  private slowToldAt = Number.NEGATIVE_INFINITY;
  /** how many checks in a row were slow, until now (G53) */
  slowChecks = 0;

  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly box: SecretBox,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Logs `alarm.database_away` while no webhook can be stored: at once and then every minute. Logs `database.back` when webhooks can be
   * stored again. While they can be stored, calls {@link watchClock}. Never throws.
   */
  async watchDatabase(): Promise<void> {
    const now = performance.now();
    if (await this.prisma.canWrite()) {
      if (this.outage) this.log.info({ event: 'database.back', awaySeconds: seconds(now - this.outage.since) });
      this.outage = undefined;
      this.watchSpeed(now);
      return this.watchClock();
    }
    this.outage ??= { since: now, toldAt: Number.NEGATIVE_INFINITY };
    if (now - this.outage.toldAt < REPEAT_MS) return;
    this.outage.toldAt = now;
    this.log.error({ event: 'alarm.database_away', awaySeconds: seconds(now - this.outage.since) });
  }

  /** Counts slow checks (G53), and logs `database.slow` while the database takes more than a second: at once and then every minute (R14). */
  private watchSpeed(now: number): void {
    const { answeredInMs = 0 } = this.prisma;
    this.slowChecks = answeredInMs > SLOW_MS ? this.slowChecks + 1 : 0;
    if (answeredInMs <= SLOW_MS || now - this.slowToldAt < REPEAT_MS) return;
    this.slowToldAt = now;
    this.log.warn({ event: 'database.slow', seconds: Math.round(answeredInMs / 100) / 10 });
  }

  /**
   * Logs `alarm.clock_differs` while the database's clock differs from this machine's by more than 5 min: at once and then every minute (S37).
   * Nothing is closed or removed meanwhile (S36). Never throws.
   */
  private async watchClock(): Promise<void> {
    try {
      const aheadMs = await this.clock.aheadMs();
      const now = performance.now();
      if (Math.abs(aheadMs) <= CLOCK_LIMIT_MS || now - this.clockToldAt < REPEAT_MS) return;
      this.clockToldAt = now;
      this.log.error({ event: 'alarm.clock_differs', databaseAheadSeconds: seconds(aheadMs) });
    } catch (error) {
      this.log.debug({ event: 'clock.not_read', error: reasonOf(error) });
    }
  }

  /**
   * Logs the conditions that hold now: `alarm.jobs_late`, `alarm.pos_refuses_all`, `alarm.secrets_lost`. If the
   * database is away, calls {@link watchDatabase}, which logs the outage.
   * @throws the database's error, unless it is an outage
   */
  async check(): Promise<void> {
    try {
      await this.checkLate();
      for (const restaurant of await this.refusingRestaurants())
        this.log.error({ event: 'alarm.pos_refuses_all', ...restaurant });
      await this.checkSecrets();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      await this.watchDatabase();
    }
  }

  /** Late orders that nobody has claimed need instances; those that have failed wait for the POS, and are due only now and then. */
  private async checkLate(): Promise<void> {
    const { lateAlarmMs } = this.config.outbox;
    const [row] = await this.prisma.$queryRaw<{ oldest: number; neverClaimed: number; afterFailure: number }[]>`
      SELECT coalesce(extract(epoch FROM now() - min(next_run_at)), 0)::float8 AS oldest,
             count(*) FILTER (WHERE attempts = 0)::int AS "neverClaimed", count(*) FILTER (WHERE attempts > 0)::int AS "afterFailure"
      FROM (SELECT next_run_at, attempts FROM late_jobs(${lateAlarmMs}::int * interval '1 millisecond')
            ORDER BY next_run_at LIMIT ${MOST_LATE}) AS late`;
    if (!row || row.neverClaimed + row.afterFailure === 0) return;
    const { oldest, ...jobs } = row;
    this.log.error({ event: 'alarm.jobs_late', oldestDueSeconds: Math.round(oldest), ...jobs });
  }

  /**
   * Logs the restaurants whose posSecret cannot be decrypted with SECRETS_KEY or SECRETS_KEY_PREVIOUS. Their orders wait until posSecret is
   * set again.
   */
  private async checkSecrets(): Promise<void> {
    const owners = await this.prisma.restaurant.findMany({
      where: { posSecret: { not: null }, deletedAt: null },
      select: { id: true, name: true, posSecret: true },
    });
    const lost = owners.filter(
      ({ id, posSecret }) => this.box.open(posSecret ?? '', posSecretContext(id)) === undefined,
    );
    if (lost.length > 0) this.log.error({ event: 'alarm.secrets_lost', ...namedRestaurants(lost) });
  }

  /** Seconds since the oldest due job became due; 0 when none is due. */
  async oldestDueSeconds(): Promise<number> {
    const [row] = await this.prisma.$queryRaw<{ seconds: number }[]>`
      SELECT coalesce(extract(epoch FROM now() - min(next_run_at)), 0)::float8 AS seconds FROM due_jobs`;
    return row?.seconds ?? 0;
  }

  /** Restaurants with at least three attempts within ALARM_REFUSING_MS, all failed; most attempts first. */
  refusingRestaurants(): Promise<RefusingRestaurant[]> {
    return this.prisma.$queryRaw<RefusingRestaurant[]>`
      SELECT restaurant.id::text AS "restaurantId", restaurant.name, count(*)::int AS attempts,
             (array_agg(attempt.cause ORDER BY attempt.started_at DESC))[1] AS cause,
             (array_agg(attempt.error ORDER BY attempt.started_at DESC))[1] AS "lastError"
      FROM delivery_attempts attempt
      JOIN outbox_jobs job ON job.id = attempt.job_id
      JOIN restaurants restaurant ON restaurant.id = job.restaurant_id
      WHERE attempt.started_at BETWEEN now() - ${this.config.outbox.refusingAlarmMs}::int * interval '1 millisecond' AND ${Prisma.raw(AHEAD)}
        AND restaurant.deleted_at IS NULL
      GROUP BY restaurant.id
      HAVING count(*) >= ${MIN_ATTEMPTS} AND bool_and(attempt.outcome <> 'SENT')
      ORDER BY attempts DESC`;
  }
}

const seconds = (ms: number) => Math.round(ms / 1_000);
