import { Injectable } from '@nestjs/common';
import type { Answer } from '../domain/outcome.js';
import {
  cancelElsewhere,
  cancelStep,
  cannotBeMapped,
  isAuthenticationFailure,
  nothingToCancel,
  notSent,
  type Outcome,
  outcomeOf,
  outcomeOfCancel,
} from '../domain/outcome.js';
import { Config } from '../platform/config/config.js';
import { clientSecretContext } from '../platform/secrets/contexts.js';
import { SecretBox } from '../platform/secrets/secret-box.js';
import { Tracing } from '../platform/tracing/tracing.js';
import type { MayCall } from '../pos/client.js';
import { PushClient } from '../pos/push-client.js';
import type { PosWire } from '../pos/vendor.js';
import { merchantIdOf } from '../pos/vendors/open-delivery/document.js';
import { eventReceiver, newEvent } from '../pos/vendors/open-delivery/events.js';
import { JobStore } from './job-store.js';
import type { NoOutcome } from './no-outcome.js';
import { type MappedOrder, OrderMappers } from './order-mapper.js';
import { RestaurantCodes } from './restaurant-codes.js';
import { SLOW_MS } from './slow-calls.js';
import type { ClaimedJob } from './store/claim.js';
import type { OfferedJob } from './store/offer.js';

/** A claimed job of a restaurant whose POS gets events. */
export type PushedJob = ClaimedJob & { readonly posBaseUrl: string };

export function isPushed(job: ClaimedJob): job is PushedJob {
  return job.posBaseUrl !== null;
}

/** The answers that say that the POS has taken an event (Q19). */
const TAKEN: readonly number[] = [200, 204];

/** Makes one attempt of a claimed job by an event to its POS (Q19 to Q21), which then reads the order. */
@Injectable()
export class PushDelivery {
  private readonly receiver: PosWire;

  constructor(
    private readonly jobs: JobStore,
    private readonly mappers: OrderMappers,
    private readonly codes: RestaurantCodes,
    private readonly pos: PushClient,
    private readonly box: SecretBox,
    private readonly tracing: Tracing,
    private readonly config: Config,
  ) {
    this.receiver = eventReceiver(config.publicUrl);
  }

  /** The event CREATED: only of an order that can be read. @throws the database's error */
  async create(job: PushedJob, mayCall: MayCall): Promise<Outcome | NoOutcome> {
    const open = await this.jobs.pushedJob(job);
    if (!open) return 'release';
    const mapped = await this.map(job, open);
    if ('missing' in mapped) return notSent('retry', mapped.cause, mapped.missing);
    if ('unmappable' in mapped) return cannotBeMapped(mapped);
    const outcome = await this.send(job, open, mayCall);
    if (typeof outcome === 'string' || outcome.settling !== 'deliver') return outcome;
    return { ...outcome, sentBody: JSON.stringify(mapped.request.body), isUnheard: true };
  }

  /** The event CANCELLED, unless the POS cannot have the order, or another one has it (C3 to C7, Q30). @throws the database's error */
  async cancel(job: PushedJob, mayCall: MayCall): Promise<Outcome | NoOutcome> {
    const create = await this.jobs.withdrawCreate(job);
    const step = cancelStep(create);
    if (step === 'end') return nothingToCancel();
    if (step === 'elsewhere') return cancelElsewhere();
    const open = step === 'call' ? await this.jobs.pushedJob(job) : undefined;
    if (!open) return 'release';
    const outcome = await this.send(job, open, mayCall);
    return typeof outcome === 'string' ? outcome : outcomeOfCancel(outcome, create);
  }

  private async map(job: PushedJob, { orderId: jobId, currency }: OfferedJob): Promise<MappedOrder> {
    const { eventKey, payload, receivedAt, codeStorePos, restaurantId, restaurantName, testMode } = job;
    const codes = job.codesVersion > 0 ? await this.codes.of(job, payload) : undefined;
    const origin = { jobId, restaurantId, restaurantName, currency, testMode };
    return this.mappers.of('open-delivery').mapCreate({ eventKey, payload, receivedAt, codeStorePos, origin }, codes);
  }

  /**
   * Signed with the newest secret; a POS that refuses it may know only those before, which still work (Q20). After slow refusals the next attempt begins
   * with the next secret: a POS that takes its time to refuse each one would keep a slot several times as long as one that hangs (O43).
   */
  private async send(job: PushedJob, open: OfferedJob, mayCall: MayCall): Promise<Outcome | NoOutcome> {
    const secrets = await this.secretsOf(job);
    if (typeof secrets === 'string') return notSent('retry', 'no_credentials', secrets);
    const partnerId = merchantIdOf(job.codeStorePos ?? '', job.restaurantId);
    const request = newEvent(open, this.config.publicUrl);
    const begunAt = performance.now();
    let refusal: Answer | undefined;
    for (const secret of startingAt(secrets, job.attempt - 1)) {
      const target = { vendor: this.receiver, baseUrl: job.posBaseUrl, credentials: { partnerId, secret } };
      const call = await this.pos.send(target, request, mayCall, this.tracing.callsOf(job));
      if (call.step !== 'request') break;
      if (!isAuthenticationFailure(call.answer)) return outcomeOfEvent(call.answer);
      refusal ??= call.answer;
      if (performance.now() - begunAt >= SLOW_MS) break;
    }
    return refusal ? outcomeOfEvent(refusal) : 'not-begun';
  }

  /** @returns why there is none */
  private async secretsOf({ restaurantId }: PushedJob): Promise<readonly string[] | string> {
    const sealed = await this.jobs.clientSecrets(restaurantId);
    const secrets = sealed.flatMap(
      ({ credentialId, sealed }) => this.box.open(sealed, clientSecretContext(credentialId)) ?? [],
    );
    if (secrets.length > 0) return secrets;
    return sealed.length === 0
      ? 'no POS credentials that can sign an event: make credentials for the POS, or rotate those that it has'
      : "the secrets of the POS's credentials cannot be decrypted: SECRETS_KEY changed; rotate the credentials";
  }
}

/** The entries from a place on, and then those before it. @param place from 0; beyond the end it begins at the first again */
function startingAt<Entry>(entries: readonly Entry[], place: number): Entry[] {
  const at = place % entries.length;
  return [...entries.slice(at), ...entries.slice(0, at)];
}

function outcomeOfEvent(answer: Answer): Outcome {
  const isUnclear = answer.kind === 'answered' && answer.meaning === 'delivered' && !TAKEN.includes(answer.status);
  // another 2xx may be that of a proxy
  return isUnclear
    ? { ...outcomeOf({ ...answer, meaning: 'temporary' }, false), reach: 'UNKNOWN' }
    : outcomeOf(answer, false);
}
