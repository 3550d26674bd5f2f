import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SalesFirst } from '../../sales-first.js';
import { type ErrorCode, isBeyondBound } from '../error-codes.js';
import { FairSlots } from './fair-slots.js';

/** The time that a refusal counts for at most, whatever its client has done meanwhile, and the longest wait of its answer; ms (L250). */
const COUNTS_AT_MOST_MS = 20;
const WAIT_MS = 4_000;

/** Whose request was refused. */
export interface RefusedSender {
  readonly account: string;
  /** accounts of one founder take turns as one; undefined: nobody's, or not known */
  readonly founder: string | undefined;
  /** gives a signal that aborts when the client has gone */
  readonly gone: () => AbortSignal;
}

/**
 * What is refused takes the time of sales as well: the account is read, and often a link. Most of it has no turn (H20), or one that ends at once, so its
 * answer waits for a turn here (H28). No change and no read waits for these turns.
 */
export class AccountRefusals {
  private readonly turns: FairSlots;

  constructor(private readonly salesFirst: SalesFirst) {
    this.turns = new FairSlots({
      get total() {
        return salesFirst.turns(1);
      },
      pauseAfter: (tookMs) => salesFirst.pauseAfter(1, tookMs),
      ofKey: 1,
      waitMs: WAIT_MS,
    });
  }

  /** Waits until the refusal may be answered. It is answered at once when too many wait. @param tookMs since the request has had a slot of its account, ms */
  async wait({ account, founder, gone }: RefusedSender, tookMs: number): Promise<void> {
    const countsMs = Math.min(tookMs, COUNTS_AT_MOST_MS);
    try {
      const free = await this.turns.take(account, gone, founder);
      this.salesFirst.read()();
      // as if the turn had begun so much earlier
      free(-countsMs);
    } catch {
      // it has waited long enough, or nobody waits for it
    }
  }

  wake(): void {
    this.turns.wake();
  }
}

/** Whether an answer refuses what an account asked for: a 4xx, or a 503 of a bound. */
export function isRefusal(request: FastifyRequest, { statusCode }: FastifyReply): boolean {
  if (statusCode < 500) return statusCode >= 400;
  return request.errorCode !== undefined && isBeyondBound(request.errorCode as ErrorCode);
}
