import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import type { AlertWebhook } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { OutboundTransport } from '../../platform/outbound/outbound-transport.js';
import { webhookSecretContext } from '../../platform/secrets/contexts.js';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import { newSigningSecret } from '../../platform/secrets/token.js';
import type { Link } from '../../user-links/restaurant.guard.js';
import type { AlertWebhookSavedView, AlertWebhookView } from './alert-webhook.dto.js';
import { CHANNEL_CODES } from './error-codes.js';
import { webhookTestMessage } from './test-message.js';
import { Webhook } from './webhook.js';
import { WebhookPace } from './webhook-pace.js';

const RESTAURANT_ALERT_WEBHOOK_SET = auditAction('restaurant.alert_webhook_set', { mostInADay: 500 });
const RESTAURANT_ALERT_WEBHOOK_REMOVED = auditAction('restaurant.alert_webhook_removed');

/** The webhook of a restaurant (G27). */
@Injectable()
export class AlertWebhookService {
  /** by user: a test calls an address that the user chose */
  private readonly pace = new WebhookPace();

  constructor(
    private readonly prisma: PrismaService,
    private readonly box: SecretBox,
    private readonly webhook: Webhook,
    private readonly transport: OutboundTransport,
    private readonly audit: AuditTrail,
  ) {}

  /** @returns null when the restaurant has none */
  async read(restaurantId: string): Promise<AlertWebhookView | null> {
    const found = await this.prisma.alertWebhook.findUnique({ where: { restaurantId } });
    return found && toView(found);
  }

  /**
   * Sets the address and sends a test message. A new address gets a new secret; the same address keeps its secret, so that a
   * receiver that was given the secret can be tested again. A 2xx to the test confirms the webhook (G21).
   * @returns the secret only if it is new
   * @throws 422 ADDRESS_REFUSED (G28), 429 TOO_MANY_TESTS (L43)
   */
  async set(caller: Link, url: string): Promise<AlertWebhookSavedView['data']> {
    const refusal = this.transport.refusalOf(url);
    if (refusal) throw problem(CHANNEL_CODES.ADDRESS_REFUSED, refusal);
    await this.takeTurn(caller.userId);
    const refusalByName = await this.transport.refusalNow(url);
    if (refusalByName) throw problem(CHANNEL_CODES.ADDRESS_REFUSED, refusalByName);
    const { restaurantId } = caller;
    const { row, secret } = await this.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM restaurants WHERE id = ${restaurantId}::uuid FOR NO KEY UPDATE`;
      // the same address again is not audited, but sends a message (A40)
      await caller.confirm(tx);
      const before = await tx.alertWebhook.findUnique({ where: { restaurantId } });
      if (before?.url === url) return { row: before, secret: null };
      const fresh = newSigningSecret();
      const data = { url, secret: this.box.seal(fresh, webhookSecretContext(restaurantId)) };
      await tx.alertWebhook.deleteMany({ where: { restaurantId } });
      const made = await tx.alertWebhook.create({ data: { restaurantId, ...data } });
      const act = { action: RESTAURANT_ALERT_WEBHOOK_SET, restaurantId, target: new URL(url).host } as const;
      await this.audit.record(tx, caller, act);
      return { row: made, secret: fresh };
    });
    const test = await this.webhook.sendBoxed(restaurantId, row, webhookTestMessage(restaurantId));
    const same = { restaurantId, url, secret: row.secret };
    await caller.confirm(this.prisma);
    if (test.outcome === 'SENT')
      await this.prisma.alertWebhook.updateMany({
        where: { ...same, confirmedAt: null },
        data: { confirmedAt: new Date() },
      });
    const saved = (await this.prisma.alertWebhook.findFirst({ where: same })) ?? row;
    const reason = test.outcome === 'SENT' ? null : test.reason;
    return { ...toView(saved), secret, test: { outcome: test.outcome, reason } };
  }

  /** Waits for the second of the user, who would else make the relay call many addresses. */
  private async takeTurn(userId: string): Promise<void> {
    const turn = this.pace.take(userId);
    if ('waitMs' in turn) return delay(turn.waitMs);
    const seconds = Math.ceil(turn.laterMs / 1_000);
    const text = 'too many test messages: try again in some seconds';
    throw problem(CHANNEL_CODES.TOO_MANY_TESTS, text, seconds);
  }

  /** @throws 404 when the restaurant has none */
  async remove(caller: Link): Promise<void> {
    const { restaurantId } = caller;
    await this.prisma.$transaction(async (tx) => {
      const found = await tx.alertWebhook.findUnique({ where: { restaurantId } });
      const { count } = await tx.alertWebhook.deleteMany({ where: { restaurantId } });
      if (!found || count === 0) throw problem('NOT_FOUND', 'the restaurant has no webhook');
      const act = {
        action: RESTAURANT_ALERT_WEBHOOK_REMOVED,
        restaurantId,
        target: new URL(found.url).host,
      } as const;
      await this.audit.record(tx, caller, act);
    });
  }
}

function toView({ url, createdAt, confirmedAt, lastSentAt, failure }: AlertWebhook): AlertWebhookView {
  return { url, createdAt, confirmed: confirmedAt !== null, lastSentAt, failure };
}
