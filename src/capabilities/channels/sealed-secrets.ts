import type { PrismaService } from '../../platform/database/prisma.service.js';
import { platformKeyContext, webhookSecretContext } from '../../platform/secrets/contexts.js';
import type { SealedColumn } from '../../platform/secrets/sealed-columns.js';

const group = 'channels';

export const sealedSecrets = (prisma: PrismaService): readonly SealedColumn[] => [
  {
    group,
    whenLost: 'set the webhooks again',
    values: async () =>
      (await prisma.alertWebhook.findMany()).map(({ restaurantId, secret }) => ({
        sealed: secret,
        context: webhookSecretContext(restaurantId),
        replace: (resealed) =>
          prisma.alertWebhook.updateMany({ where: { restaurantId, secret }, data: { secret: resealed } }),
      })),
  },
  {
    group,
    whenLost: 'for web push see docs/operations.md',
    values: async () =>
      (await prisma.platformKey.findMany()).map(({ name, privateKey }) => ({
        sealed: privateKey,
        context: platformKeyContext(name),
        replace: (resealed) =>
          prisma.platformKey.updateMany({ where: { name, privateKey }, data: { privateKey: resealed } }),
      })),
  },
];
