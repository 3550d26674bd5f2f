import type { HttpException } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import type { Sale } from '../domain/sale.js';
import { type Compared, differencesFrom } from '../domain/same-sale.js';
import type { JsonObject } from '../domain/transaction.js';
import { JobStore } from '../outbox/job-store.js';
import type { FirstSale } from '../outbox/store/find-job.js';
import { problemOfJob } from '../platform/http/problem.js';
import { Log } from '../platform/telemetry/log.js';
import { SALE_CODES } from './error-codes.js';
import { RefusedSales } from './refused-sales/refused-sales.js';
import { SaleTurns } from './sale-turns.js';

const NEVER = new AbortController().signal;
const RECEIVED_BEFORE = 'transactionKey: this transaction was received before; it is not registered twice';

/** Sales whose key the restaurant has already: a repeat, or another sale under a used key (W20, W45). */
@Injectable()
export class Repeats {
  constructor(
    private readonly jobs: JobStore,
    private readonly refused: RefusedSales,
    private readonly turns: SaleTurns,
    private readonly log: Log,
  ) {}

  /**
   * Says why a sale is refused. Another sale is kept before it is refused (W46).
   * @param party by whom the sale takes turns with others; absent: by its restaurant
   * @returns 400 DUPLICATE_TRANSACTION with the job of the stored sale and the warnings of its answer, also when the stored sale has no content
   *   to compare; 400 TRANSACTION_KEY_REUSED
   * @throws the database's error; NotWrittenError when too many refused sales wait to be kept
   */
  async refusal(
    sale: Sale,
    restaurantId: string,
    party = restaurantId,
    unwanted?: AbortSignal,
  ): Promise<HttpException> {
    const { transactionKey } = sale.transaction;
    const first = await this.jobs.findFirstSale(restaurantId, transactionKey);
    const differs = first ? await this.differences(first, sale, party, unwanted) : [];
    if (differs.length === 0)
      return problemOfJob(SALE_CODES.DUPLICATE_TRANSACTION, RECEIVED_BEFORE, first?.jobId, first?.warnings);
    const kept = await this.refused.keep(restaurantId, sale, differs, unwanted);
    const job = first?.jobId;
    this.log.warn({ event: 'webhook.key_reused', job, eventKey: transactionKey, restaurantId, differs, kept });
    return problemOfJob(SALE_CODES.TRANSACTION_KEY_REUSED, reused(differs), job);
  }

  /**
   * What of a sale differs from the stored one of its key (W45). To read a stored sale of some size waits for a turn, however small its repeat is
   * (W50, W51).
   * @throws 503 TOO_MANY_AT_ONCE; ClientGoneError; the database's error
   */
  async differences(
    { jobId, content, isLarge }: Pick<FirstSale, 'jobId' | 'content' | 'isLarge'>,
    sale: Sale,
    party: string,
    unwanted?: AbortSignal,
  ): Promise<Compared[]> {
    const gone = () => unwanted ?? NEVER;
    if (!isLarge) {
      await this.turns.of(content?.length ?? 0)?.turn(party, gone);
      return differencesOf(content, sale);
    }
    return this.turns.large.run(party, gone, async () => differencesOf(await this.jobs.findContent(jobId), sale));
  }
}

function differencesOf(stored: string | undefined, { payload }: Sale): Compared[] {
  return stored === undefined ? [] : differencesFrom(JSON.parse(stored) as JsonObject, payload);
}

function reused(differs: readonly Compared[]): string {
  return (
    `transactionKey: another sale is stored under it, with other ${differs.join(', ')}; this sale is not registered: ` +
    'send it under a key of its own'
  );
}
