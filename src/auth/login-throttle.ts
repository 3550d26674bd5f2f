import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { problem } from '../http/problem.js';
import { BoundedMap } from './bounded-map.js';
import { digestOf, KnownAddresses } from './known-addresses.js';
import { networkOf } from './network.js';

const MINUTE_MS = 60_000;
/** The most counters of a kind in memory; the oldest is removed first. */
const MAX_TRACKED = 50_000;
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
  private readonly pairs = new Windows(MINUTE_MS);
  private readonly addresses = new Windows(MINUTE_MS);
  private readonly accounts = new Trickle(60 * MINUTE_MS);

  constructor(
    private readonly config: Config,
    private readonly known: KnownAddresses,
  ) {}

  /**
   * Counts one attempt, which counts as wrong until {@link wasRight}.
   * @throws 429 TOO_MANY_REQUESTS with Retry-After, once a limit is reached; nothing is counted then
   */
  count(email: string, address: string): void {
    const limit = this.config.loginAttemptsPerMinute;
    if (limit === 0) return;
    const now = performance.now();
    const [pair, network, account] = [digestOf(email, address), networkOf(address), digestOf(email)];
    const isKnown = this.known.has(email, address);
    const ofAccount = isKnown ? Number.POSITIVE_INFINITY : limitOf(OF_ACCOUNT, limit);
    const waitMs = Math.max(
      this.pairs.waitOf(pair, limit, now),
      this.addresses.waitOf(network, limitOf(OF_ADDRESS, limit), now),
      this.accounts.waitOf(account, ofAccount, now),
    );
    if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1_000));
    this.pairs.add(pair, now);
    this.addresses.add(network, now);
    if (!isKnown) this.accounts.add(account, ofAccount, now);
  }

  /** Takes the last attempt of the account from this address back: its password was right, or it was no guess. The pair keeps it (A9). */
  wasRight(email: string, address: string): void {
    const limit = this.config.loginAttemptsPerMinute;
    if (limit === 0) return;
    this.addresses.takeBack(networkOf(address));
    this.accounts.takeBack(digestOf(email), limitOf(OF_ACCOUNT, limit));
  }
}

/** Counters that begin again when their window has ended. */
class Windows {
  private readonly windows = new BoundedMap<{ endsAt: number; attempts: number }>(MAX_TRACKED);

  constructor(private readonly lengthMs: number) {}

  /** @returns ms until the next attempt may be made; 0: now */
  waitOf(key: string, limit: number, now: number): number {
    const window = this.windows.get(key);
    return window && window.attempts >= limit ? Math.max(0, window.endsAt - now) : 0;
  }

  add(key: string, now: number): void {
    const window = this.windows.get(key);
    if (window && window.endsAt > now) window.attempts++;
    else this.windows.set(key, { endsAt: now + this.lengthMs, attempts: 1 });
  }

  takeBack(key: string): void {
    const window = this.windows.get(key);
    if (window && window.attempts > 0) window.attempts--;
  }
}

/** Counters that are never full for long: beyond the limit of a period, attempts pass evenly, `limit` in each period. */
class Trickle {
  /** key -> when all its attempts would have passed evenly, in ms of performance.now() */
  private readonly ends = new BoundedMap<number>(MAX_TRACKED);

  constructor(private readonly periodMs: number) {}

  /** @returns ms until the next attempt may be made; 0: now */
  waitOf(key: string, limit: number, now: number): number {
    const end = this.ends.get(key) ?? now;
    return limit === Number.POSITIVE_INFINITY ? 0 : Math.max(0, end - now - (this.periodMs / limit) * (limit - 1));
  }

  add(key: string, limit: number, now: number): void {
    this.ends.set(key, Math.max(this.ends.get(key) ?? now, now) + this.periodMs / limit);
  }

  takeBack(key: string, limit: number): void {
    const end = this.ends.get(key);
    if (end !== undefined) this.ends.set(key, end - this.periodMs / limit);
  }
}

function limitOf({ each, least }: { readonly each: number; readonly least: number }, perMinute: number): number {
  return Math.max(least, each * perMinute);
}

function tooMany(seconds: number) {
  return problem('TOO_MANY_REQUESTS', `too many logins; try again in ${seconds} s`, seconds);
}
