import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { compare, genSaltSync, hash } from 'bcrypt';
import { MAX_PASSWORD_BYTES } from '../domain/account.js';
import { whyGuessable } from '../domain/guessable.js';
import { BoundedMap } from '../platform/bounded-map.js';
import { Config } from '../platform/config/config.js';
import { problem } from '../platform/http/problem.js';
import { PASSWORD_CODES } from './error-codes.js';
import { KnownAddresses, pairOf } from './known-addresses.js';
import { PasswordQueue, type PasswordSender, Standing } from './password-queue.js';

/** Length of the digest in a bcrypt hash; the digest follows the cost and the salt. */
const DIGEST_CHARACTERS = 31;

/** For this time, a verified pair of account and password is not compared again. */
const CACHE_MS = 60_000;
/** For this time, a verified pair does not count as a login attempt. The time is longer than a restaurant's daily closing. */
const TRUSTED_MS = 24 * 3_600_000;
const MAX_CACHED = 10_000;
/** For this time after a wrong password a known address is not trusted to leave the cores alone (L171). */
const DOUBTFUL_MS = 60_000;
/** The most pairs of account and network with a wrong password in memory; the oldest is removed first. */
const MAX_WRONG = 50_000;

/** The sender of work outside a request. */
const NOBODY: PasswordSender = { address: '' };

/** An account's credentials, as sent. */
export interface SentPassword {
  /** the normalised email */
  readonly account: string;
  readonly password: string;
  /** the user's hash; undefined for an unknown account */
  readonly stored: string | undefined;
}

/** A password that an account is to have. */
export interface NewPassword {
  readonly email: string;
  readonly password: string;
  /** the name of its field in the request; default `password` */
  readonly field?: string;
}

/** A comparison that several requests may share. It is cancelled when the clients of all these requests have disconnected. */
interface Comparison {
  readonly result: Promise<boolean>;
  readonly join: (gone: AbortSignal | undefined) => void;
}

/** Hashes and compares passwords with bcrypt, in a bounded queue (A7), and caches verified pairs in memory (A8). */
@Injectable()
export class Passwords {
  private readonly queue = new PasswordQueue();
  /** The hash for unknown accounts: it matches no password, and its comparison takes the same time as that of a real hash (A6). */
  private readonly dummyHash: string;
  private readonly hmacKey = randomBytes(32);
  /** HMAC of account, hash and password -> when it was verified, in ms of performance.now() */
  private readonly verified = new BoundedMap<number>(MAX_CACHED);
  private readonly comparing = new Map<string, Comparison>();
  /** account and network of a known address -> when its password was wrong, in ms of performance.now() */
  private readonly wrong = new BoundedMap<number>(MAX_WRONG);

  constructor(
    private readonly config: Config,
    private readonly known: KnownAddresses,
  ) {
    this.dummyHash = genSaltSync(config.bcryptCost) + randomBytes(16).toString('hex').slice(0, DIGEST_CHARACTERS);
  }

  /**
   * As {@link hash}, for a password that a person chose.
   * @throws 422 GUESSABLE_PASSWORD (A33), before any work; 503 TOO_MANY_PASSWORD_CHECKS
   */
  async hashNew(chosen: NewPassword, sender = NOBODY): Promise<string> {
    refuseGuessable(chosen);
    return this.hash(chosen.password, sender);
  }

  /**
   * @returns the bcrypt hash, at the cost BCRYPT_COST. The hash of a request is followed by a rest, as the check of a stranger: its sender chose to cause it
   * @throws 503 TOO_MANY_PASSWORD_CHECKS
   */
  hash(password: string, sender = NOBODY): Promise<string> {
    return this.queue.run(
      sender,
      Standing.Account,
      () => hash(password, this.config.bcryptCost),
      () => sender === NOBODY,
    );
  }

  /**
   * Compares a password with the user's hash; for an unknown user the comparison takes the same time as for a wrong password (A6). An
   * address from which the password was right is known from then on.
   * @throws 503 TOO_MANY_PASSWORD_CHECKS; ClientGoneError when the client disconnected while the check waited
   */
  async matches({ account, password, stored }: SentPassword, sender: PasswordSender): Promise<boolean> {
    const right = await this.queue.run(
      sender,
      this.standingOf(account, stored, sender),
      async () => {
        const isSame = await compare(password, stored ?? this.dummyHash);
        return isSame && stored !== undefined && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
      },
      (isRight) => isRight,
    );
    const isKnown = this.known.has(account, sender.address);
    if (right) this.known.add(account, sender.address);
    else if (isKnown) this.wrong.set(pairOf(account, sender.address), performance.now());
    return right;
  }

  /**
   * Refuses a check that would have no place in the queue, whatever its account, before the account is read.
   * @throws 503 TOO_MANY_PASSWORD_CHECKS
   */
  refuseWithoutRoom(sender: PasswordSender): void {
    this.queue.refuseWithoutRoom(sender);
  }

  private standingOf(account: string, stored: string | undefined, { address }: PasswordSender): Standing {
    if (stored === undefined) return Standing.Stranger;
    if (!this.known.has(account, address)) return Standing.Account;
    const wrongAt = this.wrong.get(pairOf(account, address)) ?? Number.NEGATIVE_INFINITY;
    return performance.now() - wrongAt < DOUBTFUL_MS ? Standing.Doubtful : Standing.Known;
  }

  /**
   * As `matches`, but verified pairs are cached for a minute, and concurrent calls with the same credentials share one comparison. The
   * cache key contains `stored`, so a changed password misses the cache.
   * @param countAttempt called before the comparison unless the pair was verified within 24 h; may throw to refuse the comparison (A9)
   */
  async matchesCached(sent: SentPassword, sender: PasswordSender, countAttempt: () => void): Promise<boolean> {
    const pair = this.keyOf(sent);
    const age = this.ageOf(pair);
    if (age < CACHE_MS) return true;
    let comparison = this.comparing.get(pair);
    if (!comparison) {
      if (age >= TRUSTED_MS) countAttempt();
      comparison = this.startComparing(pair, sent, sender);
    }
    comparison.join(sender.gone);
    return comparison.result;
  }

  /** ms since the pair was verified; infinite when it was never verified */
  private ageOf(pair: string): number {
    return performance.now() - (this.verified.get(pair) ?? Number.NEGATIVE_INFINITY);
  }

  private startComparing(pair: string, sent: SentPassword, sender: PasswordSender): Comparison {
    const allGone = new AbortController();
    let waiting = 0;
    const end = () => {
      if (this.comparing.get(pair) === comparison) this.comparing.delete(pair);
    };
    const leave = () => {
      if (--waiting > 0) return;
      end();
      allGone.abort();
    };
    const compareAndRemember = async () => {
      const right = await this.matches(sent, { ...sender, gone: allGone.signal });
      if (right) this.verified.set(pair, performance.now());
      return right;
    };
    const comparison: Comparison = {
      result: compareAndRemember().finally(end),
      join: (gone) => {
        waiting++;
        if (gone?.aborted) leave();
        else gone?.addEventListener('abort', leave, { once: true });
      },
    };
    this.comparing.set(pair, comparison);
    return comparison;
  }

  private keyOf({ account, stored, password }: SentPassword): string {
    return createHmac('sha256', this.hmacKey)
      .update(JSON.stringify([account, stored, password]))
      .digest('base64');
  }
}

/** @throws 422 GUESSABLE_PASSWORD (A33) */
export function refuseGuessable({ email, password, field = 'password' }: NewPassword): void {
  const reason = whyGuessable(password, email);
  if (reason !== undefined) throw problem(PASSWORD_CODES.GUESSABLE_PASSWORD, `${field} ${reason}: choose another one`);
}
