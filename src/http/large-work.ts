import { Injectable } from '@nestjs/common';
import { FairSlots } from './fair-slots.js';

/** A sale from this size on takes long to read, in bytes or characters (L162). */
const LARGE = 65_536;

export const isLarge = (size: number) => size >= LARGE;

/**
 * Turns of senders for reading large sales, since it holds up every other request of the process: one at a time, and a sender whose sales have
 * taken long rests between them while others of its own wait (W50).
 */
@Injectable()
export class LargeWork {
  private readonly slots = new FairSlots({ total: 1, ofKey: 1, restsAfterMs: 100, waitMs: 4_000 });

  /**
   * Waits for a turn if the sale is large. The turn ends when the work that the caller does at once, without waiting for anything, is done.
   * @param sender who takes turns with others: the id of a restaurant or user, or a name
   * @param gone as that of {@link FairSlots.take}
   * @throws 503 TOO_MANY_AT_ONCE; ClientGoneError
   */
  async turn(sender: string, size: number, gone: () => AbortSignal): Promise<void> {
    if (!isLarge(size)) return;
    const free = await this.slots.take(sender, gone);
    setImmediate(free);
  }
}
