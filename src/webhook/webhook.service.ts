import { HttpStatus, Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config/config.js';
import {
  amountMismatch,
  isTestMode,
  paidOf,
  parseTransaction,
  storedKey,
  type Transaction,
} from '../domain/transaction.js';
import { problem, problemOfJob } from '../http/problem.js';
import { JobStore } from '../outbox/job-store.js';
import { OrderMapper } from '../outbox/order-mapper.js';
import type { NewEvent } from '../outbox/store/enqueue.js';
import { Worker } from '../outbox/worker.js';
import { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import { RestaurantFinder, unknownStore } from './restaurant-finder.js';

/** In test mode the stored key with its suffix may exist already; then the suffix is increased by 1 ms, this often. */
const MAX_SUFFIX_STEPS = 10;

/** What the answer to an accepted transaction says. */
export interface Receipt {
  readonly jobId: string;
  /** `field: what is wrong with it` */
  readonly warnings: readonly string[];
}

/** Receive and store (W): validates a transaction, finds its restaurant, and writes event and job in one statement. */
@Injectable()
export class WebhookService {
  constructor(
    private readonly restaurants: RestaurantFinder,
    private readonly jobs: JobStore,
    private readonly mapper: OrderMapper,
    private readonly worker: Worker,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /**
   * Stores the transaction of a webhook's body together with its CREATE job, and wakes the worker.
   * @param body the parsed JSON body, of any shape
   * @param requestId the X-Request-Id, for the log
   * @returns the job's id, of a duplicate in test mode that of the first job (W23), and what will be parked or looks wrong (W26)
   * @throws 400 INVALID_TRANSACTION, NO_OWNER_LINK, UNKNOWN_STORE, DUPLICATE_TRANSACTION
   */
  async receive(principal: Principal, body: unknown, requestId: string): Promise<Receipt> {
    const startedAt = performance.now();
    const parsed = parseTransaction(body);
    if ('problems' in parsed) throw problem(HttpStatus.BAD_REQUEST, 'INVALID_TRANSACTION', parsed.problems);
    const { transaction, payload } = parsed;
    const { id: restaurantId, codeStorePos } = await this.restaurants.find(principal, transaction);
    const found = this.mapper.warningsOf(transaction, payload, codeStorePos);
    const warnings = found.map(({ text }) => text);
    const testMode = isTestMode(transaction, this.config.terminalTestStoreCode);
    const event = { ...eventOf(transaction, payload), testMode, restaurantId, warnings };
    const { jobId, duplicate } = testMode ? await this.storeTest(event, transaction) : await this.store(event);
    const kinds = [...new Set(found.map(({ kind }) => kind))];
    this.log[kinds.length > 0 ? 'warn' : 'info']({
      event: 'webhook.accepted',
      job: jobId,
      eventKey: transaction.transactionKey,
      restaurantId,
      sender: principal.kind,
      testMode,
      duplicate,
      warnings: kinds,
      amountMismatchCents: event.amountMismatchCents?.toString(),
      requestId,
      ms: Math.round(performance.now() - startedAt),
    });
    this.metrics.webhooks.inc({ result: duplicate ? 'duplicate' : testMode ? 'test' : 'stored' });
    if (duplicate) return { jobId, warnings };
    for (const { kind } of found) this.metrics.webhookWarnings.inc({ kind });
    this.worker.wake();
    return { jobId, warnings };
  }

  /** W20: a duplicate is refused with the job that it was stored as, so that a sender who lost the answer knows it is safe. */
  private async store(event: NewEvent): Promise<{ jobId: string; duplicate: false }> {
    const stored = await this.jobs.enqueue(event);
    if (stored === 'restaurant-gone') throw restaurantGone();
    if (stored !== 'duplicate') return { ...stored, duplicate: false };
    throw problemOfJob(
      HttpStatus.BAD_REQUEST,
      'DUPLICATE_TRANSACTION',
      'transactionKey: this transaction was received before; it is not registered twice',
      await this.jobs.findJob(event.restaurantId, event.transactionKey),
    );
  }

  /** W22, W23: stores the event under its key with a suffix; a duplicate gets the id of the first job. */
  private async storeTest(event: NewEvent, transaction: Transaction): Promise<{ jobId: string; duplicate: boolean }> {
    const receivedAt = Date.now();
    for (let step = 0; step < MAX_SUFFIX_STEPS; step++) {
      const stored = await this.jobs.enqueue({
        ...event,
        transactionKey: storedKey(transaction, true, receivedAt + step),
      });
      if (stored === 'restaurant-gone') throw restaurantGone();
      if (stored !== 'duplicate') return { ...stored, duplicate: false };
      const first = await this.jobs.findTestJob(event.restaurantId, event.sourceKey);
      if (first) return { jobId: first, duplicate: true };
    }
    throw new Error('no free key for a test transaction');
  }
}

/** The restaurant was found, and deleted before the transaction was stored (A21). */
function restaurantGone() {
  return unknownStore('the restaurant of this transaction was deleted');
}

function eventOf(
  transaction: Transaction,
  payload: Record<string, unknown>,
): Omit<NewEvent, 'testMode' | 'restaurantId' | 'warnings'> {
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
