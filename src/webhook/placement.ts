import { Injectable } from '@nestjs/common';
import { isUuid } from '../domain/text.js';
import { isTestMode, isTestStore, type Transaction } from '../domain/transaction.js';
import type { Place } from '../outbox/store/place.js';
import { Config } from '../platform/config/config.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import { problem } from '../platform/http/problem.js';
import { KeyAuthentication } from './authentication/key.authentication.js';
import type { Owner } from './authentication/owners.js';
import type { Sender } from './authentication/sender.js';
import { SALE_CODES } from './error-codes.js';

/** A restaurant that a transaction may belong to. */
interface Candidate {
  readonly id: string;
  readonly codeStoreTerminal: string | null;
}

/** The fields of a transaction that name its restaurant. */
interface Named {
  /** null: none, or the test store code, which names no restaurant (W10) */
  readonly storeCode: string | null;
  readonly restaurantId: string | null;
  /** it has the test store code */
  readonly isTestStore: boolean;
}

/** Places transactions: which restaurant a transaction belongs to (W6 to W11). */
@Injectable()
export class Placement {
  constructor(
    private readonly keys: KeyAuthentication,
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /**
   * The place of a transaction: for a user one of the restaurants that were read with the user; for the terminal platform the fields by
   * which the statement that stores the sale finds the restaurant (W28); for a sender key its restaurant, or these fields (V7).
   * @throws 400 NO_OWNER_LINK or UNKNOWN_STORE
   */
  async place(sender: Sender, transaction: Transaction): Promise<Place> {
    const named = this.namedBy(transaction);
    if (sender.kind === 'key' && sender.key.restaurantId) {
      const { restaurantId, id: key, party } = sender.key;
      return {
        sender: 'key',
        restaurantId,
        key,
        party: party ?? restaurantId,
        storeCode: named.storeCode,
        named: named.restaurantId,
      };
    }
    if (sender.kind === 'user') return ofOwner(sender.owner, named);
    const { storeCode, restaurantId } = named;
    if (restaurantId && !isUuid(restaurantId)) await this.refuse(named);
    return { sender: 'terminal', storeCode, restaurantId, key: sender.kind === 'key' ? sender.key.id : undefined };
  }

  /**
   * Places a transaction again, after the statement found no restaurant at its place, or one that was locked.
   * @param sender as it is now
   * @throws why the transaction is refused: 400 NO_OWNER_LINK or UNKNOWN_STORE, 401 or 403 for a sender key, unless sender or restaurant has changed
   *   meanwhile
   */
  async placeAgain(sender: Sender, transaction: Transaction): Promise<Place> {
    if (sender.kind === 'key') {
      await this.keys.refuse(sender.key, isTestMode(transaction, this.config.terminalTestStoreCode));
      if (sender.key.restaurantId) return this.place(sender, transaction);
    }
    if (sender.kind !== 'user') await this.refuse(this.namedBy(transaction));
    return this.place(sender, transaction);
  }

  /** W8: reads why no restaurant with an OWNER fits. @returns when one fits */
  private async refuse(named: Named): Promise<void> {
    const { storeCode, restaurantId } = named;
    const candidates = await this.prisma.$queryRaw<(Candidate & { hasOwner: boolean })[]>`
      SELECT id::text, code_store_terminal AS "codeStoreTerminal", EXISTS (
               SELECT 1 FROM user_restaurants link WHERE link.restaurant_id = restaurants.id AND link.role = 'OWNER') AS "hasOwner"
      FROM restaurants
      WHERE deleted_at IS NULL
        AND (code_store_terminal = ${storeCode} OR id = ${restaurantId && isUuid(restaurantId) ? restaurantId : null}::uuid)`;
    const restaurant = matching(candidates, named);
    if (!restaurant) throw mismatch(candidates, named);
    if (!restaurant.hasOwner) throw noOwnerLink('the restaurant has no OWNER');
  }

  private namedBy(transaction: Transaction): Named {
    const { storeCode, restaurantId } = transaction;
    const isTest = isTestStore(transaction, this.config.terminalTestStoreCode);
    // a restaurant that has this code, which anybody may claim, gets no sale by it
    return { storeCode: isTest ? null : storeCode, restaurantId, isTestStore: isTest };
  }
}

/** W6: a restaurant whose OWNER is the user. */
function ofOwner({ restaurants, party }: Owner, named: Named): Place {
  if (restaurants.length === 0) throw noOwnerLink('this user owns no restaurant');
  const { id } = oneOf(
    restaurants.filter(({ own }) => own),
    restaurants.filter(({ own }) => !own),
    named,
  );
  return { sender: 'user', restaurantId: id, party };
}

/**
 * One of the user's restaurants.
 * @param own restaurants by own links; they come first, by W6, W7 and W10
 * @param others restaurants by links that others made; found only by an exact storeCode or restaurantId (W11)
 */
function oneOf(own: readonly Candidate[], others: readonly Candidate[], named: Named): Candidate {
  const { storeCode, restaurantId } = named;
  const only = own.length === 1 ? own[0] : undefined;
  // a new restaurant's first sale must not fail because its codeStoreTerminal has not been set (W7)
  const codeNotSet = only?.codeStoreTerminal === null;
  const exact = matching(own, named, codeNotSet);
  if (exact) return exact;
  const needsNoMatch = !storeCode || codeNotSet;
  if (only && needsNoMatch && !restaurantId) return only;
  const ofOthers = matching(others, named);
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
  anyCode = false,
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
  return problem(SALE_CODES.NO_OWNER_LINK, `${why}: link an OWNER before sending transactions`);
}

/** 400 UNKNOWN_STORE; its message names what did not match (W9). */
function mismatch(candidates: readonly Candidate[], { storeCode, restaurantId, isTestStore: isTest }: Named) {
  const wrong: string[] = [];
  if (!storeCode && !restaurantId && !isTest) wrong.push('storeCode or restaurantId is required');
  if (restaurantId && !candidates.some(({ id }) => id === restaurantId))
    wrong.push(`restaurantId: ${isUuid(restaurantId) ? 'names no restaurant of this sender' : 'must be a UUID'}`);
  if (isTest && !restaurantId) wrong.push(TEST_STORE_NEEDS_RESTAURANT);
  else if (storeCode && !candidates.some(({ codeStoreTerminal }) => codeStoreTerminal === storeCode))
    wrong.push('storeCode: is the codeStoreTerminal of no restaurant of this sender');
  const message = wrong.join('; ') || 'storeCode and restaurantId name different restaurants';
  return problem(SALE_CODES.UNKNOWN_STORE, message);
}
