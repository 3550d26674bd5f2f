import { Injectable } from '@nestjs/common';
import { isSmall, LARGE } from '../domain/sale-size.js';
import { FairSlots } from '../platform/http/limits/fair-slots.js';
import { HeavyWork } from '../platform/http/limits/heavy-work.js';

/** Medium and large sales of a sender that are read and stored at once; when it rests; the longest wait for that, ms (L196). */
const UNDER_WAY = 4;
const RESTS_AFTER_MS = 200;
const WAIT_MS = 4_000;
/** What reading medium sales rests: all together have a third of the time (L195). */
const REST = 2;

/** Whether a sale waits for a turn, and whose turns these are (W50, W51). Each instance has turns of its own. */
@Injectable()
export class SaleTurns {
  readonly large = new HeavyWork();
  readonly medium = new HeavyWork({ rest: REST });
  /** no bound on those that wait but their connections: one that is refused at once is sent again at once, and costs more */
  private readonly underWay = new FairSlots({
    total: Number.POSITIVE_INFINITY,
    ofKey: UNDER_WAY,
    mostWaiting: Number.POSITIVE_INFINITY,
    restsAfterMs: RESTS_AFTER_MS,
    waitMs: WAIT_MS,
  });

  /**
   * The turns for reading a sale.
   * @param size bytes of a body, or characters of a stored payload
   * @returns undefined: it is as small as ordinary ones, and does not wait
   */
  of(size: number): HeavyWork | undefined {
    if (isSmall(size)) return undefined;
    return size >= LARGE ? this.large : this.medium;
  }

  /**
   * Waits until a sale of this size may be read and stored; what the caller then does at once is its turn.
   * @param sender the account or restaurant of {@link nameOf}; undefined: the platform, whose restaurants are many
   * @param gone as that of {@link FairSlots.take}
   * @returns is called when it is stored
   * @throws 503 TOO_MANY_AT_ONCE; ClientGoneError
   */
  async enter(size: number, sender: string | undefined, gone: () => AbortSignal): Promise<() => void> {
    const leave = sender === undefined ? () => {} : await this.underWay.take(sender, gone);
    const since = performance.now();
    try {
      await this.of(size)?.turn(sender ?? 'platform', gone);
    } catch (error) {
      leave(performance.now() - since);
      throw error;
    }
    const waitedMs = performance.now() - since;
    return () => leave(waitedMs);
  }
}
