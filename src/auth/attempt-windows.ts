import { BoundedMap } from '../platform/bounded-map.js';

/** The most counters in memory; the oldest is removed first. */
const MAX_TRACKED = 50_000;

/** Counters that begin again when their window has ended. */
export class AttemptWindows {
  private readonly windows = new BoundedMap<{ endsAt: number; attempts: number }>(MAX_TRACKED);

  /** @param lengthMs of a window */
  constructor(private readonly lengthMs: number) {}

  /** @returns ms until the next attempt may be made; 0: now */
  waitOf(key: string, limit: number, now: number): number {
    const window = this.windows.get(key);
    return window && window.attempts >= limit ? Math.max(0, window.endsAt - now) : 0;
  }

  /** Counts an attempt. @param now ms of performance.now() */
  add(key: string, now: number): void {
    const window = this.windows.get(key);
    if (window && window.endsAt > now) window.attempts++;
    else this.windows.set(key, { endsAt: now + this.lengthMs, attempts: 1 });
  }

  /** An attempt that does not count after all. */
  takeBack(key: string): void {
    const window = this.windows.get(key);
    if (window && window.attempts > 0) window.attempts--;
  }
}
