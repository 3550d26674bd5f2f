import { Injectable } from '@nestjs/common';
import { isOutage } from '../domain/cause.js';
import type { Outcome } from '../domain/outcome.js';
import { Config } from '../platform/config/config.js';
import { Log } from '../platform/telemetry/log.js';
import { JobStore } from './job-store.js';
import { Paces } from './pace.js';
import type { ClaimedJob } from './store/claim.js';
import type { OutageFailure } from './store/outages.js';

/** How often the lasting outages are read, which other instances may have recorded, in ms. */
const READ_INTERVAL_MS = 2_000;
/** The jobs of an ended outage become due within this time, in ms. */
const DUE_WITHIN_MS = 6_000;
/** The orders that are held back become due this time, in ms, and POS_TIMEOUT_MS, after the order that is tried. */
const MARGIN_MS = 10_000;
/** After failures, the pause until the next statement is this many times the duration of the last one. */
const PAUSE_FACTOR = 20;
/** The most failures that wait to be recorded. More failures of the same second would say nothing new. */
const MOST_FAILURES = 1_000;

/**
 * The outages of the restaurants' POS (O33), with OUTBOX_PACE=eager. While every attempt of a restaurant fails of an outage, its orders are
 * held back behind the oldest. After the first delivery they become due.
 *
 * Nothing is written for an order that is delivered. Failures are collected and recorded once a second.
 */
@Injectable()
export class Outages {
  /** how fast the POS that come back are called (O34) */
  readonly paces = new Paces();
  private readonly failures = new Map<string, OutageFailure>();
  private readonly failing = new Set<string>();
  /** restaurants whose POS has taken an order during an outage */
  private readonly back = new Set<string>();
  /** the restaurants with a lasting outage, as far as this instance knows */
  private lasting: ReadonlySet<string> = new Set();
  /** when this instance last delivered an order of a restaurant, by performance.now(), ms */
  private readonly deliveredAt = new Map<string, number>();
  private readAt = Number.NEGATIVE_INFINITY;
  private endedAt = Number.NEGATIVE_INFINITY;
  private pauseUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly jobs: JobStore,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** Notes the result of a settled attempt. Test orders are left out: they may go to another POS (D2). */
  note({ id, restaurantId, testMode, claimedAt }: ClaimedJob, { settling, cause }: Outcome): void {
    if (testMode || this.config.outbox.pace !== 'eager') return;
    if (settling === 'deliver') {
      this.paces.note(restaurantId, 'taken');
      this.deliveredAt.set(restaurantId, performance.now());
      if (this.lasting.has(restaurantId) || this.failing.has(restaurantId)) this.back.add(restaurantId);
    } else if (isOutage(cause) || cause === 'busy') {
      this.paces.note(restaurantId, 'refused');
      if (!isOutage(cause)) return;
      this.failing.add(restaurantId);
      this.back.delete(restaurantId);
      if (this.failures.size < MOST_FAILURES) this.failures.set(id, { jobId: id, startedAt: claimedAt });
    }
  }

  /**
   * Records the failures since the last call, holds orders back, and ends the outages that are over. To be called once a second.
   * @returns whether jobs of an ended outage are due, or become due within seconds
   * @throws the database's error; what was not recorded is recorded by the next call
   */
  async update(): Promise<boolean> {
    if (this.config.outbox.pace !== 'eager') return false;
    await this.record();
    await this.read();
    for (const restaurantId of [...this.back]) await this.end(restaurantId);
    return performance.now() - this.endedAt < DUE_WITHIN_MS;
  }

  private async record(): Promise<void> {
    const startedAt = performance.now();
    // what has ended must be recorded first
    const mayWait = startedAt < this.pauseUntil && this.back.size === 0;
    if (this.failing.size === 0 || mayWait) return;
    const failures = [...this.failures.values()];
    const restaurants = [...this.failing];
    await this.jobs.recordFailures(failures);
    await this.jobs.holdBack(restaurants, this.config.pos.timeoutMs + MARGIN_MS);
    for (const { jobId, startedAt: at } of failures)
      if (this.failures.get(jobId)?.startedAt === at) this.failures.delete(jobId);
    if (this.failures.size === 0) this.failing.clear();
    this.lasting = new Set([...this.lasting, ...restaurants]);
    this.pauseUntil = startedAt + PAUSE_FACTOR * (performance.now() - startedAt);
  }

  /** Reads the outages of all instances. A delivery of this instance after the last failure ends an outage. */
  private async read(): Promise<void> {
    const now = performance.now();
    if (now - this.readAt < READ_INTERVAL_MS) return;
    this.readAt = now;
    const outages = await this.jobs.lastingOutages();
    const lasting = new Set(outages.map(({ restaurantId }) => restaurantId));
    // another instance has ended these
    for (const restaurantId of this.lasting) if (!lasting.has(restaurantId)) this.paces.begin(restaurantId);
    this.lasting = lasting;
    for (const { restaurantId, failedMsAgo } of outages)
      if ((this.deliveredAt.get(restaurantId) ?? Number.NEGATIVE_INFINITY) > now - failedMsAgo)
        this.back.add(restaurantId);
  }

  private async end(restaurantId: string): Promise<void> {
    this.paces.begin(restaurantId);
    const orders = await this.jobs.endOutage(restaurantId);
    this.back.delete(restaurantId);
    this.endedAt = performance.now();
    if (orders > 0) this.log.info({ event: 'outbox.pos_back', restaurantId, due: orders });
  }
}
