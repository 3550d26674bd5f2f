import { Injectable } from '@nestjs/common';
import { Batcher } from '../platform/database/batch/batcher.js';
import { SalesFirst } from '../platform/sales-first.js';
import { JobStore } from './job-store.js';
import { RestaurantCatalogues } from './restaurant-catalogues.js';
import type { ClaimOffer, Enqueued } from './store/enqueue.js';
import { type NewEvent, type NewRow, rowOf } from './store/new-row.js';
import { Worker } from './worker.js';

/** Concurrent statements that store sales: while one statement waits for the disk, the other one runs. */
const STORING = 2;
/** The most sales in one statement. */
const MOST_SALES = 100;
/** The most sales that wait to be stored, in rows and characters (L19). About this number can be stored within the deadline of a sale. */
const WAITING_SALES = { rows: 2_000, length: 16_777_216 };
/** The most sales that wait for the locked row of a restaurant; each of these sales occupies a connection (W31). */
const PATIENT = 2;

/** The store step: writes sales that arrive together in one statement, which also claims their jobs for free slots of the worker (O32). */
@Injectable()
export class Intake {
  private readonly arriving = new Batcher<NewRow, Enqueued>(
    (rows) => this.worker.storeAndClaim(rows.length, (offer) => this.write(rows, offer)),
    { parallel: STORING, most: MOST_SALES, bound: WAITING_SALES, retry: false },
  );
  /** waits until the restaurant of a sale is no longer locked by another session */
  private readonly waiting = new Batcher<NewRow, void>((rows) => this.jobs.waitForRestaurants(rows), {
    parallel: PATIENT,
    most: 1,
    bound: { rows: PATIENT, length: Number.POSITIVE_INFINITY },
    retry: false,
  });

  constructor(
    private readonly jobs: JobStore,
    private readonly worker: Worker,
    private readonly salesFirst: SalesFirst,
    private readonly catalogues: RestaurantCatalogues,
  ) {}

  /**
   * Stores an event and its CREATE job, both or neither (W17), and wakes the worker, unless its POS claims the job itself (Q2). Events that arrive at the same
   * time share a statement (W29).
   * @returns `locked`: the event is not stored; it has waited until the row of its restaurant was unlocked, and is to be placed again (A40)
   * @param unwanted aborts when nobody waits for the answer any more: the event is then not stored, unless a statement has taken it (W30)
   * @throws NotWrittenError when too many sales wait (L19), two wait for locked restaurants (W31), or nobody waits for the answer
   */
  async store(event: NewEvent, unwanted?: AbortSignal): Promise<Enqueued> {
    const row = rowOf(event, this.catalogues.warningsOf(event));
    const stored = await this.arriving.add(row, unwanted);
    if (stored.result === 'stored' || stored.result === 'duplicate') this.catalogues.note(event.place, stored);
    if (stored.result === 'locked') await this.waiting.add(row, unwanted);
    if (stored.result === 'stored' && !stored.claimed && !stored.pulls) this.worker.wake();
    return stored;
  }

  private async write(rows: readonly NewRow[], offer: ClaimOffer): Promise<Enqueued[]> {
    const stored = this.salesFirst.store(
      rows.length,
      rows.reduce((sum, { length }) => sum + length, 0),
    );
    const results = await this.jobs.enqueue(rows, offer);
    stored();
    return results;
  }
}
