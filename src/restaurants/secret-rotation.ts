import { Injectable } from '@nestjs/common';
import { PrismaService } from '../database/prisma.service.js';
import { posSecretContext } from '../secrets/contexts.js';
import { SecretBox } from '../secrets/secret-box.js';
import { Log } from '../telemetry/log.js';

/**
 * At start, encrypts with SECRETS_KEY every posSecret that was encrypted with SECRETS_KEY_PREVIOUS (S14), so that the
 * previous key can be removed from the configuration.
 */
@Injectable()
export class SecretRotation {
  constructor(
    private readonly prisma: PrismaService,
    private readonly box: SecretBox,
    private readonly log: Log,
  ) {}

  async rotate(): Promise<void> {
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
      this.log.error(
        { event: 'restaurants.secrets_lost', ...counts },
        'no key decrypts these posSecrets: set them again',
      );
  }

  /** @returns the number of rows changed: 0 when a concurrent request has replaced the secret */
  private async replace(id: string, before: string, secret: string): Promise<number> {
    const posSecret = this.box.seal(secret, posSecretContext(id));
    const { count } = await this.prisma.restaurant.updateMany({
      where: { id, posSecret: before },
      data: { posSecret },
    });
    return count;
  }
}
