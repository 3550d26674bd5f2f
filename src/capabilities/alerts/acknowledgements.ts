import { Injectable } from '@nestjs/common';
import { rolesWith } from '../../domain/role.js';
import type { Actor } from '../../platform/audit/actions.js';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import type { ConditionDetails } from '../../platform/conditions/condition.js';
import type { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { digestOf } from '../../platform/secrets/token.js';
import { Log } from '../../platform/telemetry/log.js';
import { ACKNOWLEDGE_PERMISSIONS } from './alert.js';
import { ALERT_CODES } from './error-codes.js';
import { pageOf } from './message.js';

const ALERT_ACKNOWLEDGED = auditAction('alert.acknowledged');

/** A token is valid for this time after its message was made. */
const TOKEN_HOURS = 24;

/** What was acknowledged. */
export interface Acknowledged {
  readonly alertId: string;
  /** path of the page of the console */
  readonly page: string;
}

interface TokenRow {
  readonly notificationId: string;
  readonly alertId: string;
  readonly userId: string;
  readonly email: string;
  readonly restaurantId: string | null;
  readonly kind: string;
  readonly count: number;
  readonly details: ConditionDetails;
}

/** Acknowledges alerts (G9): the steps stop, and the page says who did it. */
@Injectable()
export class Acknowledgements {
  constructor(
    private readonly prisma: PrismaService,
    private readonly audit: AuditTrail,
    private readonly log: Log,
  ) {}

  /**
   * Acknowledges an open alert; one that somebody has acknowledged stays theirs.
   * @param restaurantId null: an alert of the platform
   * @throws 404 when there is no such alert; 409 ALERT_CLOSED
   */
  async acknowledge(actor: Actor, restaurantId: string | null, alertId: string): Promise<Acknowledged> {
    const alert = await this.prisma.alert.findFirst({ where: { id: alertId, restaurantId } });
    if (!alert) throw problem('NOT_FOUND', 'there is no such alert');
    if (alert.closedAt) throw problem(ALERT_CODES.ALERT_CLOSED, 'the alert is closed: there is nothing to do');
    const { kind, count, details } = alert as unknown as TokenRow;
    await this.prisma.$transaction((tx) => this.record(tx, actor, { alertId, restaurantId, kind }));
    return { alertId, page: pageOf({ kind, count, details, restaurantId }) };
  }

  /**
   * Acknowledges by the token of a message: once, within 24 h, for a person who may still acknowledge (by link, or as platform administrator).
   * @throws 404 ALERT_TOKEN_INVALID in every other case: the answer says nothing of whether the token exists
   */
  async acknowledgeByToken(token: string, requestId: string): Promise<Acknowledged> {
    return this.prisma.$transaction(async (tx) => {
      const roles = rolesWith(...ACKNOWLEDGE_PERMISSIONS);
      const [row] = await tx.$queryRaw<TokenRow[]>`
        UPDATE notifications told SET token_hash = NULL
        FROM alerts, users
        WHERE token_hash = ${digestOf(token)} AND alerts.id = told.alert_id AND users.id = told.user_id
          AND told.claimed_at > now() - ${TOKEN_HOURS}::int * interval '1 hour' AND alerts.closed_at IS NULL
          AND CASE WHEN alerts.restaurant_id IS NULL THEN users.role = 'ADMIN' ELSE EXISTS (
                SELECT FROM user_restaurants link
                WHERE link.user_id = users.id AND link.restaurant_id = alerts.restaurant_id AND accepted_at IS NOT NULL
                  AND link.role::text = ANY (${roles}::text[])) END
        RETURNING alerts.id::text AS "alertId", users.id::text AS "userId", users.email, kind, count, details,
                  restaurant_id::text AS "restaurantId"`;
      if (!row)
        throw problem(ALERT_CODES.ALERT_TOKEN_INVALID, 'this link was used, has expired, or the alert is closed');
      await this.record(tx, { userId: row.userId, email: row.email, requestId }, row);
      return { alertId: row.alertId, page: pageOf(row) };
    });
  }

  private async record(
    tx: Prisma.TransactionClient,
    actor: Actor,
    { alertId, restaurantId, kind }: Pick<TokenRow, 'alertId' | 'restaurantId' | 'kind'>,
  ): Promise<void> {
    const changed = await tx.$executeRaw`
      UPDATE alerts SET acknowledged_at = now(), acknowledged_by = ${actor.userId}::uuid, next_step_at = NULL, covered_until = now()
      WHERE id = ${alertId}::uuid AND closed_at IS NULL AND acknowledged_at IS NULL`;
    if (changed === 0) return;
    await this.audit.record(tx, actor, {
      action: ALERT_ACKNOWLEDGED,
      restaurantId,
      target: kind,
      details: { alertId },
    });
    this.log.info({ event: 'alert.acknowledged', alert: alertId, kind, restaurantId, user: actor.userId });
  }
}
