import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { RETRY_MS } from '../platform/database/batch/batcher.js';
import { CLOCK_STEP_MS } from '../platform/database/clock.js';
import { isDatabaseAway } from '../platform/database/errors.js';
import { Log } from '../platform/telemetry/log.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { JobStore } from './job-store.js';
import { SilentHolders } from './silent-holders.js';
import type { CameBack } from './store/ahead.js';
import type { ExpiredJob } from './store/release.js';

/** The most jobs in one statement. */
const BATCH = 500;
/** After an outage, the reaper waits for the time of this many tries, so that workers can settle the answers that they hold. */
const TRIES_AFTER_OUTAGE = 4;

/**
 * Ends what a clock that was ahead has left (O38), and expired leases, at the start of a process and at each REAPER_INTERVAL_MS: the job is PENDING and due now, or withdrawn if its order was
 * cancelled (O17). Its worker died, hung or lost the database.
 */
@Injectable()
export class Reaper {
  private databaseWasAway = false;
  /** the reaper does nothing before this time, by performance.now(), ms */
  private notBefore = Number.NEGATIVE_INFINITY;
  /** the database's clock at the origin of performance.now(), epoch ms, at the last run */
  private origin: number | undefined;

  private readonly holders: SilentHolders;

  constructor(
    private readonly jobs: JobStore,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {
    this.holders = new SilentHolders(config.instance);
  }

  /**
   * Ends all expired leases, in batches, and logs each job. After an outage of the database it first waits,
   * so that workers can settle the POS's answers that they hold, although the leases have expired. After a step of the database's clock it
   * waits for the time of a lease: claims of before the step look older, or newer, than they are (O40). So it does in a process that finds at its start that the
   * clock has stepped.
   * @throws the database's error
   */
  async reap(): Promise<void> {
    try {
      if (this.databaseWasAway) return await this.findItBack();
      await this.comeBack();
      if (performance.now() >= this.notBefore && (await this.mayJudge())) await this.returnExpired();
    } catch (error) {
      this.databaseWasAway = isDatabaseAway(error);
      throw error;
    }
  }

  private async findItBack(): Promise<void> {
    await this.jobs.ping();
    this.databaseWasAway = false;
    const waitMs = this.config.databaseTimeoutMs + TRIES_AFTER_OUTAGE * RETRY_MS;
    this.notBefore = performance.now() + waitMs;
    this.log.info(
      { event: 'outbox.reaper_waits', waitMs },
      'the database is back; answers that were held are settled first',
    );
  }

  private async comeBack(): Promise<void> {
    let found: CameBack;
    do {
      found = await this.jobs.comeBack(BATCH);
      const { due, leased } = found;
      if (due + leased > 0)
        this.log.warn(
          { event: 'outbox.clock_was_ahead', due, leased },
          "the database's clock was ahead when these waits began",
        );
    } while (found.due === BATCH || found.leased === BATCH);
    const origin = found.databaseMs - performance.now();
    const stepMs = Math.round(origin - (this.origin ?? origin));
    this.origin = origin;
    if (Math.abs(stepMs) >= CLOCK_STEP_MS) this.waitForALease(stepMs);
  }

  private async mayJudge(): Promise<boolean> {
    if (this.holders.isEmpty) return true;
    const found = this.holders.look(await this.jobs.holdersOfJobs(BATCH), this.config.outbox.processingTtlMs);
    if (found === 'stepped') this.waitForALease();
    return found === 'judge';
  }

  /** @param stepMs undefined: the clock has stepped before this process began */
  private waitForALease(stepMs?: number): void {
    const waitMs = this.config.outbox.processingTtlMs;
    this.notBefore = performance.now() + waitMs;
    this.log.warn(
      { event: 'outbox.clock_stepped', stepMs, waitMs },
      'leases are judged when those of before the step have ended',
    );
  }

  private async returnExpired(): Promise<void> {
    let expired: ExpiredJob[];
    do {
      expired = await this.jobs.expireLeases(BATCH);
      this.metrics.expiredLeases.inc(expired.length);
      for (const { id, traceId, ...job } of expired)
        this.log.warn({ event: 'outbox.lease_expired', job: id, ...job, traceId: traceId ?? undefined });
    } while (expired.length === BATCH);
  }
}
