import { Injectable } from '@nestjs/common';
import { type Arrival, arrivalOf, notLookedUp } from '../domain/lookup.js';
import { answerLine, causeOfSignIn } from '../domain/outcome.js';
import { Config } from '../platform/config/config.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { Tracing } from '../platform/tracing/tracing.js';
import { type MayCall, PosClient } from '../pos/client.js';
import { posTarget } from '../pos/target.js';
import { JobStore } from './job-store.js';
import { referenceOf } from './order-mapper.js';
import type { ClaimedJob } from './store/claim.js';

/**
 * With POS_AFTER_UNKNOWN=ask, looks up an order that may have arrived, before the order is sent or cancelled again (D19 to D21, C13). The
 * only state is in the recorded attempts, so any instance continues where another instance stopped or crashed.
 */
@Injectable()
export class ArrivalLookUp {
  constructor(
    private readonly jobs: JobStore,
    private readonly pos: PosClient,
    private readonly box: SecretBox,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
  ) {}

  /** Whether POS_AFTER_UNKNOWN is `ask`; the POS then has a look-up (S15). */
  get looksUp(): boolean {
    return this.config.pos.afterUnknown === 'ask';
  }

  /** Whether this order must be looked up before it is sent again (D19). @throws the database's error */
  async mustLookUp(job: ClaimedJob): Promise<boolean> {
    if (!this.looksUp || job.action !== 'CREATE' || job.untried || job.posBaseUrl !== null) return false;
    return (await this.jobs.tracesOf(job)).mayHaveArrived;
  }

  /**
   * Finds out whether the POS has the order of this job.
   * @param mayCall called before each call to the POS, also before a sign-in; false refuses the call
   * @returns what was found; `found: false` also if no attempt can have arrived; `not-looked-up`: `mayCall` refused a call
   * @throws the database's error
   */
  async find(job: ClaimedJob, mayCall: MayCall): Promise<Arrival | 'not-looked-up'> {
    // `untried` of a CANCEL job says nothing here: the attempts of the CREATE job decide
    if (!this.looksUp || (job.action === 'CREATE' && job.untried)) return { found: false };
    const traces = await this.jobs.tracesOf(job);
    if (!traces.mayHaveArrived) return { found: false };
    const order = referenceOf(job);
    const target = posTarget(job, this.config, this.box);
    if ('missing' in order) return { found: null, outcome: notLookedUp(order.cause, order.missing) };
    if ('missing' in target) return { found: null, outcome: notLookedUp(target.cause, target.missing) };
    const call = await this.pos.lookUp(target, order, mayCall, this.tracing.callsOf(job));
    if (call.step === 'not-begun') return 'not-looked-up';
    if (call.step === 'sign-in') {
      const why = `POS sign-in failed: ${answerLine(call.answer)}`;
      return { found: null, outcome: notLookedUp(causeOfSignIn(call.answer), why, call.answer) };
    }
    this.metrics.lookups.inc({ result: call.sighting.replace('-', '_') });
    return arrivalOf(call.answer, call.sighting, traces, this.config.pos.lookupSettleMs);
  }
}
