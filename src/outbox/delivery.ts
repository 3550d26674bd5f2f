import { Injectable } from '@nestjs/common';
import { notLookedUp, withArrivalNote } from '../domain/lookup.js';
import {
  cancelElsewhere,
  cancelStep,
  cannotBeMapped,
  nothingToCancel,
  notSent,
  type Outcome,
  outcomeOf,
  outcomeOfCancel,
  signInFailed,
} from '../domain/outcome.js';
import { Config } from '../platform/config/config.js';
import { isDatabaseAway, isDatabaseUnfit, reasonOf } from '../platform/database/errors.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import { Log } from '../platform/telemetry/log.js';
import { Tracing } from '../platform/tracing/tracing.js';
import { type MayCall, PosClient } from '../pos/client.js';
import { posTarget } from '../pos/target.js';
import type { WireRequest } from '../pos/vendor.js';
import { vendorOf } from '../pos/vendors.js';
import { ArrivalLookUp } from './arrival-look-up.js';
import { JobStore } from './job-store.js';
import type { NoOutcome } from './no-outcome.js';
import { OrderMapper, referenceOf } from './order-mapper.js';
import { isPushed, PushDelivery } from './push-delivery.js';
import { RestaurantCodes } from './restaurant-codes.js';
import type { ClaimedJob } from './store/claim.js';

const NO_TIME = 'the lease was too short for another call';
/**
 * The outcomes when `mayCall` refused a call because the lease is too short. When `mayCall` refused it because the process stops, the job
 * is released.
 */
export const LEASE_TOO_SHORT = {
  'not-begun': notSent('retry', 'internal', NO_TIME),
  'not-looked-up': notLookedUp('internal', NO_TIME),
};

/** Makes one attempt of a claimed job: creates or cancels its order at the POS, and turns the answer into an outcome. */
@Injectable()
export class Delivery {
  constructor(
    private readonly jobs: JobStore,
    private readonly mapper: OrderMapper,
    private readonly codes: RestaurantCodes,
    private readonly arrivals: ArrivalLookUp,
    private readonly pushed: PushDelivery,
    private readonly pos: PosClient,
    private readonly box: SecretBox,
    private readonly tracing: Tracing,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * @param mayCall called before each call to the POS, also before a sign-in; false refuses the call
   * @returns the outcome to settle the job with, or why there is no outcome
   */
  attempt(job: ClaimedJob, mayCall: MayCall): Promise<Outcome | NoOutcome> {
    this.tracing.begun(job);
    return this.createOrCancel(job, mayCall).catch((error: Error) => this.interrupted(job, error));
  }

  private async createOrCancel(job: ClaimedJob, mayCall: MayCall): Promise<Outcome | NoOutcome> {
    // a job whose attempts all end in an expired lease is parked as well (O17)
    if (job.attempt > this.config.outbox.maxAttempts) return this.giveUp(job);
    if (isPushed(job)) return this.pushed[job.action === 'CREATE' ? 'create' : 'cancel'](job, mayCall);
    return job.action === 'CREATE' ? this.create(job, mayCall) : this.cancel(job, mayCall);
  }

  private async giveUp(job: ClaimedJob): Promise<Outcome> {
    const unknown = (await this.arrivals.mustLookUp(job))
      ? ': the order may have arrived, and the POS was not asked since'
      : '';
    return notSent('park', 'lost', `gave up after ${job.attempt - 1} attempts${unknown}`);
  }

  /**
   * Creates an order (D1). With POS_AFTER_UNKNOWN=ask, an order that may have arrived is looked up first. It is sent again only if
   * the POS does not have it (D19).
   */
  private async create(job: ClaimedJob, mayCall: MayCall): Promise<Outcome | NoOutcome> {
    const finding = await this.arrivals.find(job, mayCall);
    if (finding === 'not-looked-up') return finding;
    if (finding.found !== false) return finding.outcome;
    const mapped = this.mapper.mapCreate(job, job.codesVersion > 0 ? await this.codes.of(job, job.payload) : undefined);
    if ('missing' in mapped) return notSent('retry', mapped.cause, mapped.missing);
    if ('unmappable' in mapped) return cannotBeMapped(mapped);
    return this.send(job, mapped.request, mayCall);
  }

  /**
   * Cancels an order (C3 to C7, Q30). First withdraws the CREATE job, unless the CREATE job is SENT or PROCESSING, so that the order is never
   * sent after its cancel. While the CREATE job is PROCESSING, the CANCEL job is released, and the view
   * `due_jobs` leaves it out. With POS_AFTER_UNKNOWN=ask, a
   * withdrawn order that may have arrived is looked up before the cancel is sent (C13).
   */
  private async cancel(job: ClaimedJob, mayCall: MayCall): Promise<Outcome | NoOutcome> {
    const create = await this.jobs.withdrawCreate(job);
    const step = cancelStep(create);
    if (step === 'wait') return 'release';
    if (step === 'end') return nothingToCancel();
    if (step === 'elsewhere') return cancelElsewhere();
    const isLookedUp = this.arrivals.looksUp && create.status !== 'SENT';
    if (isLookedUp) {
      const finding = await this.arrivals.find(job, mayCall);
      if (finding === 'not-looked-up') return finding;
      if (finding.found === false) return nothingToCancel();
      if (finding.found === null) return finding.outcome;
    }
    const reference = referenceOf(job);
    if ('missing' in reference) return notSent('retry', reference.cause, reference.missing);
    // unless an earlier call of this cancel may have taken the order away
    const isThere = isLookedUp && !(await this.jobs.mayHaveArrivedBefore(job));
    const outcome = await this.send(job, vendorOf(this.config.pos).cancelOrder(reference), mayCall);
    return typeof outcome === 'string' ? outcome : outcomeOfCancel(outcome, create, isThere);
  }

  private async send(job: ClaimedJob, request: WireRequest, mayCall: MayCall): Promise<Outcome | NoOutcome> {
    const target = posTarget(job, this.config, this.box);
    if ('missing' in target) return notSent('retry', target.cause, target.missing);
    const call = await this.pos.send(target, request, mayCall, this.tracing.callsOf(job));
    if (call.step === 'not-begun') return 'not-begun';
    const { answer } = call;
    if (call.step === 'sign-in') return signInFailed(answer);
    const duplicate = answer.kind === 'answered' && answer.meaning === 'duplicate';
    const outcome = outcomeOf(answer, duplicate && (await this.jobs.mayHaveArrivedBefore(job)));
    if (outcome.reach === 'NOT_SENT') return outcome;
    return { ...this.noteUnknown(job, outcome), sentBody: call.sentBody };
  }

  /** With POS_AFTER_UNKNOWN=ask, adds to the error of a CREATE job that the order may have arrived, if it may (O25). */
  private noteUnknown({ action, posBaseUrl }: ClaimedJob, outcome: Outcome): Outcome {
    return this.arrivals.looksUp && action === 'CREATE' && posBaseUrl === null ? withArrivalNote(outcome) : outcome;
  }

  /**
   * The outcome of an attempt that threw an error. After an outage of the database the job is released. This is safe: an
   * attempt reads the database only before it sends the order, or after an answer that the POS will give again.
   */
  private interrupted(job: ClaimedJob, error: Error): Outcome | 'release' {
    // claims may succeed although another table is unusable: the backoff keeps the worker from claiming the job again at once
    if (!isDatabaseAway(error) || isDatabaseUnfit(error)) return this.noteUnknown(job, internalError(error));
    this.log.warn({ event: 'outbox.attempt_interrupted', job: job.id, traceId: job.trace?.id, error: reasonOf(error) });
    return 'release';
  }
}

/** The outcome after a bug in the relay: the order may have been sent. */
function internalError(error: Error): Outcome {
  return { ...notSent('retry', 'internal', `internal error: ${reasonOf(error)}`), reach: 'UNKNOWN' };
}
