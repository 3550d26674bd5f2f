import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { networkOf } from '../platform/http/limits/network.js';
import { problem } from '../platform/http/problem.js';
import { AttemptWindows } from './attempt-windows.js';
import { digestOf, KnownAddresses, pairOf } from './known-addresses.js';
import { Trickle } from './trickle.js';

const MINUTE_MS = 60_000;
/** Wrong passwords of an address in a minute, for each of LOGIN_ATTEMPTS_PER_MINUTE, and at least (L151). */
const OF_ADDRESS = { each: 10, least: 100 };
/** Wrong passwords of an account in an hour, for each of LOGIN_ATTEMPTS_PER_MINUTE, and at least (L151). */
const OF_ACCOUNT = { each: 5, least: 50 };

/**
 * Limits password checks, if LOGIN_ATTEMPTS_PER_MINUTE is set: for each pair of account and IP address (A9), and wrong ones for each address
 * and for each account (A34). Login, Basic and body credentials share the counters. They are in memory: each instance counts its own checks.
 */
@Injectable()
export class LoginThrottle {
  private readonly pairs = new AttemptWindows(MINUTE_MS);
  private readonly addresses = new AttemptWindows(MINUTE_MS);
  private readonly accounts = new Trickle(60 * MINUTE_MS);

  constructor(
    private readonly config: Config,
    private readonly known: KnownAddresses,
  ) {}

  /**
   * Counts one attempt, which counts as wrong until it is known to be none.
   * @returns takes the attempt back from the address, and from the account where it counted: its password was right, or it was no guess. The
   *   pair keeps it (A9).
   * @throws 429 TOO_MANY_REQUESTS with Retry-After, once a limit is reached; nothing is counted then
   */
  count(email: string, address: string): () => void {
    const limit = this.config.loginAttemptsPerMinute;
    if (limit === 0) return () => {};
    const now = performance.now();
    const [pair, network] = [digestOf(email, address), networkOf(address)];
    const waitMs = Math.max(
      this.pairs.waitOf(pair, limit, now),
      this.addresses.waitOf(network, limitOf(OF_ADDRESS, limit), now),
    );
    if (waitMs > 0) throw tooMany(waitMs);
    const [account, ofAccount] = [digestOf(email), limitOf(OF_ACCOUNT, limit)];
    // a known address takes none of the account's attempts, and so gives none back
    const isKnown = this.known.has(email, address);
    // checked last: an address that another limit refuses must not hold a place in the line
    const turnMs = isKnown ? 0 : this.accounts.take(account, pairOf(email, address), ofAccount, now);
    if (turnMs > 0) throw tooMany(turnMs);
    this.pairs.add(pair, now);
    this.addresses.add(network, now);
    return () => {
      this.addresses.takeBack(network);
      if (!isKnown) this.accounts.giveBack(account, ofAccount);
    };
  }
}

function limitOf({ each, least }: { readonly each: number; readonly least: number }, perMinute: number): number {
  return Math.max(least, each * perMinute);
}

function tooMany(waitMs: number) {
  const seconds = Math.ceil(waitMs / 1_000);
  return problem('TOO_MANY_REQUESTS', `too many logins; try again in ${seconds} s`, seconds);
}
