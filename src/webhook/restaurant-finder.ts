import { HttpStatus, Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config.js';
import { Prisma } from '../database/prisma.js';
import { isTestStore, type Transaction } from '../domain/transaction.js';
import { problem } from '../problem.js';

interface Candidate {
  readonly id: string;
  readonly codeStoreTerminal: string | null;
}

/** The restaurant an event belongs to (DECISIONS 2.3). */
@Injectable()
export class RestaurantFinder {
  constructor(
    private readonly prisma: Prisma,
    private readonly config: Config,
  ) {}

  /** @throws 400 NO_OWNER_LINK or UNKNOWN_STORE */
  async find(principal: Principal, transaction: Transaction): Promise<string> {
    const isTest = isTestStore(transaction, this.config.terminalTestStoreCode);
    if (principal.kind === 'terminal') return this.ofTerminal(transaction, isTest);
    const links = await this.prisma.userRestaurant.findMany({
      where: { userId: principal.user.id, role: 'OWNER', restaurant: { deletedAt: null } },
      select: { restaurant: { select: { id: true, codeStoreTerminal: true } } },
    });
    if (links.length === 0) throw noOwnerLink('this user owns no restaurant');
    return ofOwner(
      links.map(({ restaurant }) => restaurant),
      transaction,
      isTest,
    );
  }

  private async ofTerminal({ storeCode, restaurantId }: Transaction, isTest: boolean): Promise<string> {
    const named = [
      ...(storeCode ? [{ codeStoreTerminal: storeCode }] : []),
      ...(restaurantId ? [{ id: restaurantId }] : []),
    ];
    if (named.length === 0) throw unknownStore('storeCode or restaurantId is required');
    const found = await this.prisma.restaurant.findMany({
      where: { OR: named, deletedAt: null },
      select: { id: true, codeStoreTerminal: true, users: { where: { role: 'OWNER' }, select: { id: true }, take: 1 } },
    });
    const restaurant = agreeing(found, storeCode, restaurantId, isTest);
    if (!restaurant) throw unknownStore();
    if (restaurant.users.length === 0) throw noOwnerLink('the restaurant has no OWNER');
    return restaurant.id;
  }
}

function ofOwner(owned: readonly Candidate[], { storeCode, restaurantId }: Transaction, isTest: boolean): string {
  const only = owned.length === 1 ? owned[0] : undefined;
  // a newcomer's first sale must not fail on a code nobody has typed in
  const newcomer = only?.codeStoreTerminal === null;
  const named = agreeing(owned, storeCode, restaurantId, isTest || newcomer);
  if (named) return named.id;
  const needsNoMatch = !storeCode || isTest || newcomer;
  if (only && needsNoMatch && !restaurantId) return only.id;
  throw unknownStore(storeCode || restaurantId ? undefined : 'storeCode or restaurantId is required');
}

/**
 * The candidate that storeCode and restaurantId name together.
 * @param anyCode the storeCode needs no match, as long as it does not name somebody else
 */
function agreeing<T extends Candidate>(
  candidates: readonly T[],
  storeCode: string | null,
  restaurantId: string | null,
  anyCode: boolean,
): T | undefined {
  const byCode = storeCode ? candidates.find(({ codeStoreTerminal }) => codeStoreTerminal === storeCode) : undefined;
  if (!restaurantId) return byCode;
  const byId = candidates.find(({ id }) => id === restaurantId);
  const codeAgrees = !storeCode || byCode === byId || (anyCode && !byCode);
  return codeAgrees ? byId : undefined;
}

function noOwnerLink(why: string) {
  return problem(HttpStatus.BAD_REQUEST, 'NO_OWNER_LINK', `${why}: link an OWNER before sending transactions`);
}

function unknownStore(message = 'storeCode and restaurantId must name one restaurant of this sender') {
  return problem(HttpStatus.BAD_REQUEST, 'UNKNOWN_STORE', message);
}
