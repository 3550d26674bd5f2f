import { Injectable } from '@nestjs/common';
import type { Said } from '../domain/acceptance.js';
import { Config } from '../platform/config/config.js';
import type { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { uuidV7 } from '../platform/database/uuid.js';
import { comeBack } from './store/ahead.js';
import { type EventReference, enqueueCancel, parkCancels, withdrawCreate } from './store/cancel.js';
import { type Claim, claimDue, type HeldJob } from './store/claim.js';
import { type ClaimOffer, enqueueAll } from './store/enqueue.js';
import { type Entry, enterOrder } from './store/enter.js';
import { findContent, findFirstSale, findTestJob } from './store/find-job.js';
import { holdersOfJobs } from './store/holders.js';
import { mayHaveArrivedBefore } from './store/may-have-arrived.js';
import type { NewRow } from './store/new-row.js';
import { countMayBeThere, offerJobs, openJobs, type Poll, readableOrder } from './store/offer.js';
import {
  endOutage,
  type Failing,
  holdBack,
  lastingOutages,
  type OutageFailure,
  recordFailures,
} from './store/outages.js';
import { parkedWithItems } from './store/parked-items.js';
import { claimSpokenOf, clientSecrets, pushedJob } from './store/push.js';
import { expireLeases, release, releaseClaims } from './store/release.js';
import { countResettable, describeResettable, type ResetFilter, resetJobs, resetOrder } from './store/reset.js';
import { countResolvable, type ResolveFilter, resolveJobs } from './store/resolve.js';
import { acknowledgeSaid, say } from './store/say.js';
import { type EndedAttempt, settle } from './store/settle.js';
import { tracesOf } from './store/traces.js';
import { waitForRestaurants } from './store/wait-for-restaurants.js';
import { makeDueAfter, type Setting } from './store/waiting.js';

type Transaction = Prisma.TransactionClient;

/**
 * The only writer of job statuses (O3); the statements are in `store/`. Every change of status is one conditional statement,
 * named after its move in `domain/job.ts`; zero changed rows mean that another writer was first. Statuses are literals in the
 * statements, so that the planner can use the partial indexes; time is the database's clock (O5). Every method throws the
 * database's error.
 */
@Injectable()
export class JobStore {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /** A new claim id of this instance (O10). */
  newClaimId = (): string => `${this.config.instance}/${uuidV7()}`;

  /** Checks that the database answers. */
  ping = async (): Promise<void> => void (await this.prisma.$queryRaw`SELECT 1`);

  // the statements, each documented where it stands in store/; `tx` is the transaction in which a statement runs

  enqueue = (rows: readonly NewRow[], offer: ClaimOffer) => enqueueAll(this.prisma, rows, offer);
  waitForRestaurants = (rows: readonly NewRow[]) => waitForRestaurants(this.prisma, rows);
  findFirstSale = (restaurantId: string, transactionKey: string) =>
    findFirstSale(this.prisma, restaurantId, transactionKey);
  findContent = (jobId: string) => findContent(this.prisma, jobId);
  findTestJob = (restaurantId: string, sourceKey: string) => findTestJob(this.prisma, restaurantId, sourceKey);

  claimDue = (claim: Claim) => claimDue(this.prisma, claim);
  release = (job: HeldJob) => release(this.prisma, job);
  releaseClaims = (claimIds: readonly string[]) => releaseClaims(this.prisma, claimIds);
  expireLeases = (limit: number) => expireLeases(this.prisma, this.config.outbox, limit);
  comeBack = (limit: number) => comeBack(this.prisma, limit);
  holdersOfJobs = (limit: number) => holdersOfJobs(this.prisma, limit);
  offer = (polls: readonly Poll[]) => offerJobs(this.prisma, polls);
  openOf = (credentialId: string, jobIds: readonly string[]) => openJobs(this.prisma, credentialId, jobIds);
  countMayBeThere = (tx: Transaction, restaurantId: string) => countMayBeThere(tx, restaurantId);
  readable = (credentialId: string, orderId: string) => readableOrder(this.prisma, credentialId, orderId);
  say = (credentialId: string, orderId: string, said: Said, waitedMs: number) =>
    say(this.prisma, credentialId, orderId, said, waitedMs);
  acknowledgeSaid = (restaurantId: string, ids: readonly string[]) => acknowledgeSaid(this.prisma, restaurantId, ids);
  pushedJob = (job: HeldJob) => pushedJob(this.prisma, job);
  clientSecrets = (restaurantId: string) => clientSecrets(this.prisma, restaurantId);
  claimSpokenOf = (restaurantId: string, jobId: string) => claimSpokenOf(this.prisma, restaurantId, jobId);
  settle = (attempts: readonly EndedAttempt[]) => settle(this.prisma, attempts);

  enqueueCancel = (
    restaurantId: string,
    eventKey: string,
    although: { readonly entered: boolean },
    tx: Transaction = this.prisma,
  ) => enqueueCancel(tx, restaurantId, eventKey, although);
  parkCancels = (tx: Transaction, restaurantId: string) => parkCancels(tx, restaurantId);
  withdrawCreate = (event: EventReference) => withdrawCreate(this.prisma, event);
  mayHaveArrivedBefore = (job: HeldJob) => mayHaveArrivedBefore(this.prisma, job.id);
  tracesOf = (job: EventReference & Pick<HeldJob, 'action'>) => tracesOf(this.prisma, job, this.config.pos.timeoutMs);

  recordFailures = (failures: readonly OutageFailure[]) => recordFailures(this.prisma, failures);
  lastingOutages = () => lastingOutages(this.prisma);
  holdBack = (restaurants: readonly Failing[], marginMs: number) =>
    holdBack(this.prisma, restaurants, marginMs, this.config.outbox.maxAttempts);
  endOutage = (restaurantId: string) => endOutage(this.prisma, restaurantId);

  countResettable = (filter: ResetFilter) => countResettable(this.prisma, filter);
  describeResettable = (filter: ResetFilter) => describeResettable(this.prisma, filter);
  parkedWithItems = (restaurantId: string, itemCodes: readonly string[]) =>
    parkedWithItems(this.prisma, restaurantId, itemCodes);
  resetOrder = (...order: Parameters<typeof resetOrder>) => resetOrder(...order);
  resetJobs = (tx: Transaction, filter: ResetFilter, asOf: string, limit: number) => resetJobs(tx, filter, asOf, limit);
  countResolvable = (filter: ResolveFilter) => countResolvable(this.prisma, filter);
  resolveJobs = (tx: Transaction, filter: ResolveFilter, limit: number) => resolveJobs(tx, filter, limit);
  enterOrder = (tx: Transaction, restaurantId: string, eventKey: string, entry: Entry) =>
    enterOrder(tx, restaurantId, eventKey, entry);
  makeDueAfter = (tx: Transaction, restaurantId: string, settings: readonly Setting[]) =>
    makeDueAfter(tx, restaurantId, settings);
}
