import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { REFUSAL_REASONS } from '../../domain/refusal-reason.js';
import { WARNING_KINDS } from '../../domain/warnings.js';

const DELIVERY_BUCKETS_SECONDS = [0.1, 0.5, 1, 5, 20, 30, 60, 300, 900, 3_600, 14_400, 86_400];
const ATTEMPT_BUCKETS_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * The Prometheus counters and histograms of this process, from its start. Label values are a small fixed set, never a
 * restaurant, key or error text, so that the number of series stays bounded.
 */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  readonly registry = new Registry();

  readonly webhooks = this.counter('relay_webhooks_total', 'Webhooks accepted, by result', ['result']);
  readonly webhookWarnings = this.counter('relay_webhook_warnings_total', 'Warnings in answers to webhooks, by kind', [
    'kind',
  ]);
  readonly refusals = this.counter(
    'relay_unauthenticated_total',
    'Refusals of senders that are not authenticated, by when',
    ['result'],
  );
  readonly keyRefusals = this.counter('relay_key_refusals_total', 'Refused requests that name a known key, by reason', [
    'reason',
  ]);
  readonly attempts = this.counter('relay_attempts_total', 'Attempts settled, by the state the job got', ['outcome']);
  readonly parked = this.counter('relay_parked_total', 'Jobs that entered DLQ', []);
  readonly expiredLeases = this.counter('relay_expired_leases_total', 'Jobs the reaper returned', []);
  readonly lostClaims = this.counter('relay_lost_locks_total', 'Attempts that ended after their claim was lost', []);
  readonly signIns = this.counter('relay_pos_sign_ins_total', 'Sign-ins at the POS, by result', ['result']);
  readonly lookups = this.counter('relay_pos_lookups_total', 'Questions for orders that may have arrived, by answer', [
    'result',
  ]);
  readonly traceSpans = this.counter('relay_trace_spans_total', 'Spans of traces, by what became of them', ['result']);
  readonly attemptSeconds = new Histogram({
    name: 'relay_attempt_duration_seconds',
    help: 'Duration of an attempt',
    buckets: ATTEMPT_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  readonly deliverySeconds = new Histogram({
    name: 'relay_delivery_duration_seconds',
    help: 'From the receipt of a transaction to SENT',
    buckets: DELIVERY_BUCKETS_SECONDS,
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // creates every series at 0: Prometheus does not see the first increase of a new series
    for (const result of ['stored', 'test', 'duplicate']) this.webhooks.inc({ result }, 0);
    for (const result of ['at_once', 'delayed']) this.refusals.inc({ result }, 0);
    for (const reason of REFUSAL_REASONS) this.keyRefusals.inc({ reason }, 0);
    for (const kind of WARNING_KINDS) this.webhookWarnings.inc({ kind }, 0);
    for (const outcome of ['SENT', 'FAILED', 'DLQ']) this.attempts.inc({ outcome }, 0);
    for (const result of ['found', 'not_found', 'in_progress', 'unclear']) this.lookups.inc({ result }, 0);
    for (const result of ['exported', 'dropped']) this.traceSpans.inc({ result }, 0);
    for (const result of ['granted', 'refused', 'unanswered']) this.signIns.inc({ result }, 0);
  }

  onApplicationShutdown(): void {
    this.registry.clear();
  }

  private counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}
