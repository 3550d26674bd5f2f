import { HttpException, HttpStatus, Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { NotWrittenError } from '../database/row-queue.js';
import type { Sale } from '../domain/sale.js';
import { firstCharacters } from '../domain/text.js';
import { isTestMode, MAX_NUMBER_LENGTH, storedKey, type Transaction } from '../domain/transaction.js';
import { NO_CODE_STORE_POS, type Warning } from '../domain/warnings.js';
import { problem, problemOfJob } from '../http/problem.js';
import { JobStore } from '../outbox/job-store.js';
import { OrderMapper } from '../outbox/order-mapper.js';
import type { Enqueued, NewEvent } from '../outbox/store/enqueue.js';
import { Worker } from '../outbox/worker.js';
import { Log } from '../telemetry/log.js';
import { Metrics } from '../telemetry/metrics.js';
import type { Sender } from './authentication/sender.js';
import { type FoundRestaurant, RestaurantFinder } from './restaurant-finder.js';

/** In test mode, how often the suffix of a key that exists is increased by 1 ms. */
const MAX_SUFFIX_STEPS = 10;

/** The most retries of a sale whose cached sender or restaurant had changed, or whose restaurant was locked, when it was to be stored. */
const MAX_TRIES = 3;

type Store = (event: NewEvent) => Promise<Enqueued>;
/** Why a sale was not stored. */
type Failed = Extract<Enqueued, 'changed' | 'locked'>;
type Stored = { readonly jobId: string; readonly duplicate: boolean } | Failed;

/** A sale that was stored, or a duplicate of a stored sale. */
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
   * @param unwanted aborts when the client has disconnected or the time is up (W30)
   * @returns the id of the job, or of the first job for a duplicate in test mode (W23), and the warnings (W26)
   * @throws 400 INVALID_TRANSACTION, NO_OWNER_LINK, UNKNOWN_STORE, DUPLICATE_TRANSACTION; 401 when a cached sender may no longer
   * send; NotWrittenError when too many sales wait (backpressure), or their restaurant is locked
   */
  async receive(sender: Sender, body: unknown, requestId: string, unwanted?: AbortSignal): Promise<Receipt> {
    const startedAt = performance.now();
    const parsed = this.mapper.parse(body);
    if ('problems' in parsed) {
      await this.renewed(sender);
      throw problem(HttpStatus.BAD_REQUEST, 'INVALID_TRANSACTION', parsed.problems);
    }
    const { found, event, jobId, duplicate } = await this.place(sender, parsed, unwanted);
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
   * Finds the restaurant and stores the sale. The first try may use a cached sender and a cached restaurant; the statement that stores the
   * sale checks the cached values again. If a cached sender would be refused, or the statement finds that sender or restaurant has changed,
   * the next try reads both from the database (W28). A sale of a locked restaurant waits for the lock (W31).
   */
  private async place(sender: Sender, sale: Sale, unwanted: AbortSignal | undefined): Promise<Placed> {
    const batched: Store = (event) => this.jobs.enqueue(event, unwanted);
    const patiently: Store = (event) => this.jobs.enqueuePatiently(event, unwanted);
    let placed = await this.tryToPlace(sender, sale, true, batched);
    for (let tries = 0; typeof placed === 'string' && tries < MAX_TRIES; tries++) {
      const store: Store = placed === 'locked' ? patiently : batched;
      placed = await this.tryToPlace(await this.renewed(sender), sale, false, store);
    }
    if (typeof placed === 'string') throw new NotWrittenError('sender or restaurant changed at every try');
    return placed;
  }

  /**
   * @param fromMemory whether sender and restaurant may be cached
   * @returns `changed` when the statement finds that sender or restaurant has changed, or when a cached sender has no restaurant that fits
   */
  private async tryToPlace(sender: Sender, sale: Sale, fromMemory: boolean, store: Store): Promise<Placed | Failed> {
    const { transaction } = sale;
    let restaurant: FoundRestaurant;
    try {
      restaurant = await this.restaurants.find(sender, transaction, fromMemory);
    } catch (error) {
      if (fromMemory && sender.kind === 'user' && error instanceof HttpException) return 'changed';
      throw error;
    }
    const { id: restaurantId, codeStorePos, premise } = restaurant;
    const found = codeStorePos ? sale.warnings : [...sale.warnings, NO_CODE_STORE_POS];
    const warnings = found.map(({ text }) => text);
    const testMode = isTestMode(transaction, this.config.terminalTestStoreCode);
    const event = { ...eventOf(sale), testMode, restaurantId, warnings, premise };
    const stored = testMode ? await this.storeTest(event, transaction, store) : await this.store(event, store);
    return typeof stored === 'string' ? stored : { found, event, ...stored };
  }

  /** The sender; one that may be cached is first authenticated again without the cache. @throws 401 when the user may no longer send */
  private async renewed(sender: Sender): Promise<Sender> {
    return sender.kind === 'user' && sender.renew ? sender.renew() : sender;
  }

  /**
   * W20: stores the event. A duplicate is refused with the id of the job that exists, so that a sender who lost the first answer learns
   * that the sale is stored.
   */
  private async store(event: NewEvent, store: Store): Promise<Stored> {
    const stored = await store(event);
    if (stored !== 'duplicate') return typeof stored === 'string' ? stored : { ...stored, duplicate: false };
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
      if (stored !== 'duplicate') return typeof stored === 'string' ? stored : { ...stored, duplicate: false };
      const first = await this.jobs.findTestJob(event.restaurantId, event.sourceKey);
      if (first) return { jobId: first, duplicate: true };
    }
    throw new Error('no free key for a test transaction');
  }
}

function eventOf(sale: Sale): Omit<NewEvent, 'testMode' | 'restaurantId' | 'warnings' | 'premise'> {
  const { transaction, payload, paid, mismatchCents } = sale;
  const { transactionNumber } = transaction;
  return {
    transactionKey: transaction.transactionKey,
    sourceKey: transaction.transactionKey,
    storeCode: transaction.storeCode,
    transactionNumber: transactionNumber && firstCharacters(transactionNumber, MAX_NUMBER_LENGTH),
    transactionDate: transaction.transactionDate,
    amountMismatchCents: mismatchCents,
    paidCents: paid?.total ?? 0n,
    paidByTender: paid?.byTender ?? {},
    payload,
  };
}
