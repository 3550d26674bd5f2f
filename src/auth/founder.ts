import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../platform/bounded-map.js';
import type { Prisma } from '../platform/database/generated/client.js';
import { PrismaService } from '../platform/database/prisma.service.js';

/** The most accounts whose founder a process remembers. */
const MOST_REMEMBERED = 10_000;

/**
 * SQL of the founder of an account: the first of the chain of accounts that created each other. Restaurants, turns and test mails of an account count for
 * its founder (O44, G46). It is NULL for a platform administrator.
 * @param id SQL of the id of the account, a uuid
 */
export const founderSql = (id: string): string => `(
  WITH RECURSIVE chain AS (
    SELECT account.id, account.created_by, 1 AS number FROM users account WHERE account.id = ${id} AND account.role = 'USER'
    UNION ALL
    SELECT creator.id, creator.created_by, number + 1 FROM chain JOIN users creator ON creator.id = chain.created_by AND creator.role = 'USER'
  )
  SELECT chain.id::text FROM chain ORDER BY number DESC LIMIT 1)`;

/** The account of {@link founderSql}. @returns null for a platform administrator */
export async function founderOf(tx: Prisma.TransactionClient, userId: string): Promise<string | null> {
  const [founder] = await tx.$queryRawUnsafe<{ id: string | null }[]>(`SELECT ${founderSql('$1::uuid')} AS id`, userId);
  return founder?.id ?? null;
}

/** The founders of accounts. Who created an account never changes, so each is read once. */
@Injectable()
export class Founders {
  private readonly known = new BoundedMap<string | null>(MOST_REMEMBERED);

  constructor(private readonly prisma: PrismaService) {}

  /** As {@link founderOf}. @throws the database's error */
  async of(userId: string): Promise<string | null> {
    const known = this.known.get(userId);
    if (known !== undefined) return known;
    const founder = await founderOf(this.prisma, userId);
    this.known.set(userId, founder);
    return founder;
  }
}
