import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../platform/bounded-map.js';
import { Config } from '../../platform/config/config.js';
import { FairSlots } from '../../platform/http/limits/fair-slots.js';

/** Requests of one printer under way, and that wait; a printer rests when its requests have taken this time together and others wait; ms (L169). */
const OF_PRINTER = { ofKey: 1, mostWaiting: 4, restsAfterMs: 200, restsIfOthersWait: true };
/** Requests of the printers of one restaurant under way (L169). */
const OF_RESTAURANT = 2;
/** The part of the connections that the requests of all printers have (L169). */
const PART_OF_CONNECTIONS = 0.3;
/** The longest wait for each turn, ms (L169). A printer gives up after some seconds, and asks again. */
const WAIT_MS = 4_000;
/** The most printers that an instance knows; the one learnt first is forgotten first. */
const MAX_KNOWN = 10_000;

/**
 * The turns of printers (K11; decisions/090): the requests of one printer come one after the other, and those of all take turns by restaurant for a part of the
 * connections. Each instance has turns of its own.
 */
@Injectable()
export class PrintTurns {
  private readonly printers = new FairSlots({ total: Number.POSITIVE_INFINITY, waitMs: WAIT_MS, ...OF_PRINTER });
  private readonly restaurants: FairSlots;
  /** the digest of a printer's token -> its restaurant */
  private readonly known = new BoundedMap<string>(MAX_KNOWN);

  constructor({ databasePoolSize, databaseUrl }: Config) {
    // the statements of the embedded database run one after the other
    const total = databaseUrl === undefined ? 1 : Math.max(1, Math.floor(databasePoolSize * PART_OF_CONNECTIONS));
    this.restaurants = new FairSlots({ total, ofKey: Math.min(OF_RESTAURANT, total), waitMs: WAIT_MS });
  }

  /** @returns the id of the restaurant; undefined: this instance does not know a printer with this digest */
  restaurantOf(digest: string): string | undefined {
    return this.known.get(digest);
  }

  learn(digest: string, restaurantId: string): void {
    this.known.set(digest, restaurantId);
  }

  /** The printer was removed. */
  forget(digest: string): void {
    this.known.delete(digest);
  }

  /**
   * Does the work of a request when it is the turn of its printer, and of its restaurant.
   * @throws 503 TOO_MANY_AT_ONCE; ClientGoneError; what the work throws
   */
  async run<T>(
    printer: { readonly digest: string; readonly restaurantId: string },
    gone: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    const leave = await this.printers.take(printer.digest, () => gone);
    const since = performance.now();
    let waitedMs = 0;
    try {
      const free = await this.restaurants.take(printer.restaurantId, () => gone);
      waitedMs = performance.now() - since;
      try {
        return await work();
      } finally {
        free();
      }
    } finally {
      leave(waitedMs);
    }
  }
}
