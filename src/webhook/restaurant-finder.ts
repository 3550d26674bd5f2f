import { HttpStatus, Injectable } from '@nestjs/common';
import type { Principal } from '../auth/principal.js';
import { Config } from '../config/config.js';
import { PrismaService } from '../database/prisma.service.js';
import { isUuid } from '../domain/text.js';
import { isTestStore, type Transaction } from '../domain/transaction.js';
import { problem } from '../http/problem.js';

/** The restaurant of a transaction. */
export interface FoundRestaurant {
  readonly id: string;
  readonly codeStorePos: string | null;
}

/** A restaurant that a transaction may belong to. */
interface Candidate extends FoundRestaurant {
  readonly codeStoreTerminal: string | null;
}

/** What a transaction says of its restaurant. */
interface Named {
  readonly storeCode: string | null;
  readonly restaurantId: string | null;
  /** storeCode is the test store code, which needs no match (W10) */
  readonly isTest: boolean;
}

/** Finds the restaurant that a transaction belongs to (W6 to W11). */
@Injectable()
export class RestaurantFinder {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /**
   * @returns the restaurant
   * @throws 400 NO_OWNER_LINK or UNKNOWN_STORE
   */
  async find(principal: Principal, transaction: Transaction): Promise<FoundRestaurant> {
    const { storeCode, restaurantId } = transaction;
    const named = { storeCode, restaurantId, isTest: isTestStore(transaction, this.config.terminalTestStoreCode) };
    if (principal.kind === 'terminal') return this.forTerminalPlatform(named);
    const links = await this.prisma.userRestaurant.findMany({
      where: { userId: principal.user.id, role: 'OWNER', restaurant: { deletedAt: null } },
      select: { origin: true, restaurant: { select: { id: true, codeStoreTerminal: true, codeStorePos: true } } },
    });
    if (links.length === 0) throw noOwnerLink('this user owns no restaurant');
    const own = links.filter(({ origin }) => origin !== 'ADDED').map(({ restaurant }) => restaurant);
    const others = links.filter(({ origin }) => origin === 'ADDED').map(({ restaurant }) => restaurant);
    return forOwner(own, others, named);
  }

  /** W8: any restaurant that has an OWNER. */
  private async forTerminalPlatform(named: Named): Promise<FoundRestaurant> {
    const { storeCode, restaurantId } = named;
    const conditions = [
      ...(storeCode ? [{ codeStoreTerminal: storeCode }] : []),
      ...(restaurantId && isUuid(restaurantId) ? [{ id: restaurantId }] : []),
    ];
    const found = await this.prisma.restaurant.findMany({
      where: { OR: conditions, deletedAt: null },
      select: {
        id: true,
        codeStoreTerminal: true,
        codeStorePos: true,
        users: { where: { role: 'OWNER' }, select: { id: true }, take: 1 },
      },
    });
    const restaurant = matching(found, named, named.isTest);
    if (!restaurant) throw mismatch(found, named);
    if (restaurant.users.length === 0) throw noOwnerLink('the restaurant has no OWNER');
    return restaurant;
  }
}

/**
 * One of the restaurants that the user owns.
 * @param own by links of the user's own: asked first, by W6, W7 and W10
 * @param others by links that others made: they serve only where the transaction names one exactly (W11)
 */
function forOwner(own: readonly Candidate[], others: readonly Candidate[], named: Named): FoundRestaurant {
  const { storeCode, restaurantId, isTest } = named;
  const only = own.length === 1 ? own[0] : undefined;
  // a new restaurant's first sale must not fail because its codeStoreTerminal has not been set (W7)
  const codeNotSet = only?.codeStoreTerminal === null;
  const exact = matching(own, named, isTest || codeNotSet);
  if (exact) return exact;
  const needsNoMatch = !storeCode || isTest || codeNotSet;
  if (only && needsNoMatch && !restaurantId) return only;
  const ofOthers = matching(others, named, isTest);
  if (ofOthers) return ofOthers;
  throw mismatch([...own, ...others], named);
}

/**
 * The candidate that both storeCode and restaurantId name, where both are sent.
 * @param anyCode a storeCode that no candidate has is ignored, if there is a restaurantId
 */
function matching<T extends Candidate>(
  candidates: readonly T[],
  { storeCode, restaurantId }: Named,
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

/** Says which of storeCode and restaurantId did not match (W9). */
function mismatch(candidates: readonly Candidate[], { storeCode, restaurantId, isTest }: Named) {
  const wrong: string[] = [];
  if (!storeCode && !restaurantId) wrong.push('storeCode or restaurantId is required');
  if (restaurantId && !candidates.some(({ id }) => id === restaurantId))
    wrong.push(`restaurantId: ${isUuid(restaurantId) ? 'names no restaurant of this sender' : 'must be a UUID'}`);
  if (isTest && !restaurantId) wrong.push('restaurantId: is required with the test store code');
  else if (storeCode && !isTest && !candidates.some(({ codeStoreTerminal }) => codeStoreTerminal === storeCode))
    wrong.push('storeCode: is the codeStoreTerminal of no restaurant of this sender');
  return unknownStore(wrong.join('; ') || 'storeCode and restaurantId name different restaurants');
}

/** @param message which of storeCode and restaurantId did not match (W9) */
export function unknownStore(message: string) {
  return problem(HttpStatus.BAD_REQUEST, 'UNKNOWN_STORE', message);
}
