import { Injectable } from '@nestjs/common';
import { AttemptWindows } from '../../auth/attempt-windows.js';
import { LARGE } from '../../domain/sale-size.js';
import { Config } from '../../platform/config/config.js';
import { FairSlots } from '../../platform/http/limits/fair-slots.js';
import { HeavyWork } from '../../platform/http/limits/heavy-work.js';
import { problem } from '../../platform/http/problem.js';
import { POS_CODES } from './error-codes.js';
import type { PosPrincipal } from './pos-tokens.js';

/** Requests of the credentials of a POS within a second (L262). */
const EACH_SECOND = 100;
/** Requests of a restaurant under way, and that wait (L262). */
const OF_RESTAURANT = { ofKey: 2, mostWaiting: 20 };
/** The part of the connections that the requests of all POSs have (L262). */
const PART_OF_CONNECTIONS = 0.3;
/** Polls of all POSs under way: what two statements take (L262). */
const POLLS = { server: 40, embedded: 10 };
/** On the embedded database a restaurant rests as an account does (L128), while others wait. */
const RESTS = { restsAfterMs: 1_000, restsIfOthersWait: true };
/** The longest wait, ms (L262). A POS polls again before long. */
const WAIT_MS = 4_000;

/** The turns of POSs that pull (Q11): sales keep most of the connections. Each instance has turns of its own. */
@Injectable()
export class PosTurns {
  private readonly windows = new AttemptWindows(1_000);
  private readonly slots: FairSlots;
  private readonly polls: FairSlots;
  readonly large = new HeavyWork();

  constructor({ databasePoolSize, databaseUrl }: Config) {
    // the statements of the embedded database run one after the other
    const isEmbedded = databaseUrl === undefined;
    const total = isEmbedded ? 1 : Math.max(1, Math.floor(databasePoolSize * PART_OF_CONNECTIONS));
    const slots = (total: number) =>
      new FairSlots({
        total,
        ...(isEmbedded && RESTS),
        waitMs: WAIT_MS,
        ...OF_RESTAURANT,
        ofKey: Math.min(OF_RESTAURANT.ofKey, total),
      });
    this.slots = slots(total);
    this.polls = slots(POLLS[isEmbedded ? 'embedded' : 'server']);
  }

  /** @throws 429 TOO_MANY_POLLS_A_SECOND with Retry-After */
  count({ credentialId }: PosPrincipal): void {
    const now = performance.now();
    if (this.windows.waitOf(credentialId, EACH_SECOND, now) > 0)
      throw problem(POS_CODES.TOO_MANY_POLLS_A_SECOND, `at most ${EACH_SECOND} requests a second`, 1);
    this.windows.add(credentialId, now);
  }

  /** Does the work of a request when it is the turn of its restaurant; those of one founder take turns as one (O44). @throws 503 TOO_MANY_AT_ONCE; ClientGoneError; what the work throws */
  run<T>(pos: PosPrincipal, gone: AbortSignal, work: () => Promise<T>): Promise<T> {
    return inTurn(this.slots, pos, gone, work);
  }

  /** As {@link run}, for the statement of a poll, which takes no connection of its own. */
  poll<T>(pos: PosPrincipal, gone: AbortSignal, work: () => Promise<T>): Promise<T> {
    return inTurn(this.polls, pos, gone, work);
  }

  /**
   * Waits until an order may be made. A large one holds up every other request, as reading its sale does: one is made at a time, by turns of founders,
   * and all have a part of the time (H29). The turn ends when what the caller does at once is done, which includes the answer.
   * @param size characters of what it is made of
   * @throws 503 TOO_MANY_AT_ONCE; ClientGoneError
   */
  async bySize(
    size: number,
    { restaurantId, foundedBy = restaurantId }: PosPrincipal,
    gone: AbortSignal,
  ): Promise<void> {
    if (size >= LARGE) await this.large.turn(foundedBy, () => gone);
  }
}

async function inTurn<T>(
  slots: FairSlots,
  { restaurantId, foundedBy }: PosPrincipal,
  gone: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const free = await slots.take(restaurantId, () => gone, foundedBy);
  try {
    return await work();
  } finally {
    free();
  }
}
