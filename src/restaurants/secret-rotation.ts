import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Prisma } from '../database/prisma.js';
import { Log } from '../log.js';
import { posSecretContext } from '../pos/target.js';
import { SecretBox } from '../secret-box.js';

/**
 * After SECRETS_KEY has changed: closes with the new key what was closed with SECRETS_KEY_PREVIOUS, at start, so that the
 * previous key can be taken away.
 */
@Injectable()
export class SecretRotation implements OnApplicationBootstrap {
  constructor(
    private readonly prisma: Prisma,
    private readonly box: SecretBox,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const sealed = await this.prisma.restaurant.findMany({
      where: { posSecret: { not: null } },
      select: { id: true, posSecret: true },
    });
    const counts = { rotated: 0, lost: 0 };
    for (const { id, posSecret } of sealed) {
      if (!posSecret || this.box.isCurrent(posSecret)) continue;
      const secret = this.box.open(posSecret, posSecretContext(id));
      if (secret === undefined) counts.lost++;
      else counts.rotated += await this.replace(id, posSecret, secret);
    }
    if (counts.rotated > 0) this.log.info({ event: 'restaurants.secrets_rotated', ...counts });
    if (counts.lost > 0)
      this.log.error({ event: 'restaurants.secrets_lost', ...counts }, 'no key opens these posSecrets: set them again');
  }

  /** Unless somebody has changed it meanwhile. */
  private async replace(id: string, before: string, secret: string): Promise<number> {
    const posSecret = this.box.close(secret, posSecretContext(id));
    const { count } = await this.prisma.restaurant.updateMany({
      where: { id, posSecret: before },
      data: { posSecret },
    });
    return count;
  }
}
