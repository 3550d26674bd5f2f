import { Injectable } from '@nestjs/common';
import { LastUsed } from '../auth/sender-keys/last-used.js';
import { currencyOf, otherCurrency } from '../domain/currency.js';
import type { Sale } from '../domain/sale.js';
import type { Trace } from '../domain/trace.js';
import { isTestMode, storedKey, type Transaction } from '../domain/transaction.js';
import { DEFAULT_ITEM, FOREIGN_STORE, NO_CODE_STORE_POS, REUSED_TEST_KEY, type Warning } from '../domain/warnings.js';
import { Intake } from '../outbox/intake.js';
import { JobStore } from '../outbox/job-store.js';
import { OrderMapper } from '../outbox/order-mapper.js';
import type { StoredSale } from '../outbox/store/enqueue.js';
import type { Place } from '../outbox/store/place.js';
import { Config } from '../platform/config/config.js';
import { NotWrittenError } from '../platform/database/batch/row-queue.js';
import { problem } from '../platform/http/problem.js';
import { Log } from '../platform/telemetry/log.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { Tracing } from '../platform/tracing/tracing.js';
import { KeyAuthentication } from './authentication/key.authentication.js';
import type { Sender } from './authentication/sender.js';
import { SALE_CODES } from './error-codes.js';
import { Placement } from './placement.js';
import { Repeats } from './repeats.js';

/** In test mode, how often the suffix of a key that exists is increased by 1 ms. */
const MAX_SUFFIX_STEPS = 10;

/** The most statements for a sale whose restaurant changes while it is placed. */
const MAX_TRIES = 3;

type Store = (place: Place) => Promise<Stored | undefined>;

/** A sale that was stored, or the job of the first sale with its key in test mode. */
type Stored = Omit<StoredSale, 'result' | 'claimed' | 'eventKey'> &
  (
    | { readonly result: 'stored'; readonly eventKey: string }
    | { readonly result: 'duplicate'; readonly trace: Trace | undefined; readonly differs: boolean }
  );

/** What the answer to an accepted transaction says. */
export interface Receipt {
  readonly jobId: string;
  /** of the stored sale (X3) */
  readonly traceId: string;
  /** `field: what is wrong with it` */
  readonly warnings: readonly string[];
}

/** What was read of a body: a sale, or the problems of a body that is refused. */
type ReadBody = ReturnType<OrderMapper['parse']>;

/** The request of a transaction. */
export interface Received {
  /** the X-Request-Id, for the log */
  readonly id: string;
  readonly trace: Trace;
  /** when it arrived, by performance.now(), ms */
  readonly startedAt: number;
  /** the sender as it is now. @throws 401 UNAUTHENTICATED when what allows its sale has ended (A40) */
  readonly current: () => Promise<Sender>;
}

/** Receive and store (W): validates a transaction, places it, and writes event and job in one statement. */
@Injectable()
export class WebhookService {
  constructor(
    private readonly placement: Placement,
    private readonly intake: Intake,
    private readonly jobs: JobStore,
    private readonly repeats: Repeats,
    private readonly mapper: OrderMapper,
    private readonly keys: KeyAuthentication,
    private readonly lastUsed: LastUsed,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
    private readonly log: Log,
  ) {}

  /**
   * Checks and reads a webhook's body (W12), at once: it is the work of a turn (W50).
   * @param body the parsed JSON body, of any shape
   */
  read(body: unknown): ReadBody {
    return this.mapper.parse(body);
  }

  /**
   * Stores the transaction of a webhook's body together with its CREATE job.
   * @param sale what {@link read} has read
   * @param unwanted aborts when the client has disconnected or the time is up (W30)
   * @returns the id of the job, or of the first job for a duplicate in test mode (W23), and the warnings (W26)
   * @throws 400 INVALID_TRANSACTION, NO_OWNER_LINK, UNKNOWN_STORE, DUPLICATE_TRANSACTION, TRANSACTION_KEY_REUSED; 401 UNAUTHENTICATED or 403
   * MISSING_SCOPE for a sender key; NotWrittenError when too many sales wait
   * (backpressure), or their restaurant is locked
   */
  async receive(sender: Sender, sale: ReadBody, request: Received, unwanted?: AbortSignal): Promise<Receipt> {
    const startedAt = performance.now();
    if ('problems' in sale) {
      if (sender.kind === 'key') await this.keys.confirm(sender.key);
      throw problem(SALE_CODES.INVALID_TRANSACTION, sale.problems);
    }
    const testMode = isTestMode(sale.transaction, this.config.terminalTestStoreCode);
    const { trace } = request;
    const store: Store = (place) =>
      testMode ? this.storeTest(sale, place, trace, unwanted) : this.store(sale, place, trace, unwanted);
    const storingAt = performance.now();
    const stored = await this.placeAndStore(sender, request.current, sale.transaction, store);
    const { jobId, restaurantId } = stored;
    if (sender.kind === 'key') this.lastUsed.note(sender.key.id, stored.isForeign);
    // a test sale that stops is no loss
    if (sender.kind === 'user' && !testMode) this.lastUsed.notePerson(sender.owner.id, restaurantId, sender.by);
    const duplicate = stored.result === 'duplicate';
    const traceId = ((stored.result === 'duplicate' && stored.trace) || trace).id;
    if (stored.result === 'stored') {
      const { startedAt } = request;
      this.tracing.stored({ trace, jobId, restaurantId, eventKey: stored.eventKey, startedAt, storingAt });
    }
    const { knownTenders } = stored;
    const ofSale = knownTenders ? sale.warnings.filter(({ text }) => !knownTenders.includes(text)) : sale.warnings;
    const warnings = [...ofSale, ...ofRestaurant(sale, stored), ...ofFirst(stored)];
    const kinds = [...new Set(warnings.map(({ kind }) => kind))];
    this.log[kinds.length > 0 ? 'warn' : 'info']({
      event: 'webhook.accepted',
      job: jobId,
      eventKey: sale.transaction.transactionKey,
      restaurantId,
      traceId,
      sender: sender.kind,
      key: sender.kind === 'key' ? sender.key.keyId : undefined,
      testMode,
      duplicate,
      warnings: kinds,
      amountMismatchCents: sale.mismatchCents?.toString(),
      requestId: request.id,
      ms: Math.round(performance.now() - startedAt),
    });
    this.count(duplicate ? 'duplicate' : testMode ? 'test' : 'stored', duplicate ? [] : warnings);
    return { jobId, traceId, warnings: warnings.map(({ text }) => text) };
  }

  private count(result: 'duplicate' | 'test' | 'stored', warnings: readonly Warning[]): void {
    this.metrics.webhooks.inc({ result });
    for (const { kind } of warnings) this.metrics.webhookWarnings.inc({ kind });
  }

  /**
   * Stores a sale at its place. If no restaurant is there, reads why, and tries again if sender or restaurant has changed meanwhile, or the
   * sale has waited for its restaurant.
   */
  private async placeAndStore(
    sender: Sender,
    current: Received['current'],
    transaction: Transaction,
    store: Store,
  ): Promise<Stored> {
    let place = await this.placement.place(sender, transaction);
    for (let tries = 1; ; tries++) {
      const stored = await store(place);
      if (stored) return stored;
      place = await this.placement.placeAgain(await current(), transaction);
      if (tries === MAX_TRIES) throw new NotWrittenError('sender or restaurant changed at every try');
    }
  }

  /**
   * W20: stores the event. A key that exists is refused ({@link Repeats.refusal}).
   * @returns undefined when the place leads to no restaurant
   */
  private async store(sale: Sale, place: Place, trace: Trace, unwanted?: AbortSignal): Promise<Stored | undefined> {
    const { transactionKey } = sale.transaction;
    const stored = await this.intake.store({ sale, place, transactionKey, testMode: false, trace }, unwanted);
    if (stored.result !== 'duplicate') return stored.result === 'stored' ? stored : undefined;
    throw await this.repeats.refusal(sale, stored.restaurantId, place.party, unwanted);
  }

  /** W22, W23: stores the event under its key with a suffix; a duplicate gets the id of the first job. */
  private async storeTest(sale: Sale, place: Place, trace: Trace, unwanted?: AbortSignal): Promise<Stored | undefined> {
    const { transaction } = sale;
    const receivedAt = Date.now();
    for (let step = 0; step < MAX_SUFFIX_STEPS; step++) {
      const transactionKey = storedKey(transaction, true, receivedAt + step);
      const stored = await this.intake.store({ sale, place, transactionKey, testMode: true, trace }, unwanted);
      if (stored.result !== 'duplicate') return stored.result === 'stored' ? stored : undefined;
      const { restaurantId } = stored;
      const first = await this.jobs.findTestJob(restaurantId, transaction.transactionKey);
      if (!first) continue;
      const differs = await this.repeats.differences(first, sale, place.party ?? restaurantId, unwanted);
      return { ...stored, jobId: first.jobId, trace: first.trace, differs: differs.length > 0 };
    }
    throw new Error('no free key for a test transaction');
  }
}

/** The warnings of a sale that depend on its restaurant (M13, W34), as the statement stores them. */
function ofRestaurant({ payload }: Sale, stored: Stored): readonly Warning[] {
  const { codeStorePos, pulls, posBaseUrl, currency, isForeign, hasDefaultItems, ofCatalogue } = stored;
  const own = currency === null ? null : currencyOf(payload);
  return [
    ...(codeStorePos || pulls || posBaseUrl ? [] : [NO_CODE_STORE_POS]),
    ...(own === null || own === currency ? [] : [otherCurrency(own)]),
    ...(isForeign ? [FOREIGN_STORE] : []),
    ...(hasDefaultItems ? [DEFAULT_ITEM] : []),
    ...ofCatalogue,
  ];
}

/** The warning of a test sale whose key another test sale had (W47). */
function ofFirst(stored: Stored): readonly Warning[] {
  return stored.result === 'duplicate' && stored.differs ? [REUSED_TEST_KEY] : [];
}
