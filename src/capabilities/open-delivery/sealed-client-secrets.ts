import type { PrismaService } from '../../platform/database/prisma.service.js';
import { clientSecretContext } from '../../platform/secrets/contexts.js';
import type { SealedColumn } from '../../platform/secrets/sealed-columns.js';

export const sealedClientSecrets = (prisma: PrismaService): SealedColumn => ({
  group: 'restaurants',
  whenLost: 'rotate the credentials of the POS of these restaurants, if it gets events',
  values: async () => {
    const found = await prisma.posCredential.findMany({
      where: { secret: { not: null } },
      select: { id: true, secret: true },
    });
    return found.map(({ id, secret }) => ({
      sealed: secret as string,
      context: clientSecretContext(id),
      replace: (resealed) => prisma.posCredential.updateMany({ where: { id, secret }, data: { secret: resealed } }),
    }));
  },
});
