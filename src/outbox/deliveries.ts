import type { Config } from '../platform/config/config.js';
import { reasonOf } from '../platform/database/errors.js';
import type { Log } from '../platform/telemetry/log.js';
import type { Completer } from './completer.js';
import { type Delivery, LEASE_TOO_SHORT } from './delivery.js';
import type { HeldJob, Slots } from './slots.js';
import type { ClaimedJob } from './store/claim.js';

/** A claimed job that has no slot after this time, in ms, is released, so that another instance can claim it. */
const LONGEST_WAIT_MS = 1_000;

/** The deliveries of the claimed jobs: each begins when a slot is free for it, and ends when its job is settled or released. */
export class Deliveries {
  /** the deliveries whose jobs are not settled or released yet */
  private readonly inFlight = new Set<Promise<void>>();
  /** resolves what waits for the next change */
  private changed: (() => void) | undefined;
  private waitTimer: NodeJS.Timeout | undefined;
  private givenUp = 0;
  /** when a delivery last ended, by performance.now(), ms */
  lastEndedAt = performance.now();

  /** @param onCallEnded called after each call, when the slot of the call is free */
  constructor(
    private readonly slots: Slots,
    private readonly delivery: Delivery,
    private readonly completer: Completer,
    private readonly stopping: AbortSignal,
    private readonly config: Config,
    private readonly log: Log,
    private readonly onCallEnded: () => void,
  ) {}

  /** Number of claimed jobs that are not settled or released: in flight, waiting for a slot, or given up when the process stops. */
  get unsettled(): number {
    return this.inFlight.size + this.slots.notBegun + this.givenUp;
  }

  /** Number of attempts whose calls have ended, and that wait to be settled. */
  get settling(): number {
    return this.inFlight.size - this.slots.calls;
  }

  /** Adds claimed jobs; {@link begin} begins their calls. @param claimedAt see {@link HeldJob} */
  add(jobs: readonly ClaimedJob[], claimedAt: number): void {
    for (const job of jobs) this.slots.add({ job, claimedAt });
  }

  /** Gives free slots to jobs that wait for one; when the process stops, releases these jobs. */
  begin(): void {
    if (this.stopping.aborted) {
      this.release(Number.POSITIVE_INFINITY);
      return;
    }
    for (let held = this.slots.begin(); held; held = this.slots.begin()) this.follow(held, this.deliver(held));
    if (this.slots.notBegun > 0) this.waitTimer ??= setTimeout(() => this.releaseLate(), LONGEST_WAIT_MS).unref();
  }

  /** Waits until a call has ended, a job was settled or released, or {@link signal} is called. */
  change(): Promise<void> {
    return new Promise((resolve) => {
      const others = this.changed;
      this.changed = () => {
        others?.();
        resolve();
      };
    });
  }

  signal(): void {
    this.changed?.();
    this.changed = undefined;
  }

  /** Waits until every claimed job is settled or released, or given up. */
  async ended(): Promise<void> {
    while (this.inFlight.size + this.slots.notBegun > 0) await this.change();
  }

  private releaseLate(): void {
    this.waitTimer = undefined;
    this.release(performance.now() - LONGEST_WAIT_MS);
    this.begin();
  }

  /** Releases the jobs that were claimed before this time and have no slot yet. */
  private release(claimedBefore: number): void {
    for (const held of this.slots.takeWaitingSince(claimedBefore)) this.follow(held, this.completer.release(held.job));
  }

  /** Tracks a delivery until it has ended or failed. */
  private follow({ job }: HeldJob, delivery: Promise<void>): void {
    const done = delivery
      .catch((error: Error) => {
        if (this.stopping.aborted) this.givenUp++;
        this.log.error({
          event: 'outbox.delivery_failed',
          job: job.id,
          traceId: job.trace?.id,
          error: reasonOf(error),
        });
      })
      .finally(() => {
        this.inFlight.delete(done);
        this.lastEndedAt = performance.now();
        this.signal();
      });
    this.inFlight.add(done);
  }

  private async deliver(held: HeldJob): Promise<void> {
    const { job, claimedAt } = held;
    const startedAt = performance.now();
    const leaseEnds = claimedAt + this.config.outbox.processingTtlMs;
    // a call begins only if its deadline ends before the lease (D4): until then no other worker sends this job
    const mayCall = () => !this.stopping.aborted && performance.now() + this.config.pos.timeoutMs < leaseEnds;
    const ended = await this.delivery.attempt(job, mayCall);
    const isTaken = typeof ended !== 'string' && ended.settling === 'deliver';
    this.slots.end(held, performance.now() - startedAt, isTaken);
    this.begin();
    this.signal();
    this.onCallEnded();
    if (ended === 'release' || (typeof ended === 'string' && this.stopping.aborted)) return this.completer.release(job);
    await this.completer.settle(
      job,
      typeof ended === 'string' ? LEASE_TOO_SHORT[ended] : ended,
      Math.round(performance.now() - startedAt),
    );
  }
}
