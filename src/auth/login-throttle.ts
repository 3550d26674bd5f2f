import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { problem } from '../http/problem.js';
import { BoundedMap } from './bounded-map.js';

const WINDOW_MS = 60_000;
/** The most windows in memory; the oldest is removed first. */
const MAX_TRACKED = 50_000;

/**
 * Limits password checks to LOGIN_ATTEMPTS_PER_MINUTE for each pair of account and IP address; 0, the default, sets no limit. Login,
 * Basic and body credentials share one counter (A9). The counters are in memory: each instance counts its own checks.
 */
@Injectable()
export class LoginThrottle {
  /** digest of email and address -> its window */
  private readonly windows = new BoundedMap<{ endsAt: number; attempts: number }>(MAX_TRACKED);

  constructor(private readonly config: Config) {}

  /**
   * Counts one attempt.
   * @throws 429 TOO_MANY_REQUESTS with Retry-After, once the limit of the one-minute window is reached
   */
  count(email: string, address: string): void {
    const limit = this.config.loginAttemptsPerMinute;
    if (limit === 0) return;
    const now = performance.now();
    const key = createHash('sha256')
      .update(JSON.stringify([email, address]))
      .digest('base64');
    const known = this.windows.get(key);
    const window = known && known.endsAt > now ? known : { endsAt: now + WINDOW_MS, attempts: 0 };
    if (window.attempts >= limit) {
      const seconds = Math.ceil((window.endsAt - now) / 1_000);
      throw problem('TOO_MANY_REQUESTS', `too many logins; try again in ${seconds} s`, seconds);
    }
    window.attempts++;
    if (window !== known) this.windows.set(key, window);
  }
}
