import { HttpStatus, Injectable } from '@nestjs/common';
import { BoundedMap } from '../auth/bounded-map.js';
import { Config } from '../config/config.js';
import { PrismaService } from '../database/prisma.service.js';
import { isUuid } from '../domain/text.js';
import { isTestStore, type Transaction } from '../domain/transaction.js';
import { problem } from '../http/problem.js';
import type { Premise } from '../outbox/store/enqueue.js';
import type { Owner } from './authentication/owners.js';
import type { Sender } from './authentication/sender.js';

/** The restaurant of a transaction. */
export interface FoundRestaurant {
  readonly id: string;
  readonly codeStorePos: string | null;
  /** the values by which the restaurant was found, perhaps cached; the statement that stores the sale checks them again (W28) */
  readonly premise: Premise;
}

/** A restaurant that a transaction may belong to. */
interface Candidate {
  readonly id: string;
  readonly codeStoreTerminal: string | null;
  readonly codeStorePos: string | null;
}

/** The fields of a transaction that name its restaurant. */
interface Named {
  readonly storeCode: string | null;
  readonly restaurantId: string | null;
  /** storeCode is the test store code, which needs no match (W10) */
  readonly isTest: boolean;
}

/** The most restaurants in the cache. */
const MAX_REMEMBERED = 10_000;

/** Finds the restaurant that a transaction belongs to (W6 to W11). */
@Injectable()
export class RestaurantFinder {
  /** cache of the restaurants found for the terminal platform, by storeCode and restaurantId as sent */
  private readonly found = new BoundedMap<FoundRestaurant>(MAX_REMEMBERED);
  /** reads in progress, by the same key: concurrent sales of one restaurant share a read */
  private readonly reads = new Map<string, Promise<FoundRestaurant>>();

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /**
   * Finds the restaurant of a transaction: for a user among the restaurants of `sender.owner`, which may be cached; for the terminal
   * platform in the cache of this class or in the database. The statement that stores the sale checks the cached values again (W28).
   * @param fromMemory whether a cached restaurant is accepted
   * @throws 400 NO_OWNER_LINK or UNKNOWN_STORE
   */
  async find(sender: Sender, transaction: Transaction, fromMemory: boolean): Promise<FoundRestaurant> {
    const { storeCode, restaurantId } = transaction;
    const named = { storeCode, restaurantId, isTest: isTestStore(transaction, this.config.terminalTestStoreCode) };
    return sender.kind === 'user' ? ofOwner(sender.owner, named) : this.ofTerminalPlatform(named, fromMemory);
  }

  /** W8: any restaurant that has an OWNER. */
  private async ofTerminalPlatform(named: Named, fromMemory: boolean): Promise<FoundRestaurant> {
    const { storeCode, restaurantId } = named;
    const key = JSON.stringify([storeCode, restaurantId]);
    // the result of a read that began before this sale arrived may place the sale, but not refuse it
    const cached = fromMemory ? (this.found.get(key) ?? (await this.reads.get(key)?.catch(() => null))) : null;
    if (cached) return cached;
    this.found.delete(key);
    const reading = this.read(named).then(({ restaurant, mayBeRemembered }) => {
      if (mayBeRemembered) this.found.set(key, restaurant);
      return restaurant;
    });
    this.reads.set(key, reading);
    return reading.finally(() => {
      if (this.reads.get(key) === reading) this.reads.delete(key);
    });
  }

  private async read(named: Named): Promise<{ restaurant: FoundRestaurant; mayBeRemembered: boolean }> {
    const { storeCode, restaurantId } = named;
    const conditions = [
      ...(storeCode ? [{ codeStoreTerminal: storeCode }] : []),
      ...(restaurantId && isUuid(restaurantId) ? [{ id: restaurantId }] : []),
    ];
    const candidates = await this.prisma.restaurant.findMany({
      where: { OR: conditions, deletedAt: null },
      select: {
        id: true,
        codeStoreTerminal: true,
        codeStorePos: true,
        users: { where: { role: 'OWNER' }, select: { id: true }, take: 1 },
      },
    });
    const restaurant = matching(candidates, named, named.isTest);
    if (!restaurant) throw mismatch(candidates, named);
    if (restaurant.users.length === 0) throw noOwnerLink('the restaurant has no OWNER');
    const { id, codeStoreTerminal, codeStorePos } = restaurant;
    return {
      restaurant: { id, codeStorePos, premise: { codeStoreTerminal, codeStorePos } },
      // not cached: found by restaurantId although no restaurant has the storeCode (the test store code); a restaurant may get this code
      mayBeRemembered: !storeCode || storeCode === codeStoreTerminal,
    };
  }
}

/** W6: a restaurant whose OWNER is the user. */
function ofOwner({ id: ownerId, state: ownerState, restaurants }: Owner, named: Named): FoundRestaurant {
  if (restaurants.length === 0) throw noOwnerLink('this user owns no restaurant');
  const { id, codeStorePos } = oneOf(
    restaurants.filter(({ own }) => own),
    restaurants.filter(({ own }) => !own),
    named,
  );
  return { id, codeStorePos, premise: { ownerId, ownerState } };
}

/**
 * One of the user's restaurants.
 * @param own restaurants by own links; they come first, by W6, W7 and W10
 * @param others restaurants by links that others made; found only by an exact storeCode or restaurantId (W11)
 */
function oneOf(own: readonly Candidate[], others: readonly Candidate[], named: Named): Candidate {
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
 * The candidate that has both storeCode and restaurantId, or has the one of them that was sent.
 * @param anyCode true: if a restaurantId was sent, a storeCode that no candidate has is ignored
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

const TEST_STORE_NEEDS_RESTAURANT =
  'restaurantId: is required with the test store code (TERMINAL_TEST_STORE_CODE), which names no restaurant; only the user who owns a ' +
  'single restaurant may leave it out';

function noOwnerLink(why: string) {
  return problem(HttpStatus.BAD_REQUEST, 'NO_OWNER_LINK', `${why}: link an OWNER before sending transactions`);
}

/** 400 UNKNOWN_STORE; its message names what did not match (W9). */
function mismatch(candidates: readonly Candidate[], { storeCode, restaurantId, isTest }: Named) {
  const wrong: string[] = [];
  if (!storeCode && !restaurantId) wrong.push('storeCode or restaurantId is required');
  if (restaurantId && !candidates.some(({ id }) => id === restaurantId))
    wrong.push(`restaurantId: ${isUuid(restaurantId) ? 'names no restaurant of this sender' : 'must be a UUID'}`);
  if (isTest && !restaurantId) wrong.push(TEST_STORE_NEEDS_RESTAURANT);
  else if (storeCode && !isTest && !candidates.some(({ codeStoreTerminal }) => codeStoreTerminal === storeCode))
    wrong.push('storeCode: is the codeStoreTerminal of no restaurant of this sender');
  const message = wrong.join('; ') || 'storeCode and restaurantId name different restaurants';
  return problem(HttpStatus.BAD_REQUEST, 'UNKNOWN_STORE', message);
}
