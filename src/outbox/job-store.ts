import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { Batcher } from '../database/batcher.js';
import type { Prisma } from '../database/generated/client.js';
import { PrismaService } from '../database/prisma.service.js';
import type { JobStatus } from '../domain/job.js';
import type { Traces } from '../domain/lookup.js';
import { type EventReference, enqueueCancel, withdrawCreate } from './store/cancel.js';
import { type Claim, type ClaimedJob, claimDue, claimOldest } from './store/claim.js';
import { type Enqueued, enqueueAll, findJob, findTestJob, type NewEvent, type NewRow, rowOf } from './store/enqueue.js';
import { mayHaveArrivedBefore } from './store/may-have-arrived.js';
import { type ExpiredJob, expireLeases, release, releaseClaims } from './store/release.js';
import { countResettable, type ResetFilter, resetJobs } from './store/reset.js';
import { type EndedAttempt, settle } from './store/settle.js';
import { tracesOf } from './store/traces.js';
import { makeDueAfter, type Setting } from './store/waiting.js';

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

  /** @returns the id of the CREATE job of this key (W20), also after its event was removed; undefined when there is no such job */
  findJob(restaurantId: string, transactionKey: string): Promise<string | undefined> {
    return findJob(this.prisma, restaurantId, transactionKey);
  }

  /** @returns the id of the CREATE job of this source key in test mode (W23); undefined when there is no such job */
  findTestJob(restaurantId: string, sourceKey: string): Promise<string | undefined> {
    return findTestJob(this.prisma, restaurantId, sourceKey);
  }

  /** A new claim id of this instance (O10). */
  newClaimId(): string {
    return `${this.config.instance}/${randomUUID()}`;
  }

  /** Claims due jobs for this instance (O6, O7) and counts their attempts. Restaurants take turns (O11). */
  claimDue(claim: Claim): Promise<ClaimedJob[]> {
    return claimDue(this.prisma, claim);
  }

  /** Like {@link claimDue}, but claims the oldest due jobs of all restaurants. Used between two claims by turns. */
  claimOldest(claimIds: readonly string[]): Promise<ClaimedJob[]> {
    return claimOldest(this.prisma, claimIds);
  }

  /** Releases jobs that a claim statement without an answer may have claimed. @returns the number of released jobs */
  releaseClaims(claimIds: readonly string[]): Promise<number> {
    return releaseClaims(this.prisma, claimIds);
  }

  /**
   * Settles claimed jobs and records their attempts (O12, O18). If the statement fails, no job is settled.
   * @returns for each attempt whether it was recorded; false: its claim was lost, and nothing was changed
   */
  settle(attempts: readonly EndedAttempt[]): Promise<boolean[]> {
    return settle(this.prisma, attempts);
  }

  /**
   * Releases a claimed job whose order was not sent; the attempt is not counted.
   * @returns false when the claim was lost: nothing was changed
   */
  release(job: ClaimedJob): Promise<boolean> {
    return release(this.prisma, job);
  }

  /** Checks that the database answers. */
  async ping(): Promise<void> {
    await this.prisma.$queryRaw`SELECT 1`;
  }

  /** Returns up to `limit` jobs to PENDING that were PROCESSING for longer than PROCESSING_TTL_MS (O17). */
  expireLeases(limit: number): Promise<ExpiredJob[]> {
    return expireLeases(this.prisma, this.config.outbox.processingTtlMs, limit);
  }

  /**
   * Stores the CANCEL job of an event, or makes a parked CANCEL job PENDING again (C2, C12). Withdraws the event's CREATE job, unless the
   * CREATE job is PROCESSING or SENT (C5).
   * @param tx the transaction in which the statements run
   * @returns the CANCEL job; `accepted`: whether it was stored or made PENDING; undefined when the restaurant has no such event
   */
  enqueueCancel(
    restaurantId: string,
    eventKey: string,
    tx: Prisma.TransactionClient = this.prisma,
  ): Promise<{ jobId: string; accepted: boolean } | undefined> {
    return enqueueCancel(tx, restaurantId, eventKey);
  }

  /**
   * Withdraws the CREATE job of an event, unless this job is PROCESSING or SENT (C5).
   * @returns the status of the CREATE job after that, and whether one of the job's attempts may have arrived at the POS (D17)
   * @throws Error when the event has no CREATE job
   */
  withdrawCreate(event: EventReference): Promise<{ status: JobStatus; mayHaveArrived: boolean }> {
    return withdrawCreate(this.prisma, event);
  }

  /** The number of parked and failed jobs that an operator's reset would find (R9), and the time of this count by the database's clock. */
  countResettable(filter: ResetFilter): Promise<{ matched: number; asOf: string }> {
    return countResettable(this.prisma, filter);
  }

  /**
   * Resets up to `limit` parked and failed jobs that have not changed since `asOf` (R9, R11).
   * @param tx the transaction that also writes the reset to the audit
   * @returns the restaurant of each job that was reset
   */
  resetJobs(tx: Prisma.TransactionClient, filter: ResetFilter, asOf: string, limit: number): Promise<string[]> {
    return resetJobs(tx, filter, asOf, limit);
  }

  /**
   * Makes those jobs of a restaurant due now that wait for one of these settings (R32).
   * @param tx the transaction that changes the settings
   * @returns the number of jobs that were made due
   */
  makeDueAfter(tx: Prisma.TransactionClient, restaurantId: string, settings: readonly Setting[]): Promise<number> {
    return makeDueAfter(tx, restaurantId, settings);
  }

  /** Whether a recorded attempt of this job may have arrived at the POS (D17). */
  mayHaveArrivedBefore(job: ClaimedJob): Promise<boolean> {
    return mayHaveArrivedBefore(this.prisma, job.id);
  }

  /** What the attempts of an event's jobs show about its order; read before the order is sent or cancelled again (D21). */
  tracesOf(event: EventReference): Promise<Traces> {
    return tracesOf(this.prisma, event, this.config.pos.timeoutMs);
  }
}
