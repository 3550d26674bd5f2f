import { Injectable } from '@nestjs/common';
import { FairSlots } from './fair-slots.js';
import { networkOf } from './network.js';

/** Who sends a token. */
export interface TokenSender {
  /** IP address */
  readonly address: string;
  /** aborts when the client has closed its connection */
  readonly gone?: AbortSignal;
}

/**
 * The turns of look-ups of tokens that anybody may send without a sign-in (A39, L164): by network, over all routes. A token that was made up
 * costs a statement, and a client that sends many must not take the connections of the sales.
 */
@Injectable()
export class TokenLookUps {
  private readonly turns = new FairSlots({ total: 2, ofKey: 1, restsAfterMs: 200, restsIfOthersWait: true });

  /**
   * Looks a token up when it is the turn of the sender's network.
   * @throws 503 TOO_MANY_AT_ONCE; ClientGoneError; what the look-up throws
   */
  async run<T>({ address, gone }: TokenSender, lookUp: () => Promise<T>): Promise<T> {
    const free = await this.turns.take(networkOf(address), () => gone ?? new AbortController().signal);
    try {
      return await lookUp();
    } finally {
      free();
    }
  }
}
