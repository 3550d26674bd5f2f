import { Injectable } from '@nestjs/common';
import { rolesWith } from '../../domain/role.js';
import type { Actor } from '../../platform/audit/actions.js';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import type { ConditionDetails } from '../../platform/conditions/condition.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { TokenLookUps, type TokenSender } from '../../platform/http/limits/token-look-ups.js';
import { problem } from '../../platform/http/problem.js';
import { digestOf, isCheckedToken, isPlainToken } from '../../platform/secrets/token.js';
import { Log } from '../../platform/telemetry/log.js';
import { ACKNOWLEDGE_PERMISSIONS, ACKNOWLEDGE_PREFIX } from './alert.js';
import type { AlertOfTokenView } from './alerts.dto.js';
import { ALERT_CODES } from './error-codes.js';
import { messageOf, pageOf, type ToldAlert, type ToldMessage } from './message.js';

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
    private readonly lookUps: TokenLookUps,
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
   * Anybody may send any token: a text that cannot be one costs no statement, and any other one a plain statement, when it is the turn of the
   * sender (A39). Only a token that was found opens a transaction.
   * @throws 404 ALERT_TOKEN_INVALID in every other case: the answer says nothing of whether the token exists; 503 TOO_MANY_AT_ONCE;
   *   ClientGoneError
   */
  async acknowledgeByToken(
    token: string,
    sender: TokenSender & { readonly requestId?: string | null },
  ): Promise<Acknowledged> {
    if (!isToken(token)) throw invalidToken();
    const valid = validToken(token);
    const [found] = await this.lookUps.run(
      sender,
      () => this.prisma.$queryRaw<unknown[]>`SELECT 1 AS found FROM notifications told, alerts, users WHERE ${valid}`,
    );
    if (!found) throw invalidToken();
    return this.prisma.$transaction(async (tx) => {
      const [row] = await tx.$queryRaw<TokenRow[]>`
        UPDATE notifications told SET token_hash = NULL
        FROM alerts, users
        WHERE ${valid}
        RETURNING alerts.id::text AS "alertId", users.id::text AS "userId", users.email, kind, count, details,
                  restaurant_id::text AS "restaurantId"`;
      // used meanwhile
      if (!row) throw invalidToken();
      await this.record(tx, { userId: row.userId, email: row.email, requestId: sender.requestId ?? null }, row);
      return { alertId: row.alertId, page: pageOf(row) };
    });
  }

  /**
   * What the alert of a token says now, as {@link acknowledgeByToken} would find it.
   * @throws as {@link acknowledgeByToken}
   */
  async readByToken(token: string, sender: TokenSender): Promise<AlertOfTokenView> {
    if (!isToken(token)) throw invalidToken();
    const [row] = await this.lookUps.run(
      sender,
      () => this.prisma.$queryRaw<(ToldAlert & Pick<ToldMessage, 'id' | 'step' | 'language'>)[]>`
        SELECT told.id::text, told.step, told.language, alerts.id::text AS "alertId", kind, cause, count, details,
               alerts.restaurant_id::text AS "restaurantId", place.name AS "restaurantName", timezone, currency
        FROM notifications told, users, alerts LEFT JOIN (SELECT id, name, timezone, currency FROM restaurants) AS place ON place.id = alerts.restaurant_id
        WHERE ${validToken(token)}`,
    );
    if (!row) throw invalidToken();
    const { title, text } = messageOf({ ...row, channel: 'mail' }, 0, undefined);
    return { title, text, page: pageOf(row) };
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

/** Tokens of the version before have no prefix. They are valid for a day: the second shape can go in the next release. */
function isToken(text: string): boolean {
  return isCheckedToken(ACKNOWLEDGE_PREFIX, text) || isPlainToken(text);
}

/** SQL: whether `told` has this token, and its person may still acknowledge its alert. Needs `told`, `alerts` and `users` in scope. */
function validToken(token: string): Prisma.Sql {
  const roles = rolesWith(...ACKNOWLEDGE_PERMISSIONS);
  return Prisma.sql`token_hash = ${digestOf(token)} AND alerts.id = told.alert_id AND users.id = told.user_id
    AND told.claimed_at > now() - ${TOKEN_HOURS}::int * interval '1 hour' AND alerts.closed_at IS NULL
    AND CASE WHEN alerts.restaurant_id IS NULL THEN users.role = 'ADMIN' ELSE EXISTS (
          SELECT FROM user_restaurants link
          WHERE link.user_id = users.id AND link.restaurant_id = alerts.restaurant_id AND accepted_at IS NOT NULL
            AND link.role::text = ANY (${roles}::text[])) END`;
}

function invalidToken() {
  return problem(ALERT_CODES.ALERT_TOKEN_INVALID, 'this link was used, has expired, or the alert is closed');
}
