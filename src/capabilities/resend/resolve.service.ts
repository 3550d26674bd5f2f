import { Injectable } from '@nestjs/common';
import { JobStore } from '../../outbox/job-store.js';
import type { ResolveFilter } from '../../outbox/store/resolve.js';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { Log } from '../../platform/telemetry/log.js';
import type { Link } from '../../user-links/restaurant.guard.js';
import type { ResolvedView } from './resolve.dto.js';

/** Parked orders of earlier days were settled by hand. */
const ORDERS_RESOLVED = auditAction('orders.resolved');

/** The jobs that one transaction settles. */
const BATCH = 500;

/** The most jobs that one call settles (L50). */
export const MAX_RESOLVED = 10_000;

/** What somebody settles by hand, and why. */
export interface Resolution {
  readonly filter: ResolveFilter;
  readonly reason: string;
  /** only counts */
  readonly dryRun: boolean;
}

/** Settles parked orders of earlier business days by hand, for the staff of a restaurant (R40). */
@Injectable()
export class ResolveService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly jobs: JobStore,
    private readonly audit: AuditTrail,
    private readonly log: Log,
  ) {}

  /** Counts the matching jobs; without `dryRun` it settles them in batches. One transaction writes a batch and its audit entry. */
  async resolve(caller: Link, { filter, reason, dryRun }: Resolution): Promise<ResolvedView> {
    const matched = await this.jobs.countResolvable(filter);
    if (dryRun) return { message: `${matched} jobs would be settled`, data: { matched, resolved: 0 } };
    let resolved = 0;
    while (resolved < MAX_RESOLVED) {
      const size = Math.min(BATCH, MAX_RESOLVED - resolved);
      const done = await this.resolveBatch(caller, filter, reason, size);
      resolved += done;
      if (done < size) break;
    }
    const { restaurantId, userId } = caller;
    if (resolved > 0) this.log.info({ event: 'orders.resolved', user: userId, restaurantId, matched, resolved });
    return { message: `${resolved} of ${matched} jobs settled`, data: { matched, resolved } };
  }

  private resolveBatch(caller: Link, filter: ResolveFilter, reason: string, size: number): Promise<number> {
    const { restaurantId, before, kind, cause } = filter;
    return this.prisma.$transaction(async (tx) => {
      const resolved = await this.jobs.resolveJobs(tx, filter, size);
      const details = { resolved, reason, before, cause: kind ?? cause };
      if (resolved > 0) await this.audit.record(tx, caller, { action: ORDERS_RESOLVED, restaurantId, details });
      return resolved;
    });
  }
}
