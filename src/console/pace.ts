/** Requests are counted over so many ms at a time. */
const WINDOW_MS = 5_000;
/** More requests a second than this are sales of very many restaurants: looking on must not cost them anything. */
const MANY_PER_SECOND = 300;

/** The header by which pages are told to ask less often, and how many seconds they are to wait at least (N9). */
export const PACE_HEADER = 'Console-Pace';
export const SLOW_PACE_SECONDS = 20;

/** Knows whether this process has much to do. */
export class Pace {
  private since = performance.now();
  private requests = 0;
  private lastPerSecond = 0;

  /** To be called for each request. */
  count(): void {
    const passedMs = performance.now() - this.since;
    if (passedMs >= WINDOW_MS) {
      this.lastPerSecond = (this.requests * 1_000) / passedMs;
      this.since += passedMs;
      this.requests = 0;
    }
    this.requests++;
  }

  /** Whether many requests came in the last seconds. */
  isBusy(): boolean {
    return this.lastPerSecond > MANY_PER_SECOND;
  }
}
