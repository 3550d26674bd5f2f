import type { PrismaService } from '../../platform/database/prisma.service.js';
import { senderKeyContext } from '../../platform/secrets/contexts.js';
import type { SealedColumn } from '../../platform/secrets/sealed-columns.js';

export const sealedSecrets = (prisma: PrismaService): SealedColumn => ({
  group: 'channels',
  whenLost: 'rotate the sender keys',
  values: async () => {
    const found = await prisma.senderKey.findMany({
      where: { secret: { not: null } },
      select: { id: true, secret: true },
    });
    return found.map(({ id, secret }) => ({
      sealed: secret as string,
      context: senderKeyContext(id),
      replace: (resealed) => prisma.senderKey.updateMany({ where: { id, secret }, data: { secret: resealed } }),
    }));
  },
});
