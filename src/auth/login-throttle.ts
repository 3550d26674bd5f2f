import { HttpStatus, Injectable } from '@nestjs/common';
import { Config } from '../config.js';
import { problem } from '../problem.js';

const WINDOW_MS = 60_000;
const MAX_TRACKED = 10_000;

/**
 * LOGIN_ATTEMPTS_PER_MINUTE for each account and address, shared by login, Basic and body credentials; 0 (the seed's
 * default) sets no limit. Kept in memory: each instance counts for itself.
 */
@Injectable()
export class LoginThrottle {
  private readonly windows = new Map<string, { endsAt: number; attempts: number }>();

  constructor(private readonly config: Config) {}

  /** @throws 429 TOO_MANY_REQUESTS */
  count(email: string, address: string): void {
    const limit = this.config.loginAttemptsPerMinute;
    if (limit === 0) return;
    const now = performance.now();
    const key = `${email}\n${address}`;
    const known = this.windows.get(key);
    const window = known && known.endsAt > now ? known : { endsAt: now + WINDOW_MS, attempts: 0 };
    if (window.attempts >= limit) {
      const seconds = Math.ceil((window.endsAt - now) / 1_000);
      throw problem(
        HttpStatus.TOO_MANY_REQUESTS,
        'TOO_MANY_REQUESTS',
        `too many logins; try again in ${seconds} s`,
        seconds,
      );
    }
    window.attempts++;
    if (this.windows.size >= MAX_TRACKED) this.forgetEnded(now);
    this.windows.set(key, window);
  }

  private forgetEnded(now: number): void {
    for (const [key, { endsAt }] of this.windows) if (endsAt <= now) this.windows.delete(key);
    if (this.windows.size >= MAX_TRACKED) this.windows.clear();
  }
}
