import { Injectable } from '@nestjs/common';
import { retryAfterMs, retryAfterOf } from '../../domain/retry-after.js';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { isException } from '../../platform/outbound/guard.js';
import { OutboundError } from '../../platform/outbound/outbound-error.js';
import { type OutboundAnswer, OutboundTransport } from '../../platform/outbound/outbound-transport.js';
import type { Message, Sent } from './channel.js';
import { type DeviceKeys, encryptForDevice } from './push-encryption.js';
import { type PushKey, PushKeys, pushAuthorization } from './push-keys.js';
import { payloadOf, topicOf } from './push-message.js';
import { reasonFor } from './refused.js';

/** The hosts of the push services of Chrome, Firefox, Safari and Edge. */
const SERVICES =
  /^(fcm\.googleapis\.com|([\w-]+\.)+(push\.services\.mozilla\.com|push\.apple\.com|notify\.windows\.com))$/;
/** How long a push service keeps a message for a device that is off; seconds (L41). */
const KEPT_SECONDS = 4 * 3_600;

/** A device to which a message is sent. */
export interface PushDevice extends DeviceKeys {
  readonly id: string;
  readonly endpoint: string;
}

/** Sends messages to devices by web push (G22). */
@Injectable()
export class Push {
  constructor(
    private readonly config: Config,
    private readonly keys: PushKeys,
    private readonly transport: OutboundTransport,
    private readonly prisma: PrismaService,
  ) {}

  /** Whether this relay has the channel: push services require a contact (G23). */
  get isAvailable(): boolean {
    return this.config.alerts.contact !== undefined;
  }

  /** Why the relay does not send to this endpoint; undefined: it does. Only to known push services, and to OUTBOUND_ALLOW (G22). */
  refusalOf(endpoint: string): string | undefined {
    const refusal = this.transport.refusalOf(endpoint);
    if (refusal) return refusal;
    const url = new URL(endpoint);
    if (isException(url, this.config.alerts.outboundAllow)) return undefined;
    return SERVICES.test(url.hostname) && url.port === '' ? undefined : 'this is no address of a known push service';
  }

  /** The confirmed devices of a user. */
  confirmedDevicesOf(userId: string): Promise<PushDevice[]> {
    return this.prisma.device.findMany({
      where: { userId, confirmedAt: { not: null } },
      select: { id: true, endpoint: true, p256dh: true, auth: true },
    });
  }

  /** Sends to all confirmed devices of a user: SENT when one of their push services took the message. */
  async sendToUser(userId: string, message: Message): Promise<Sent> {
    const devices = await this.confirmedDevicesOf(userId);
    if (devices.length === 0) return failed('no device of the user is confirmed');
    return resultOf(await Promise.all(devices.map((device) => this.send(device, message))));
  }

  /** One try for one device. A device that the push service does not know any more is removed. */
  async send(device: PushDevice, message: Message): Promise<Sent> {
    const { contact } = this.config.alerts;
    if (contact === undefined) return failed('web push is not set up: ALERT_CONTACT');
    const { publicKey, privateKey } = await this.keys.read();
    if (!privateKey) return failed('the key of web push cannot be decrypted: SECRETS_KEY changed');
    const refusal = this.refusalOf(device.endpoint);
    const sent = refusal ? failed(refusal) : await this.post(device, message, { publicKey, privateKey }, contact);
    // a message that was taken is not sent again because this cannot be written
    await this.record(device, sent).catch(() => {});
    return sent === GONE ? failed('the device is no longer subscribed, and was removed') : sent;
  }

  private async post(
    { endpoint, ...keys }: PushDevice,
    message: Message,
    key: Required<PushKey> & { readonly privateKey: NonNullable<PushKey['privateKey']> },
    contact: string,
  ): Promise<Sent | typeof GONE> {
    const headers = {
      Authorization: pushAuthorization(key, new URL(endpoint).origin, contact, Date.now()),
      'Content-Type': 'application/octet-stream',
      'Content-Encoding': 'aes128gcm',
      TTL: String(KEPT_SECONDS),
      Urgency: 'high',
      Topic: topicOf(message.topic),
    };
    const body = encryptForDevice(payloadOf(message, this.config.publicUrl), keys);
    try {
      return sentOf(await this.transport.post(endpoint, { headers, body }));
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const reason = reasonFor(message, `the push service: ${error.reason}`);
      return error.failure === 'UNANSWERED' ? { outcome: 'RETRY', reason } : failed(reason);
    }
  }

  /** Only while the device still has this endpoint: it may have subscribed again in the meantime. */
  private async record({ id, endpoint }: PushDevice, sent: Sent | typeof GONE): Promise<void> {
    const where = { id, endpoint };
    if (sent === GONE) await this.prisma.device.deleteMany({ where });
    else if (sent.outcome === 'SENT')
      await this.prisma.device.updateMany({ where, data: { lastSentAt: new Date(), failure: null } });
    else await this.prisma.device.updateMany({ where, data: { failure: sent.reason } });
  }
}

const GONE = 'gone';
const failed = (reason: string): Sent => ({ outcome: 'FAILED', reason });

function sentOf({ status, headers }: OutboundAnswer): Sent | typeof GONE {
  if (status < 300) return { outcome: 'SENT' };
  if (status === 404 || status === 410) return GONE;
  const reason = `the push service answered HTTP ${status}`;
  if (status === 401 || status === 403) return failed(`${reason}: check ALERT_CONTACT`);
  if (status !== 429 && status < 500) return failed(reason);
  const afterMs = retryAfterMs(retryAfterOf(headers) ?? '', Date.now());
  return { outcome: 'RETRY', reason, ...(afterMs !== null && { afterMs }) };
}

/** The best of several: a device that took the message, then one to try again; the shortest wait. */
function resultOf(all: readonly Sent[]): Sent {
  const found = all.find(({ outcome }) => outcome === 'SENT');
  if (found) return found;
  const retries = all.filter((sent) => sent.outcome === 'RETRY');
  const [first] = retries;
  if (!first) return all[0] as Sent;
  const waits = retries.flatMap(({ afterMs }) => afterMs ?? []);
  return { ...first, ...(waits.length === retries.length && { afterMs: Math.min(...waits) }) };
}
