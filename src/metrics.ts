import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** From a webhook's milliseconds to the last step of the ladder, in seconds. */
const DELIVERY_BUCKETS = [0.1, 0.5, 1, 5, 20, 30, 60, 300, 900, 3_600, 14_400, 86_400];
const CALL_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What this instance has counted since it started. Labels are few and fixed: no restaurant, no key, no error text. */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  readonly registry = new Registry();

  readonly webhooks = this.counter('relay_webhooks_total', 'Webhooks accepted, by result', ['result']);
  readonly attempts = this.counter('relay_attempts_total', 'Attempts settled, by the state the job got', ['outcome']);
  readonly parked = this.counter('relay_parked_total', 'Jobs that entered DLQ', []);
  readonly expiredLeases = this.counter('relay_expired_leases_total', 'Jobs the reaper returned', []);
  readonly lostLocks = this.counter('relay_lost_locks_total', 'Settlings that came after the lock was lost', []);
  readonly signIns = this.counter('relay_pos_sign_ins_total', 'Sign-ins at the POS, by result', ['result']);
  readonly attemptSeconds = new Histogram({
    name: 'relay_attempt_duration_seconds',
    help: 'Duration of an attempt',
    buckets: CALL_BUCKETS,
    registers: [this.registry],
  });
  readonly deliverySeconds = new Histogram({
    name: 'relay_delivery_duration_seconds',
    help: 'From the receipt of a transaction to SENT',
    buckets: DELIVERY_BUCKETS,
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    // a series that appears with its first increase hides that increase from Prometheus
    for (const result of ['stored', 'test', 'duplicate']) this.webhooks.inc({ result }, 0);
    for (const outcome of ['SENT', 'FAILED', 'DLQ']) this.attempts.inc({ outcome }, 0);
    for (const result of ['granted', 'refused', 'unanswered']) this.signIns.inc({ result }, 0);
  }

  onApplicationShutdown(): void {
    this.registry.clear();
  }

  private counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}
