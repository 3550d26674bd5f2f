import { hash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Device, Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { browserOf } from '../../platform/http/browser.js';
import { problem } from '../../platform/http/problem.js';
import { type DeviceDto, type DeviceView, MAX_DEVICES } from './devices.dto.js';
import { CHANNEL_CODES } from './error-codes.js';
import { Push } from './push.js';
import { areDeviceKeys } from './push-encryption.js';

/** SQL: the same user registers the same device with the same keys. */
const UNCHANGED = Prisma.sql`(known.user_id, known.p256dh, known.auth) = (excluded.user_id, excluded.p256dh, excluded.auth)`;
const SHOWN = { id: true, browser: true, createdAt: true, confirmedAt: true, lastSentAt: true, failure: true } as const;

/** The devices of a user that receive web push (G22, G24). */
@Injectable()
export class DevicesService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly push: Push,
  ) {}

  /** The newest first. */
  async list(userId: string): Promise<DeviceView[]> {
    const devices = await this.prisma.device.findMany({
      where: { userId },
      select: SHOWN,
      orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
      take: MAX_DEVICES,
    });
    return devices.map(toView);
  }

  /**
   * Registers a device, or writes its new keys. A device of another user moves to this user and must be confirmed again.
   * @param userAgent the header, for the name of the device
   * @throws 400 VALIDATION_FAILED, 409 CHANNEL_UNAVAILABLE or TOO_MANY_DEVICES, 422 ADDRESS_REFUSED
   */
  async register(userId: string, { endpoint, keys }: DeviceDto, userAgent: string | undefined): Promise<DeviceView> {
    if (!this.push.isAvailable) throw problem(CHANNEL_CODES.CHANNEL_UNAVAILABLE, 'this relay does not send by push');
    const refusal = this.push.refusalOf(endpoint);
    if (refusal) throw problem(CHANNEL_CODES.ADDRESS_REFUSED, refusal);
    if (!areDeviceKeys(keys)) throw problem('VALIDATION_FAILED', ['keys must be those of a push subscription']);
    const digest = hash('sha256', endpoint, 'hex');
    const device = await this.prisma.$transaction(async (tx) => {
      // one registration of a user at a time, so that the limit holds
      await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${userId}::uuid FOR NO KEY UPDATE`;
      const others = await tx.device.count({ where: { userId, endpointDigest: { not: digest } } });
      if (others >= MAX_DEVICES)
        throw problem(CHANNEL_CODES.TOO_MANY_DEVICES, `${MAX_DEVICES} devices are registered: remove one first`);
      await tx.$executeRaw`
        INSERT INTO devices AS known (id, user_id, endpoint, endpoint_digest, p256dh, auth, browser)
        VALUES (${randomUUID()}::uuid, ${userId}::uuid, ${endpoint}, ${digest}, ${keys.p256dh}, ${keys.auth}, ${browserOf(userAgent)})
        ON CONFLICT (endpoint_digest) DO UPDATE SET
          user_id = excluded.user_id, p256dh = excluded.p256dh, auth = excluded.auth, browser = excluded.browser, failure = NULL,
          created_at = CASE WHEN known.user_id = excluded.user_id THEN known.created_at ELSE excluded.created_at END,
          confirmed_at = CASE WHEN ${UNCHANGED} THEN known.confirmed_at END,
          confirm_hash = CASE WHEN ${UNCHANGED} THEN known.confirm_hash END,
          confirm_until = CASE WHEN ${UNCHANGED} THEN known.confirm_until END,
          last_sent_at = CASE WHEN ${UNCHANGED} THEN known.last_sent_at END`;
      return tx.device.findUniqueOrThrow({ where: { endpointDigest: digest }, select: SHOWN });
    });
    return toView(device);
  }

  /** @throws 404 when the user has no such device */
  async remove(userId: string, id: string): Promise<void> {
    const { count } = await this.prisma.device.deleteMany({ where: { id, userId } });
    if (count === 0) throw problem('NOT_FOUND', 'there is no such device');
  }
}

function toView({ confirmedAt, ...device }: Pick<Device, keyof typeof SHOWN>): DeviceView {
  return { ...device, confirmed: confirmedAt !== null };
}
