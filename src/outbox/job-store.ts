import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Batcher } from '../database/batcher.js';
import type { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import { type EventReference, enqueueCancel, withdrawCreate } from './store/cancel.js';
import { type Claim, type ClaimedJob, claimDue, claimOldest } from './store/claim.js';
import { type Enqueued, enqueueAll, findJob, findTestJob, type NewEvent, type NewRow, rowOf } from './store/enqueue.js';
import { mayHaveArrivedBefore } from './store/may-have-arrived.js';
import { expireLeases, release, releaseClaims } from './store/release.js';
import { countResettable, type ResetFilter, resetJobs } from './store/reset.js';
import { type EndedAttempt, settle } from './store/settle.js';
import { tracesOf } from './store/traces.js';
import { makeDueAfter, type Setting } from './store/waiting.js';

type Transaction = Prisma.TransactionClient;

/** Concurrent statements that store sales: while one statement waits for the disk, the other one runs. */
const STORING = 2;
/** The most sales in one statement. */
const MOST_SALES = 100;
/** The most sales that wait to be stored, in rows and characters (L19). About this number can be stored within the deadline of a sale. */
const WAITING_SALES = { rows: 2_000, length: 16_777_216 };
/** The most sales that wait for the locked row of a restaurant; each of these sales occupies a connection (W31). */
const PATIENT = 2;

/**
 * The only writer of job statuses (O3); the statements are in `store/`. Every change of status is one conditional statement,
 * named after its move in `domain/job.ts`; zero changed rows mean that another writer was first. Statuses are literals in the
 * statements, so that the planner can use the partial indexes; time is the database's clock (O5). Every method throws the
 * database's error.
 */
@Injectable()
export class JobStore {
  private readonly arriving = new Batcher<NewRow, Enqueued>((rows) => enqueueAll(this.prisma, rows, false), {
    parallel: STORING,
    most: MOST_SALES,
    bound: WAITING_SALES,
    retry: false,
  });
  private readonly patient = new Batcher<NewRow, Enqueued>((rows) => enqueueAll(this.prisma, rows, true), {
    parallel: PATIENT,
    most: 1,
    bound: { rows: PATIENT, length: Number.POSITIVE_INFINITY },
    retry: false,
  });

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /**
   * Stores an event and its CREATE job, both or neither (W17). Events that arrive at the same time share a statement.
   * @param unwanted aborts when nobody waits for the answer any more: the event is then not stored, unless a statement has taken it (W30)
   * @returns the job's id, or why nothing was stored
   * @throws NotWrittenError when too many sales wait (L19), or nobody waits for the answer
   */
  enqueue(event: NewEvent, unwanted?: AbortSignal): Promise<Enqueued> {
    return this.arriving.add(rowOf(event), unwanted);
  }

  /**
   * Like {@link enqueue}, but in a separate statement, which waits while another session has locked the restaurant's row.
   * @throws NotWrittenError when two such statements are under way (W31)
   */
  enqueuePatiently(event: NewEvent, unwanted?: AbortSignal): Promise<Enqueued> {
    return this.patient.add(rowOf(event), unwanted);
  }

  /** A new claim id of this instance (O10). */
  newClaimId = (): string => `${this.config.instance}/${randomUUID()}`;

  /** Checks that the database answers. */
  ping = async (): Promise<void> => void (await this.prisma.$queryRaw`SELECT 1`);

  // the statements, each documented where it stands in store/; `tx` is the transaction in which a statement runs

  findJob = (restaurantId: string, transactionKey: string) => findJob(this.prisma, restaurantId, transactionKey);
  findTestJob = (restaurantId: string, sourceKey: string) => findTestJob(this.prisma, restaurantId, sourceKey);

  claimDue = (claim: Claim) => claimDue(this.prisma, claim);
  claimOldest = (claimIds: readonly string[]) => claimOldest(this.prisma, claimIds);
  release = (job: ClaimedJob) => release(this.prisma, job);
  releaseClaims = (claimIds: readonly string[]) => releaseClaims(this.prisma, claimIds);
  expireLeases = (limit: number) => expireLeases(this.prisma, this.config.outbox.processingTtlMs, limit);
  settle = (attempts: readonly EndedAttempt[]) => settle(this.prisma, attempts);

  enqueueCancel = (restaurantId: string, eventKey: string, tx: Transaction = this.prisma) =>
    enqueueCancel(tx, restaurantId, eventKey);
  withdrawCreate = (event: EventReference) => withdrawCreate(this.prisma, event);
  mayHaveArrivedBefore = (job: ClaimedJob) => mayHaveArrivedBefore(this.prisma, job.id);
  tracesOf = (event: EventReference) => tracesOf(this.prisma, event, this.config.pos.timeoutMs);

  countResettable = (filter: ResetFilter) => countResettable(this.prisma, filter);
  resetJobs = (tx: Transaction, filter: ResetFilter, asOf: string, limit: number) => resetJobs(tx, filter, asOf, limit);
  makeDueAfter = (tx: Transaction, restaurantId: string, settings: readonly Setting[]) =>
    makeDueAfter(tx, restaurantId, settings);
}
