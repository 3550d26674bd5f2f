import { Injectable } from '@nestjs/common';
import { refusePaused } from '../../orders/staff-resend.js';
import { JobStore } from '../../outbox/job-store.js';
import { PAUSED_RESTAURANTS } from '../../outbox/store/pause.js';
import type { ResetFilter } from '../../outbox/store/reset.js';
import { Worker } from '../../outbox/worker.js';
import type { Actor } from '../../platform/audit/actions.js';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { Log } from '../../platform/telemetry/log.js';
import type { ResetView } from './resend.dto.js';

const JOBS_RESET = auditAction('jobs.reset', { mostInADay: 2_000 });

/** The jobs that one transaction resets: few, so that the transaction does not delay the worker. */
const BATCH = 500;

/** The most jobs that one call resets. */
export const MAX_RESET = 10_000;

interface Options {
  /** only counts */
  readonly dryRun: boolean;
  /** the most jobs to reset; default: {@link MAX_RESET} */
  readonly limit?: number;
}

/** Resets parked and failed jobs, for platform administrators (R9) and for staff (R35). */
@Injectable()
export class Resets {
  constructor(
    private readonly prisma: PrismaService,
    private readonly jobs: JobStore,
    private readonly worker: Worker,
    private readonly audit: AuditTrail,
    private readonly log: Log,
  ) {}

  /**
   * Counts the matching jobs; `dryRun` also says what they are. Without `dryRun` it resets up to `limit` of them in batches; one transaction writes a batch and the
   * audit entries of the batch.
   * @throws 400 VALIDATION_FAILED without a filter; 409 RESTAURANT_PAUSED for jobs of a paused restaurant by their ids or its id; others leave these out
   */
  async reset(actor: Actor, filter: ResetFilter, { dryRun, limit = MAX_RESET }: Options): Promise<ResetView> {
    if (Object.values(filter).every((value) => value === undefined))
      throw problem('VALIDATION_FAILED', ['send at least one of jobIds, restaurantId, cause, since']);
    await this.refusePausedOf(filter);
    if (dryRun) {
      const { matched, erased, ...meta } = await this.jobs.describeResettable(filter);
      return { message: `${matched} jobs would be reset${leftOut(erased)}`, data: { matched, reset: 0 }, meta };
    }
    const { matched, erased, asOf } = await this.jobs.countResettable(filter);
    let reset = 0;
    while (reset < limit) {
      const size = Math.min(BATCH, limit - reset);
      const done = await this.resetBatch(actor, filter, asOf, size);
      reset += done;
      if (done < size) break;
    }
    if (reset > 0) {
      this.log.info({ event: 'jobs.reset', user: actor.userId, ...detailsOf(filter), matched, reset });
      this.worker.wake();
    }
    return { message: `${reset} of ${matched} jobs reset${leftOut(erased)}`, data: { matched, reset } };
  }

  private async refusePausedOf({ restaurantId, jobIds }: ResetFilter): Promise<void> {
    if (restaurantId !== undefined) return refusePaused(this.prisma, restaurantId);
    if (jobIds === undefined) return;
    const [paused] = await this.prisma.$queryRaw<{ id: string }[]>`
      SELECT restaurant_id::text AS id FROM outbox_jobs
      WHERE id = ANY (${[...jobIds]}::uuid[]) AND restaurant_id = ANY (ARRAY(${Prisma.raw(PAUSED_RESTAURANTS)})) LIMIT 1`;
    if (paused) await refusePaused(this.prisma, paused.id);
  }

  private resetBatch(actor: Actor, filter: ResetFilter, asOf: string, size: number): Promise<number> {
    return this.prisma.$transaction(async (tx) => {
      const restaurants = await this.jobs.resetJobs(tx, filter, asOf, size);
      const counts = new Map<string, number>();
      for (const id of restaurants) counts.set(id, (counts.get(id) ?? 0) + 1);
      const acts = [...counts].map(([restaurantId, reset]) => ({
        ...({ action: JOBS_RESET, restaurantId } as const),
        details: { reset, ...detailsOf(filter) },
      }));
      await this.audit.record(tx, actor, ...acts);
      return restaurants.length;
    });
  }
}

/** What is said of orders that cannot be sent again (W42). */
function leftOut(erased: number): string {
  if (erased === 0) return '';
  return `; ${erased} ${erased === 1 ? 'order was' : 'orders were'} left out, because the content was erased: enter ${erased === 1 ? 'it' : 'them'} in the POS by hand`;
}

/** The filter as details of an audit entry, without the job ids: some of them may belong to other restaurants. */
function detailsOf({ jobIds, restaurantId, cause, kind, since }: ResetFilter) {
  return {
    ...(jobIds && { byIds: true }),
    ...(restaurantId && { byRestaurant: true }),
    ...(cause !== undefined && { cause }),
    ...(kind !== undefined && { kind }),
    ...(since && { since: since.toISOString() }),
  };
}
