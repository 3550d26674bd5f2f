import { Injectable } from '@nestjs/common';
import { PrismaService } from '../database/prisma.service.js';
import { platformKeyContext, senderKeyContext, webhookSecretContext } from '../secrets/contexts.js';
import { SecretBox } from '../secrets/secret-box.js';
import { Log } from '../telemetry/log.js';

/**
 * At start, encrypts with SECRETS_KEY the secrets of webhooks, of sender keys and the platform's keys that SECRETS_KEY_PREVIOUS encrypted
 * (S14).
 */
@Injectable()
export class ChannelSecretRotation {
  constructor(
    private readonly prisma: PrismaService,
    private readonly box: SecretBox,
    private readonly log: Log,
  ) {}

  async rotate(): Promise<void> {
    const counts = { rotated: 0, lost: 0 };
    const each = async (sealed: string, context: string, write: (resealed: string) => Promise<{ count: number }>) => {
      if (this.box.isCurrent(sealed)) return;
      const secret = this.box.open(sealed, context);
      if (secret === undefined) counts.lost++;
      // 0 rows: a concurrent request has replaced the secret
      else counts.rotated += (await write(this.box.seal(secret, context))).count;
    };
    for (const { restaurantId, secret } of await this.prisma.alertWebhook.findMany())
      await each(secret, webhookSecretContext(restaurantId), (resealed) =>
        this.prisma.alertWebhook.updateMany({ where: { restaurantId, secret }, data: { secret: resealed } }),
      );
    for (const { name, privateKey } of await this.prisma.platformKey.findMany())
      await each(privateKey, platformKeyContext(name), (resealed) =>
        this.prisma.platformKey.updateMany({ where: { name, privateKey }, data: { privateKey: resealed } }),
      );
    for (const { id, secret } of await this.prisma.senderKey.findMany({ where: { secret: { not: null } } }))
      await each(secret as string, senderKeyContext(id), (resealed) =>
        this.prisma.senderKey.updateMany({ where: { id, secret }, data: { secret: resealed } }),
      );
    if (counts.rotated > 0) this.log.info({ event: 'channels.secrets_rotated', ...counts });
    if (counts.lost > 0)
      this.log.error(
        { event: 'channels.secrets_lost', ...counts },
        'no key decrypts these: set the webhooks again, rotate the sender keys; for web push see docs/operations.md',
      );
  }
}
