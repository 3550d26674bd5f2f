import type { PrismaService } from '../platform/database/prisma.service.js';
import { posSecretContext } from '../platform/secrets/contexts.js';
import type { SealedColumn } from '../platform/secrets/sealed-columns.js';

export const sealedPosSecrets = (prisma: PrismaService): SealedColumn => ({
  group: 'restaurants',
  whenLost: 'set the posSecret of these restaurants again',
  values: async () => {
    const found = await prisma.restaurant.findMany({
      where: { posSecret: { not: null } },
      select: { id: true, posSecret: true },
    });
    return found.map(({ id, posSecret }) => ({
      sealed: posSecret as string,
      context: posSecretContext(id),
      replace: (resealed) => prisma.restaurant.updateMany({ where: { id, posSecret }, data: { posSecret: resealed } }),
    }));
  },
});
