import { Injectable } from '@nestjs/common';
import { Config } from '../config.js';
import { reasonOf } from '../database/errors.js';
import { notSent, type Outcome, outcomeOf } from '../domain/job.js';
import { describe, judge, type PosAnswer } from '../domain/pos-answer.js';
import { mapOrder, type PosOrder } from '../domain/pos-order.js';
import { readTransaction } from '../domain/transaction.js';
import { Log } from '../log.js';
import { type Delivery, type MayCall, PosClient } from '../pos/client.js';
import { posTarget } from '../pos/target.js';
import { SecretBox } from '../secret-box.js';
import { JobStore, type LockedJob } from './job-store.js';
import { Settlement } from './settlement.js';

/**
 * The background worker (seed, "What the service does", 3 and 4). It takes due jobs, locks each one, maps the transaction
 * to the POS order shape, and sends it. On success the job becomes SENT, on a temporary failure FAILED, to be retried with
 * a growing delay, on a permanent failure DLQ.
 */
@Injectable()
export class Worker {
  private readonly inFlight = new Set<Promise<void>>();
  private stopping = false;

  constructor(
    private readonly jobs: JobStore,
    private readonly pos: PosClient,
    private readonly box: SecretBox,
    private readonly config: Config,
    private readonly settlement: Settlement,
    private readonly log: Log,
  ) {}

  /** How many more jobs may be locked now: never more than are sent at once, so that none waits past its lease. */
  get free(): number {
    return this.stopping ? 0 : this.config.outbox.batchSize - this.inFlight.size;
  }

  /**
   * Takes up to `limit` due jobs and begins to deliver them all at once.
   * @returns how many there were
   */
  async takeDue(limit: number): Promise<number> {
    const lockedAt = performance.now();
    const jobs = await this.jobs.lockDue(limit);
    for (const job of jobs) this.begin(job, lockedAt);
    return jobs.length;
  }

  /** Waits until one (or every) delivery under way has settled. */
  async settled(which: 'one' | 'all'): Promise<void> {
    await (which === 'one' ? Promise.race(this.inFlight) : Promise.all(this.inFlight));
  }

  /** Begins no further call; calls under way end within POS_TIMEOUT_MS, and jobs not yet sent are given back. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.settlement.stop();
    await this.settled('all');
  }

  private begin(job: LockedJob, lockedAt: number): void {
    const delivery = this.deliver(job, lockedAt)
      .catch((error: Error) => this.log.error({ event: 'outbox.delivery_failed', job: job.id, error: reasonOf(error) }))
      .finally(() => this.inFlight.delete(delivery));
    this.inFlight.add(delivery);
  }

  private async deliver(job: LockedJob, lockedAt: number): Promise<void> {
    const startedAt = performance.now();
    const leaseEnds = lockedAt + this.config.outbox.processingTtlMs;
    // an order is sent only while the lease outlives the call: nobody else can be sending it
    const mayCall = () => !this.stopping && performance.now() + this.config.pos.timeoutMs < leaseEnds;
    const outcome = await this.send(job, mayCall).catch((error: Error) => unexpected(error));
    if (outcome === 'give-back') return this.settlement.release(job);
    await this.settlement.settle(job, outcome, Math.round(performance.now() - startedAt));
  }

  private async send(job: LockedJob, mayCall: MayCall): Promise<Outcome | 'give-back'> {
    // a job that loses its worker every time must end as well
    if (job.attempt > this.config.outbox.maxAttempts)
      return notSent('park', `gave up after ${job.attempt - 1} attempts`);
    return job.action === 'CREATE' ? this.create(job, mayCall) : this.cancel(job, mayCall);
  }

  /** From the stored transaction to the outcome of this attempt. */
  private async create(job: LockedJob, mayCall: MayCall): Promise<Outcome | 'give-back'> {
    const mapped = this.map(job);
    if ('settling' in mapped) return mapped;
    const target = posTarget(job, this.config, this.box);
    if ('missing' in target) return notSent('retry', target.missing);
    return this.judge(job, await this.pos.createOrder(target, mapped, mayCall));
  }

  /**
   * Takes an order back (DECISIONS 4). The CREATE is withdrawn first, unless it has been delivered, so that it can never be
   * sent after its cancel; while it is being sent, the cancel waits.
   */
  private async cancel(job: LockedJob, mayCall: MayCall): Promise<Outcome | 'give-back'> {
    const create = await this.jobs.withdrawCreate(job.eventKey);
    if (create.status === 'PROCESSING') return 'give-back';
    const withdrawn = create.status === 'DLQ';
    if (withdrawn && !create.mayHaveArrived) return nothingToCancel();
    if (!job.codeStorePos) return notSent('retry', 'restaurant has no codeStorePos');
    const target = posTarget(job, this.config, this.box);
    if ('missing' in target) return notSent('retry', target.missing);
    const order = { order_id: job.eventKey, cod_store: job.codeStorePos };
    const outcome = await this.judge(job, await this.pos.cancelOrder(target, order, mayCall));
    return withdrawn && outcome !== 'give-back' && isRefusal(outcome)
      ? { ...outcome, settling: 'deliver', error: null }
      : outcome;
  }

  private map(job: LockedJob): PosOrder | Outcome {
    if (!job.codeStorePos) return notSent('retry', 'restaurant has no codeStorePos');
    const mapped = mapOrder(readTransaction(job.payload), {
      orderId: job.eventKey,
      codStore: job.codeStorePos,
      receivedAt: job.receivedAt,
      tenders: this.config.pos.tenders,
      extra: this.config.pos.orderExtra,
    });
    return 'order' in mapped ? mapped.order : notSent('park', `cannot be mapped: ${mapped.unmappable}`);
  }

  private async judge(job: LockedJob, delivery: Delivery): Promise<Outcome | 'give-back'> {
    if (delivery.step === 'not-begun')
      return this.stopping ? 'give-back' : notSent('retry', 'the lease was too short for another call');
    const { answer } = delivery;
    if (delivery.step === 'sign-in') return signInFailed(answer);
    switch (judge(answer, this.config.pos)) {
      case 'sent':
        return outcomeOf(answer, 'deliver', null);
      case 'park':
        return outcomeOf(answer, 'park', describe(answer));
      case 'duplicate':
        return (await this.jobs.mayHaveArrivedBefore(job))
          ? outcomeOf(answer, 'deliver', null)
          : outcomeOf(answer, 'park', describe(answer));
      case 'retry':
        return outcomeOf(answer, 'retry', describe(answer));
      case 'sign-in-again':
        return outcomeOf(answer, 'retry', `POS authentication failed: ${describe(answer)}`);
    }
  }
}

/** Credentials can be corrected while the job waits, so a failed sign-in is never permanent. */
function signInFailed(answer: PosAnswer): Outcome {
  return { ...outcomeOf(answer, 'retry', `POS sign-in failed: ${describe(answer)}`), reach: 'NOT_SENT' };
}

/** A bug, or the database going away in the middle: the order may have been sent. */
function unexpected(error: Error): Outcome {
  return { ...notSent('retry', `internal error: ${reasonOf(error)}`), reach: 'UNKNOWN' };
}

/** The order never left us, and never will. */
function nothingToCancel(): Outcome {
  return { settling: 'deliver', reach: 'NOT_SENT', httpStatus: null, errorCode: null, error: null, retryAfterMs: null };
}

/** A 4xx that parks: the POS has no such order. */
function isRefusal({ settling, httpStatus }: Outcome): boolean {
  return settling === 'park' && httpStatus !== null && httpStatus >= 400 && httpStatus < 500;
}
