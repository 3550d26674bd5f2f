import { Injectable } from '@nestjs/common';

/** The interval over which requests are counted; ms. */
const WINDOW_MS = 5_000;
/** Above this number of requests per second the process counts as busy: polling must not slow down sales. */
const BUSY_PER_SECOND = 300;

/** The header that states the least polling interval of pages in seconds, and the value of the header while the process is busy (N9). */
export const PACE_HEADER = 'Console-Pace';
export const SLOW_PACE_SECONDS = 20;

/** Counts requests, to know whether this process is busy. One for each process. */
@Injectable()
export class Pace {
  private since = performance.now();
  private requests = 0;
  private lastPerSecond = 0;

  /** Must be called for each request. */
  count(): void {
    const passedMs = performance.now() - this.since;
    if (passedMs >= WINDOW_MS) {
      this.lastPerSecond = (this.requests * 1_000) / passedMs;
      this.since += passedMs;
      this.requests = 0;
    }
    this.requests++;
  }

  /** Whether the last complete interval had more than BUSY_PER_SECOND requests per second. */
  isBusy(): boolean {
    return this.lastPerSecond > BUSY_PER_SECOND;
  }
}
