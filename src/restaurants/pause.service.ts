import { Injectable } from '@nestjs/common';
import { LONGEST_PAUSE, LONGEST_PAUSE_H, resume } from '../outbox/store/pause.js';
import { Worker } from '../outbox/worker.js';
import { auditAction } from '../platform/audit/actions.js';
import { AuditTrail } from '../platform/audit/audit-trail.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { problem } from '../platform/http/problem.js';
import { Log } from '../platform/telemetry/log.js';
import type { Link } from '../user-links/restaurant.guard.js';
import { RESTAURANT_CODES } from './error-codes.js';
import type { PauseDto, RestaurantPausedView, RestaurantResumedView, ResumeDto } from './pause.dto.js';

const RESTAURANT_PAUSED = auditAction('restaurant.paused', { mostInADay: 200 });
const RESTAURANT_RESUMED = auditAction('restaurant.resumed', { mostInADay: 200 });

/** The end may be a minute too far away: the caller's clock is another one. */
const PAUSE = `UPDATE restaurants SET paused_at = coalesce(paused_at, now()), paused_until = least(wanted, now() + ${LONGEST_PAUSE}),
    pause_reason = $3::text, paused_by = $4::text, updated_at = now()
  FROM (SELECT coalesce($2::timestamptz, now() + ${LONGEST_PAUSE}) AS wanted) AS given
  WHERE id = $1::uuid AND deleted_at IS NULL AND wanted > now() AND wanted <= now() + ${LONGEST_PAUSE} + interval '1 minute'
  RETURNING name, paused_until AS until`;

/** Pauses what is sent for a restaurant, and resumes it (O49, O50). */
@Injectable()
export class PauseService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly audit: AuditTrail,
    private readonly worker: Worker,
    private readonly log: Log,
  ) {}

  /** Begins a pause, or changes its end and reason. @throws 400 VALIDATION_FAILED for an end that is over, or too far away */
  async pause(caller: Link, { until, reason }: PauseDto): Promise<RestaurantPausedView['data']> {
    const { restaurantId } = caller;
    const row = await this.prisma.$transaction(async (tx) => {
      const [paused] = await tx.$queryRawUnsafe<{ name: string; until: Date }[]>(
        PAUSE,
        restaurantId,
        until ?? null,
        reason,
        caller.email,
      );
      if (!paused)
        throw problem('VALIDATION_FAILED', [`until must be a time within the next ${LONGEST_PAUSE_H} hours`]);
      const details = { until: paused.until.toISOString(), reason };
      await this.audit.record(tx, caller, { action: RESTAURANT_PAUSED, restaurantId, target: paused.name, details });
      return paused;
    });
    this.log.info({ event: 'restaurant.paused', restaurantId, until: row.until, user: caller.userId });
    return { until: row.until };
  }

  /**
   * Ends the pause: what waited is due one after the other. While that lasts, it changes the pace.
   * @throws 409 NOT_PAUSED
   */
  async resume(caller: Link, { perMinute }: ResumeDto): Promise<RestaurantResumedView['data']> {
    const { restaurantId } = caller;
    const { jobs, until } = await this.prisma.$transaction(async (tx) => {
      const resumed = await resume(tx, restaurantId, perMinute, 'any');
      if (!resumed) throw problem(RESTAURANT_CODES.NOT_PAUSED, 'the restaurant is not paused');
      const details = { perMinute, orders: resumed.jobs };
      await this.audit.record(tx, caller, { action: RESTAURANT_RESUMED, restaurantId, target: resumed.name, details });
      return resumed;
    });
    this.log.info({ event: 'restaurant.resumed', restaurantId, jobs, perMinute, user: caller.userId });
    this.worker.wake();
    return { orders: jobs, until };
  }
}
