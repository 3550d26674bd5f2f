import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { compare, genSaltSync, hash } from 'bcrypt';
import pLimit from 'p-limit';
import { Config } from '../config.js';
import { MAX_PASSWORD_BYTES } from './password.rule.js';

/** bcrypt shares the thread pool with DNS: more at once would delay the calls to the POS. */
const AT_ONCE = 2;

/** Of a bcrypt hash, after its cost and salt. */
const HASHED_CHARACTERS = 31;

/** How long a verified pair of credentials is remembered, so that the webhook does not pay bcrypt on every sale. */
const REMEMBER_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Hashes and compares passwords, a few at a time, and remembers for a minute which pairs were right. */
@Injectable()
export class Passwords {
  private readonly limit = pLimit(AT_ONCE);
  private readonly nobody: string;
  private readonly key = randomBytes(32);
  private readonly remembered = new Map<string, number>();
  private readonly comparing = new Map<string, Promise<boolean>>();

  constructor(private readonly config: Config) {
    // no password has it, and it takes as long to find that out
    this.nobody = genSaltSync(config.bcryptCost) + randomBytes(16).toString('hex').slice(0, HASHED_CHARACTERS);
  }

  hash(password: string): Promise<string> {
    return this.limit(() => hash(password, this.config.bcryptCost));
  }

  /**
   * @param stored the user's hash; undefined for an unknown user, who takes as long as a wrong password
   */
  async matches(password: string, stored: string | undefined): Promise<boolean> {
    const right = await this.limit(() => compare(password, stored ?? this.nobody));
    return right && stored !== undefined && Buffer.byteLength(password) <= MAX_PASSWORD_BYTES;
  }

  /**
   * As `matches`; a right pair is not compared again within the minute, and one that is being compared is not compared
   * beside itself. A changed password changes `stored`, and asks anew.
   * @param beforeComparing may throw to refuse the comparison
   */
  async matchesRecently(password: string, stored: string | undefined, beforeComparing: () => void): Promise<boolean> {
    const pair = createHmac('sha256', this.key).update(`${stored}\n${password}`).digest('base64');
    if ((this.remembered.get(pair) ?? 0) > performance.now()) return true;
    const running = this.comparing.get(pair);
    if (running) return running;
    beforeComparing();
    const comparison = this.matches(password, stored).finally(() => this.comparing.delete(pair));
    this.comparing.set(pair, comparison);
    const right = await comparison;
    if (right) this.remember(pair);
    return right;
  }

  private remember(pair: string): void {
    if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
    this.remembered.set(pair, performance.now() + REMEMBER_MS);
  }
}
