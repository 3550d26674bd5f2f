import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { retryAfterMs, retryAfterOf } from '../../domain/retry-after.js';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { OutboundError } from '../../platform/outbound/outbound-error.js';
import { OutboundTransport } from '../../platform/outbound/outbound-transport.js';
import { webhookSecretContext } from '../../platform/secrets/contexts.js';
import { SecretBox } from '../../platform/secrets/secret-box.js';
import type { Message, Sent } from './channel.js';
import { reasonFor } from './refused.js';
import { WebhookPace } from './webhook-pace.js';
import { signatureHeaders } from './webhook-signature.js';
import { withoutLinks } from './without-links.js';

/** Address and secret of a webhook. */
export interface WebhookTarget {
  readonly url: string;
  /** `whsec_` and base64 */
  readonly secret: string;
}

/** Sends messages to the webhook of a restaurant or of the platform (G27). */
@Injectable()
export class Webhook {
  private readonly pace = new WebhookPace();

  constructor(
    private readonly config: Config,
    private readonly transport: OutboundTransport,
    private readonly prisma: PrismaService,
    private readonly box: SecretBox,
  ) {}

  /** Sends to the platform's webhook (null), or to the confirmed webhook of a restaurant (G21). */
  async sendTo(restaurantId: string | null, message: Message): Promise<Sent> {
    if (restaurantId === null) {
      const { webhook } = this.config.alerts;
      return webhook ? this.send(webhook, message) : failed('the platform has no webhook: ALERT_WEBHOOK_URL');
    }
    const found = await this.prisma.alertWebhook.findFirst({
      where: { restaurantId, confirmedAt: { not: null }, restaurant: { deletedAt: null } },
      select: { url: true, secret: true },
    });
    if (!found) return failed('the restaurant has no confirmed webhook');
    return this.sendBoxed(restaurantId, found, message);
  }

  /** As {@link send}, and writes what became of it. @param sealed the row, with its boxed secret */
  async sendBoxed(restaurantId: string, sealed: WebhookTarget, message: Message): Promise<Sent> {
    const { url } = sealed;
    const secret = this.box.open(sealed.secret, webhookSecretContext(restaurantId));
    const sent =
      secret === undefined
        ? failed('the secret of the webhook cannot be decrypted: SECRETS_KEY changed; remove it, and set it again')
        : await this.send({ url, secret }, message);
    const data = sent.outcome === 'SENT' ? { lastSentAt: new Date(), failure: null } : { failure: sent.reason };
    // only while it has this address and secret
    const where = { restaurantId, url, secret: sealed.secret };
    // a message that was taken is not sent again because this cannot be written
    await this.prisma.alertWebhook.updateMany({ where, data }).catch(() => {});
    return sent;
  }

  /** One try: waits for its second (L43), then sends. */
  async send({ url, secret }: WebhookTarget, message: Message): Promise<Sent> {
    const turn = this.pace.take(url);
    if ('laterMs' in turn)
      return { outcome: 'RETRY', reason: 'too many messages for this webhook', afterMs: turn.laterMs };
    if (turn.waitMs > 0) await delay(turn.waitMs);
    const body = bodyOf(message, this.config.publicUrl);
    const signed = signatureHeaders(message.id, Math.floor(Date.now() / 1_000), body, secret);
    try {
      const headers = { 'Content-Type': 'application/json', ...signed };
      const answer = await this.transport.post(url, { headers, body });
      return sentOf(answer.status, retryAfterOf(answer.headers));
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const reason = reasonFor(message, error.reason);
      return error.failure === 'UNANSWERED' ? { outcome: 'RETRY', reason } : failed(reason);
    }
  }
}

const failed = (reason: string): Sent => ({ outcome: 'FAILED', reason });

function sentOf(status: number, retryAfter = ''): Sent {
  if (status < 300) return { outcome: 'SENT' };
  const reason = `the webhook answered HTTP ${status}`;
  if (status !== 429 && status < 500) return failed(reason);
  const afterMs = retryAfterMs(retryAfter, Date.now());
  return { outcome: 'RETRY', reason, ...(afterMs !== null && { afterMs }) };
}

/**
 * `text` as Slack shows it, and the fields. Slack reads `<` as the begin of a command, such as `<!channel>`. An `&` stays: Slack reads no command
 * in an entity, and other receivers would show `&amp;`.
 */
function bodyOf(message: Message, publicUrl: string): string {
  const { title, text, path, fields } = withoutLinks(message);
  const shown = `${title}\n${text}`.replaceAll('<', '‹').replaceAll('>', '›');
  const { text: _, ...others } = fields;
  return JSON.stringify({ text: `${shown}\n${publicUrl}${path}`, ...others });
}
