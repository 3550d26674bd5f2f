import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { type Arrival, arrivalOf, notLookedUp } from '../domain/lookup.js';
import { answerLine } from '../domain/outcome.js';
import { type MayCall, PosClient } from '../pos/client.js';
import { posTarget } from '../pos/target.js';
import { SecretBox } from '../secrets/secret-box.js';
import { Metrics } from '../telemetry/metrics.js';
import { JobStore } from './job-store.js';
import { referenceOf } from './order-mapper.js';
import type { LockedJob } from './store/lock.js';

/**
 * Asks the POS for an order that may have arrived, before it is sent or cancelled again, where POS_AFTER_UNKNOWN is `ask` (D19
 * to D21, C13). What it goes by stands in the attempts: any instance, and one after a crash, continues where another ended.
 */
@Injectable()
export class Resolver {
  constructor(
    private readonly jobs: JobStore,
    private readonly pos: PosClient,
    private readonly box: SecretBox,
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  /** Whether the POS is asked for orders that may have arrived. */
  get looksUp(): boolean {
    return this.config.pos.afterUnknown === 'ask';
  }

  /** Whether this is an order that the POS must be asked for before it is sent again (D19). @throws the database's error */
  async mustLookUp(job: LockedJob): Promise<boolean> {
    if (!this.looksUp || job.action !== 'CREATE' || job.untried) return false;
    return (await this.jobs.tracesOf(job)).mayHaveArrived;
  }

  /**
   * Whether the POS has the order of this job.
   * @param mayCall asked before each call to the POS, the sign-in too; false refuses it
   * @returns what was found; `found: false` too when nothing of it may have arrived; `not-looked-up`: `mayCall` refused a call
   * @throws the database's error
   */
  async find(job: LockedJob, mayCall: MayCall): Promise<Arrival | 'not-looked-up'> {
    // a CANCEL has attempts of its own, and speaks of those of its order
    if (!this.looksUp || (job.action === 'CREATE' && job.untried)) return { found: false };
    const traces = await this.jobs.tracesOf(job);
    if (!traces.mayHaveArrived) return { found: false };
    const order = referenceOf(job);
    const target = posTarget(job, this.config, this.box);
    if ('missing' in order) return { found: null, outcome: notLookedUp(order.missing) };
    if ('missing' in target) return { found: null, outcome: notLookedUp(target.missing) };
    const call = await this.pos.lookUp(target, order, mayCall);
    if (call.step === 'not-begun') return 'not-looked-up';
    if (call.step === 'sign-in')
      return { found: null, outcome: notLookedUp(`POS sign-in failed: ${answerLine(call.answer)}`, call.answer) };
    this.metrics.lookups.inc({ result: call.sighting.replace('-', '_') });
    return arrivalOf(call.answer, call.sighting, traces, this.config.pos.lookupSettleMs);
  }
}
