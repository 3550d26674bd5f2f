import { hostname } from 'node:os';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { AHEAD, CLOCK_LIMIT_MS, DatabaseClock } from '../platform/database/clock.js';
import { within } from '../platform/database/deadline.js';
import { reasonOf } from '../platform/database/errors.js';
import { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import { Log } from '../platform/telemetry/log.js';
import { VERSION } from '../platform/version.js';
import { Alarms } from './alarms.js';

/** Time between two heartbeats of a process, in ms. */
export const BEAT_INTERVAL_MS = 15_000;
/** A process that has written no heartbeat for this time, in ms, counts as dead: three heartbeats are missing. */
export const DEAD_AFTER_MS = 3 * BEAT_INTERVAL_MS;
/** How long a stop waits for the statement that removes the row of the process, in ms. */
const REMOVAL_LIMIT_MS = 1_000;

/** A process of the relay, as of its last heartbeat (R21). */
export interface Instance {
  /** `host:pid`, as in `locked_by` */
  readonly id: string;
  readonly version: string;
  readonly host: string;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  readonly secondsSinceSeen: number;
  readonly alive: boolean;
  readonly workerEnabled: boolean;
  readonly pace: string;
  /** number of PROCESSING jobs that this process has claimed */
  readonly processing: number;
}

/** The processes of this deployment: each process keeps a row in `relay_instances`, with times by the database's clock (R21). */
@Injectable()
export class Instances implements BeforeApplicationShutdown {
  private failing = false;
  private isFirst = true;
  private beating: Promise<unknown> = Promise.resolve();
  private ended = false;

  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly config: Config,
    private readonly box: SecretBox,
    private readonly alarms: Alarms,
    private readonly log: Log,
  ) {}

  /** Writes a heartbeat, and removes the rows of processes that have written none for a day. Never throws. */
  async beat(): Promise<void> {
    if (this.ended) return;
    const written = this.isFirst ? this.afterOthers().then(() => this.write()) : this.write();
    this.isFirst = false;
    // a stop waits for the first heartbeat too, which may still be on its way when the second has ended
    this.beating = Promise.all([this.beating, written]);
    await written;
  }

  /** Warns of live processes that could not decrypt what this one is about to encrypt (S33). @throws the database's error */
  async warnOfOtherKeys(): Promise<void> {
    const others = await this.prisma.$queryRaw<{ id: string }[]>`
      SELECT id FROM relay_instances
      WHERE last_seen_at > now() - ${DEAD_AFTER_MS}::int * interval '1 millisecond' AND id <> ${this.config.instance}
        AND NOT ${this.box.current} = ANY (secrets_keys) ORDER BY id LIMIT 20`;
    if (others.length === 0) return;
    this.log.warn(
      { event: 'secrets.other_keys', instances: others.map(({ id }) => id) },
      'these instances cannot decrypt what this one encrypts: first give every instance the new key as SECRETS_KEY_PREVIOUS, see docs/operations.md',
    );
  }

  /** The processes of the last day, at most 500: live processes first, then by last heartbeat. */
  list(): Promise<Instance[]> {
    return this.prisma.reports.$queryRaw<Instance[]>`
      SELECT id, version, host, started_at AS "startedAt", last_seen_at AS "lastSeenAt",
             greatest(0, extract(epoch FROM now() - last_seen_at))::float8 AS "secondsSinceSeen",
             last_seen_at BETWEEN now() - ${DEAD_AFTER_MS}::int * interval '1 millisecond' AND ${Prisma.raw(AHEAD)} AS alive,
             worker_enabled AS "workerEnabled", pace, coalesce(jobs, 0)::int AS processing
      FROM relay_instances
      -- locked_by is the instance, a slash, and a UUID
      LEFT JOIN (SELECT left(locked_by, -37) AS holder, count(*) AS jobs FROM outbox_jobs WHERE status = 'PROCESSING' GROUP BY 1
                ) AS held ON holder = id
      ORDER BY alive DESC, last_seen_at DESC, id LIMIT 500`;
  }

  /** A clean stop removes the row of the process. After any other end the row stays, and the process soon counts as dead. */
  async beforeApplicationShutdown(): Promise<void> {
    this.ended = true;
    const removed = this.beating.then(
      () => this.prisma.$executeRaw`DELETE FROM relay_instances WHERE id = ${this.config.instance}`,
    );
    await within(REMOVAL_LIMIT_MS, removed).catch((error) =>
      this.log.debug({ event: 'instances.not_removed', error: reasonOf(error) }),
    );
  }

  /**
   * When no instance has written a heartbeat for long, the machine was off, or its clock is ahead since it came back: only time tells (S36).
   * Nothing is known of instances that have stopped by themselves.
   */
  private async afterOthers(): Promise<void> {
    try {
      const [last] = await this.prisma.$queryRaw<{ silentMs: number | null }[]>`
        SELECT (extract(epoch FROM now() - max(last_seen_at)) * 1000)::float8 AS "silentMs" FROM relay_instances`;
      const silentMs = last?.silentMs ?? 0;
      if (silentMs <= CLOCK_LIMIT_MS) return;
      this.clock.doubt();
      this.log.info(
        { event: 'clock.doubted', silentMs: Math.round(silentMs) },
        'no instance ran for this time, or the clock is ahead: nothing is closed or removed by the clock for an hour',
      );
    } catch (error) {
      this.log.debug({ event: 'instances.not_read', error: reasonOf(error) });
    }
  }

  private async write(): Promise<void> {
    const { instance, outbox } = this.config;
    try {
      await this.prisma.$executeRaw`
        WITH forgotten AS (
          DELETE FROM relay_instances WHERE last_seen_at < now() - interval '1 day' AND id <> ${instance} AND ${this.clock.condition}
        )
        INSERT INTO relay_instances (id, version, host, started_at, last_seen_at, worker_enabled, pace, secrets_keys, database_ms, slow_checks)
        VALUES (${instance}, ${VERSION}, ${hostname()}, now() - ${process.uptime()}::float8 * interval '1 second', now(),
                ${outbox.workerEnabled}, ${outbox.pace}, ${this.box.keyNames}::text[],
                round(${this.prisma.answeredInMs ?? null}::float8)::int, ${this.alarms.slowChecks}::int)
        ON CONFLICT (id) DO UPDATE SET version = excluded.version, host = excluded.host, last_seen_at = excluded.last_seen_at,
          -- each heartbeat computes the start time of the process a moment differently
          started_at = CASE WHEN abs(extract(epoch FROM excluded.started_at - relay_instances.started_at)) < 60
                            THEN relay_instances.started_at ELSE excluded.started_at END,
          worker_enabled = excluded.worker_enabled, pace = excluded.pace, secrets_keys = excluded.secrets_keys,
          database_ms = excluded.database_ms, slow_checks = excluded.slow_checks`;
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.log.warn({ event: 'instances.not_written', error: reasonOf(error) });
      this.failing = true;
    }
  }
}
