import { HttpStatus, Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config.js';
import {
  amountMismatch,
  isTestMode,
  paidOf,
  readTransaction,
  shapeProblems,
  storablePayload,
  storedKey,
  type Transaction,
} from '../domain/transaction.js';
import { Log } from '../log.js';
import { Metrics } from '../metrics.js';
import { JobStore, type NewEvent } from '../outbox/job-store.js';
import { OutboxSchedule } from '../outbox/schedule.js';
import { problem } from '../problem.js';
import { RestaurantFinder } from './restaurant-finder.js';

export interface Accepted {
  readonly success: true;
  readonly jobId: string;
}

/** In test mode two keys of one millisecond could collide with a stored one; the suffix then moves on by one. */
const MAX_SUFFIX_STEPS = 10;

/** RECEIVE and STORE: checks a transaction, finds its restaurant, writes event and job at once, and only then says yes. */
@Injectable()
export class IntakeService {
  constructor(
    private readonly restaurants: RestaurantFinder,
    private readonly jobs: JobStore,
    private readonly schedule: OutboxSchedule,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** @throws 400 INVALID_TRANSACTION, NO_OWNER_LINK, UNKNOWN_STORE, DUPLICATE_TRANSACTION */
  async receive(principal: Principal, body: unknown, requestId: string): Promise<Accepted> {
    const startedAt = performance.now();
    const problems = shapeProblems(body);
    if (problems.length > 0) throw problem(HttpStatus.BAD_REQUEST, 'INVALID_TRANSACTION', problems);
    const payload = storablePayload(body as Record<string, unknown>);
    const transaction = readTransaction(payload);
    const restaurantId = await this.restaurants.find(principal, transaction);
    const testMode = isTestMode(transaction, this.config.terminalTestStoreCode);
    const event = { ...eventOf(transaction, payload), testMode, restaurantId };
    const { jobId, duplicate } = testMode ? await this.storeTest(event, transaction) : await this.store(event);
    const unreadableDate = transaction.transactionDate === null && payload.transactionDate != null;
    this.log[unreadableDate ? 'warn' : 'info']({
      event: 'webhook.accepted',
      job: jobId,
      eventKey: transaction.transactionKey,
      restaurantId,
      sender: principal.kind,
      testMode,
      duplicate,
      unreadableDate,
      amountMismatchCents: event.amountMismatchCents?.toString(),
      requestId,
      ms: Math.round(performance.now() - startedAt),
    });
    this.metrics.webhooks.inc({ result: duplicate ? 'duplicate' : testMode ? 'test' : 'stored' });
    if (!duplicate) this.schedule.wake();
    return { success: true, jobId };
  }

  private async store(event: NewEvent): Promise<{ jobId: string; duplicate: false }> {
    const jobId = await this.jobs.enqueue(event);
    if (jobId) return { jobId, duplicate: false };
    throw problem(
      HttpStatus.BAD_REQUEST,
      'DUPLICATE_TRANSACTION',
      'transactionKey: this transaction was received before; it is not registered twice',
    );
  }

  /** Seed, webhook rule 3: the key gets a suffix, and a duplicate is ignored with the first one's answer. */
  private async storeTest(event: NewEvent, transaction: Transaction): Promise<{ jobId: string; duplicate: boolean }> {
    const receivedAt = Date.now();
    for (let step = 0; step < MAX_SUFFIX_STEPS; step++) {
      const jobId = await this.jobs.enqueue({
        ...event,
        transactionKey: storedKey(transaction, true, receivedAt + step),
      });
      if (jobId) return { jobId, duplicate: false };
      const first = await this.jobs.findTestJob(event.restaurantId, event.sourceKey);
      if (first) return { jobId: first, duplicate: true };
    }
    throw new Error('no free key for a test transaction');
  }
}

function eventOf(
  transaction: Transaction,
  payload: Record<string, unknown>,
): Omit<NewEvent, 'testMode' | 'restaurantId'> {
  const paid = paidOf(transaction);
  return {
    transactionKey: transaction.transactionKey,
    sourceKey: transaction.transactionKey,
    storeCode: transaction.storeCode,
    transactionNumber: transaction.transactionNumber,
    transactionDate: transaction.transactionDate,
    amountMismatchCents: amountMismatch(transaction, paid),
    paidCents: paid?.total ?? 0n,
    paidByTender: paid?.byTender ?? {},
    payload,
  };
}
