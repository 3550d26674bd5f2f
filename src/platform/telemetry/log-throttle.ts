const EVERY_MS = 1_000;

/** Limits the lines about something that may happen a thousand times a second to one a second. */
export class LogThrottle {
  private lastAt = Number.NEGATIVE_INFINITY;

  /** @returns whether a line may be written now; it then counts as written */
  admits(): boolean {
    const now = performance.now();
    if (now - this.lastAt < EVERY_MS) return false;
    this.lastAt = now;
    return true;
  }
}
