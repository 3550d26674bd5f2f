import { HttpException, HttpStatus, Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import {
  amountMismatch,
  isTestMode,
  type Paid,
  paidOf,
  parseTransaction,
  storedKey,
  type Transaction,
} from '../domain/transaction.js';
import type { Warning } from '../domain/warnings.js';
import { problem, problemOfJob } from '../http/problem.js';
import { JobStore } from '../outbox/job-store.js';
import { OrderMapper } from '../outbox/order-mapper.js';
import type { Enqueued, NewEvent } from '../outbox/store/enqueue.js';
import { Worker } from '../outbox/worker.js';
import { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import type { Sender } from './authentication/sender.js';
import { type FoundRestaurant, RestaurantFinder } from './restaurant-finder.js';

/** In test mode the stored key with its suffix may exist already; then the suffix is increased by 1 ms, this often. */
const MAX_SUFFIX_STEPS = 10;

/** How often a sale is placed anew whose sender or restaurant changes while it is stored. */
const MAX_TRIES = 3;

type Store = (event: NewEvent) => Promise<Enqueued>;
type Stored = { readonly jobId: string; readonly duplicate: boolean } | 'changed';

/** A sale that was stored, or a duplicate of one. */
interface Placed {
  readonly event: NewEvent;
  readonly found: readonly Warning[];
  readonly jobId: string;
  readonly duplicate: boolean;
}

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
   * @throws 400 INVALID_TRANSACTION, NO_OWNER_LINK, UNKNOWN_STORE, DUPLICATE_TRANSACTION; 401 when the sender was remembered and
   * may no longer send
   */
  async receive(sender: Sender, body: unknown, requestId: string): Promise<Receipt> {
    const startedAt = performance.now();
    const parsed = parseTransaction(body);
    if ('problems' in parsed) {
      await this.renewed(sender);
      throw problem(HttpStatus.BAD_REQUEST, 'INVALID_TRANSACTION', parsed.problems);
    }
    const { found, event, jobId, duplicate } = await this.place(sender, parsed.transaction, parsed.payload);
    const { transactionKey: eventKey } = parsed.transaction;
    const { restaurantId, testMode, warnings } = event;
    const kinds = [...new Set(found.map(({ kind }) => kind))];
    this.log[kinds.length > 0 ? 'warn' : 'info']({
      event: 'webhook.accepted',
      job: jobId,
      eventKey,
      restaurantId,
      sender: sender.kind,
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

  /**
   * Finds the restaurant and stores the sale for it. What is remembered of sender and restaurant comes first; when it leads to a
   * refusal, or the database no longer agrees with it, the database is asked (W28).
   */
  private async place(sender: Sender, transaction: Transaction, payload: NewEvent['payload']): Promise<Placed> {
    const remembered = await this.tryToPlace(sender, transaction, payload, true);
    if (remembered) return remembered;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const placed = await this.tryToPlace(await this.renewed(sender), transaction, payload, false);
      if (placed) return placed;
    }
    throw new Error('sender or restaurant changed at every try');
  }

  /** @returns undefined when what was read of sender and restaurant does not hold, or was only remembered and leads nowhere */
  private async tryToPlace(
    sender: Sender,
    transaction: Transaction,
    payload: NewEvent['payload'],
    fromMemory: boolean,
  ): Promise<Placed | undefined> {
    let restaurant: FoundRestaurant;
    try {
      restaurant = await this.restaurants.find(sender, transaction, fromMemory);
    } catch (error) {
      if (fromMemory && sender.kind === 'user' && error instanceof HttpException) return undefined;
      throw error;
    }
    const { id: restaurantId, codeStorePos, premise } = restaurant;
    const paid = paidOf(transaction);
    const found = this.mapper.warningsOf(transaction, payload, { codeStorePos, paid });
    const warnings = found.map(({ text }) => text);
    const testMode = isTestMode(transaction, this.config.terminalTestStoreCode);
    const event = { ...eventOf(transaction, payload, paid), testMode, restaurantId, warnings, premise };
    const store = (row: NewEvent) => (fromMemory ? this.jobs.enqueue(row) : this.jobs.enqueuePatiently(row));
    const stored = testMode ? await this.storeTest(event, transaction, store) : await this.store(event, store);
    return stored === 'changed' ? undefined : { found, event, ...stored };
  }

  /** The sender as the database has it. @throws 401 when the user may no longer send */
  private async renewed(sender: Sender): Promise<Sender> {
    return sender.kind === 'user' && sender.renew ? sender.renew() : sender;
  }

  /** W20: a duplicate is refused with the job that it was stored as, so that a sender who lost the answer knows it is safe. */
  private async store(event: NewEvent, store: Store): Promise<Stored> {
    const stored = await store(event);
    if (stored === 'changed') return stored;
    if (stored !== 'duplicate') return { ...stored, duplicate: false };
    throw problemOfJob(
      HttpStatus.BAD_REQUEST,
      'DUPLICATE_TRANSACTION',
      'transactionKey: this transaction was received before; it is not registered twice',
      await this.jobs.findJob(event.restaurantId, event.transactionKey),
    );
  }

  /** W22, W23: stores the event under its key with a suffix; a duplicate gets the id of the first job. */
  private async storeTest(event: NewEvent, transaction: Transaction, store: Store): Promise<Stored> {
    const receivedAt = Date.now();
    for (let step = 0; step < MAX_SUFFIX_STEPS; step++) {
      const stored = await store({ ...event, transactionKey: storedKey(transaction, true, receivedAt + step) });
      if (stored === 'changed') return stored;
      if (stored !== 'duplicate') return { ...stored, duplicate: false };
      const first = await this.jobs.findTestJob(event.restaurantId, event.sourceKey);
      if (first) return { jobId: first, duplicate: true };
    }
    throw new Error('no free key for a test transaction');
  }
}

function eventOf(
  transaction: Transaction,
  payload: Record<string, unknown>,
  paid: Paid | null,
): Omit<NewEvent, 'testMode' | 'restaurantId' | 'warnings' | 'premise'> {
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
