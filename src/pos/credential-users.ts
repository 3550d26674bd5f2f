import type { PosConfig, PosCredentials } from '../platform/config/pos-config.js';
import type { PrismaService } from '../platform/database/prisma.service.js';
import { posSecretContext } from '../platform/secrets/contexts.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import { type NamedRestaurants, namedRestaurants } from '../platform/telemetry/named-restaurants.js';

/**
 * The restaurants whose orders are sent with these credentials (D3): restaurants that have these credentials and, if the relay has them
 * as the default, restaurants without credentials.
 * @throws the database's error
 */
export async function credentialUsers(
  prisma: PrismaService,
  box: SecretBox,
  { credentials: relays }: PosConfig,
  { partnerId, secret }: PosCredentials,
): Promise<NamedRestaurants> {
  const isRelays = relays?.partnerId === partnerId && relays.secret === secret;
  const withoutOwn = isRelays ? [{ posIdPartner: null }, { posSecret: null }] : [];
  const found = await prisma.restaurant.findMany({
    where: { deletedAt: null, OR: [{ posIdPartner: partnerId }, ...withoutOwn] },
    select: { id: true, name: true, posIdPartner: true, posSecret: true },
    orderBy: { createdAt: 'asc' },
  });
  const using = found.filter(({ id, posIdPartner, posSecret }) =>
    posIdPartner && posSecret ? box.open(posSecret, posSecretContext(id)) === secret : isRelays,
  );
  return namedRestaurants(using);
}
