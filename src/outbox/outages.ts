import { Injectable } from '@nestjs/common';
import { MAX_RETRY_AFTER_MS, probeMs } from '../domain/backoff.js';
import { isOutage } from '../domain/cause.js';
import { type Outcome, showsPosWorks } from '../domain/outcome.js';
import { Config } from '../platform/config/config.js';
import { Log } from '../platform/telemetry/log.js';
import { JobStore } from './job-store.js';
import { Paces } from './pace.js';
import type { HeldJob } from './store/claim.js';
import type { Failing, OutageFailure } from './store/outages.js';

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
/** All probes together have this part of the slots (L199). */
const PROBES_PART = 1 / 4;
/** So long a probe takes a slot at least, in ms: a POS that refuses connections at once gets no more of them (L199). */
const LEAST_PROBE_MS = 250;
/** The weight of the last failure in the mean duration of failed attempts. */
const WEIGHT = 1 / 16;
/** The statement that plans a probe begins within this time, in ms: the probe is due by the clock of the database. */
const PLANNED_WITHIN_MS = 1_000;
/** A lasting outage without a failure for this time, in ms, has no probe any more: its order was cancelled, or its instance ended. */
const PROBE_OVERDUE_MS = 120_000;

/**
 * The outages of the restaurants' POS (O33), with OUTBOX_PACE=eager. While every attempt of a restaurant fails of an outage, its orders are
 * held back behind the oldest, which is sent again as a probe (O45). After the first answer that shows that the POS works they become due (O46).
 *
 * Nothing is written for an order that is delivered. Failures are collected and recorded once a second.
 */
@Injectable()
export class Outages {
  /** how fast the POS that come back are called (O34) */
  readonly paces = new Paces();
  private readonly failures = new Map<string, OutageFailure>();
  private readonly failing = new Map<string, Failing>();
  /** the mean duration of a failed attempt, in ms */
  private failedMs = 0;
  /** restaurants whose POS has shown during an outage that it works */
  private readonly back = new Set<string>();
  /** the restaurants with a lasting outage, as far as this instance knows */
  private lasting: ReadonlySet<string> = new Set();
  /** when the POS of a restaurant last showed this instance that it works, by performance.now(), ms */
  private readonly workedAt = new Map<string, number>();
  /** when the probes that this instance has planned are due, by performance.now(), ms */
  private probesAt: number[] = [];
  private resumedAt = Number.NEGATIVE_INFINITY;
  private readAt = Number.NEGATIVE_INFINITY;
  private endedAt = Number.NEGATIVE_INFINITY;
  private pauseUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly jobs: JobStore,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Notes the result of a settled attempt. Test orders are left out: they may go to another POS (D2).
   * @param durationMs duration of the attempt, in ms
   */
  note({ id, restaurantId, testMode, claimedAt }: HeldJob, outcome: Outcome, durationMs: number): void {
    if (testMode || this.config.outbox.pace !== 'eager') return;
    const { settling, cause, retryAfterMs } = outcome;
    if (showsPosWorks(outcome)) {
      if (settling === 'deliver') this.paces.note(restaurantId, 'taken');
      this.workedAt.set(restaurantId, performance.now());
      if (this.lasting.has(restaurantId) || this.failing.has(restaurantId)) this.back.add(restaurantId);
    } else if (isOutage(cause) || cause === 'busy') {
      this.paces.note(restaurantId, 'refused');
      // a POS that asks for time ends no outage, and begins none
      if (isOutage(cause) || this.lasting.has(restaurantId))
        this.plan(restaurantId, retryAfterMs ?? 0, cause === 'sign_in');
      if (!isOutage(cause)) return;
      this.failedMs += (durationMs - this.failedMs) * WEIGHT;
      this.back.delete(restaurantId);
      if (this.failures.size < MOST_FAILURES) this.failures.set(id, { jobId: id, startedAt: claimedAt });
    }
  }

  /** Has the next probe of the restaurant planned (O45, O48). @param retryAfterMs the Retry-After of its POS; 0: none */
  private plan(restaurantId: string, retryAfterMs = 0, isSignIn = false): void {
    const slots = Math.max(1, this.config.outbox.batchSize * PROBES_PART);
    const shareMs = (this.lasting.size * Math.max(this.failedMs, LEAST_PROBE_MS)) / slots;
    const probeInMs = probeMs(Math.random(), retryAfterMs, shareMs, isSignIn);
    this.failing.set(restaurantId, {
      restaurantId,
      probeInMs,
      retryAfterMs: Math.min(retryAfterMs, MAX_RETRY_AFTER_MS),
    });
  }

  /**
   * Records the failures since the last call, holds orders back, and ends the outages that are over. To be called once a second.
   * @returns whether jobs of an ended outage are due, or become due within seconds, or a probe is due
   * @throws the database's error; what was not recorded is recorded by the next call
   */
  async update(): Promise<boolean> {
    if (this.config.outbox.pace !== 'eager') return false;
    await this.record();
    await this.read();
    for (const restaurantId of [...this.back]) await this.end(restaurantId);
    return this.aProbeIsDue() || performance.now() - this.endedAt < DUE_WITHIN_MS;
  }

  private aProbeIsDue(): boolean {
    const before = this.probesAt.length;
    this.probesAt = this.probesAt.filter((at) => at > performance.now() - PLANNED_WITHIN_MS);
    return this.probesAt.length < before;
  }

  private async record(): Promise<void> {
    const startedAt = performance.now();
    // what has ended must be recorded first
    const mayWait = startedAt < this.pauseUntil && this.back.size === 0;
    if (this.failing.size === 0 || mayWait) return;
    const failures = [...this.failures.values()];
    const restaurants = [...this.failing.values()];
    if (failures.length > 0) await this.jobs.recordFailures(failures);
    await this.jobs.holdBack(restaurants, this.config.pos.timeoutMs + MARGIN_MS);
    for (const { jobId, startedAt: at } of failures)
      if (this.failures.get(jobId)?.startedAt === at) this.failures.delete(jobId);
    for (const planned of restaurants) {
      // another failure may have planned the next probe meanwhile
      if (this.failing.get(planned.restaurantId) === planned) this.failing.delete(planned.restaurantId);
      this.probesAt.push(startedAt + planned.probeInMs);
    }
    this.lasting = new Set([...this.lasting, ...restaurants.map(({ restaurantId }) => restaurantId)]);
    this.pauseUntil = startedAt + PAUSE_FACTOR * (performance.now() - startedAt);
  }

  /** Reads the outages of all instances. A POS that worked for this instance after the last failure ends an outage. */
  private async read(): Promise<void> {
    const now = performance.now();
    if (now - this.readAt < READ_INTERVAL_MS) return;
    this.readAt = now;
    const outages = await this.jobs.lastingOutages();
    const lasting = new Set(outages.map(({ restaurantId }) => restaurantId));
    // another instance has ended these
    for (const restaurantId of this.lasting) if (!lasting.has(restaurantId)) this.paces.begin(restaurantId);
    this.lasting = lasting;
    const resumes = now - this.resumedAt > PROBE_OVERDUE_MS;
    if (resumes) this.resumedAt = now;
    for (const { restaurantId, failedMsAgo } of outages) {
      if ((this.workedAt.get(restaurantId) ?? Number.NEGATIVE_INFINITY) > now - failedMsAgo)
        this.back.add(restaurantId);
      else if (resumes && failedMsAgo > PROBE_OVERDUE_MS) this.plan(restaurantId);
    }
  }

  private async end(restaurantId: string): Promise<void> {
    this.paces.begin(restaurantId);
    const orders = await this.jobs.endOutage(restaurantId);
    this.back.delete(restaurantId);
    this.endedAt = performance.now();
    if (orders > 0)
      this.log.info(
        { event: 'outbox.pos_back', restaurantId, due: orders },
        'the POS is back: orders that wait for it are sent early',
      );
  }
}
