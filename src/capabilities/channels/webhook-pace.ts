const INTERVAL_MS = 1_000;
/** A message that would wait for longer is to be retried; ms. */
const MOST_MS = 3_000;
/** The most addresses that are remembered. */
const REMEMBERED = 10_000;

/** At most one message a second from this instance to each webhook, or of each user who tests webhooks (L43). */
export class WebhookPace {
  private readonly freeAt = new Map<string, number>();

  /** @param now a clock, in ms */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Takes the next free second of an address, or of the id of a user.
   * @returns the time to wait before sending, in ms; `later`: the wait is too long, nothing was taken, try again after this time
   */
  take(whose: string): { readonly waitMs: number } | { readonly laterMs: number } {
    const now = this.now();
    const at = Math.max(now, this.freeAt.get(whose) ?? 0);
    if (at - now > MOST_MS) return { laterMs: Math.ceil(at - now) };
    if (this.freeAt.size >= REMEMBERED) this.forget(now);
    this.freeAt.set(whose, at + INTERVAL_MS);
    return { waitMs: at - now };
  }

  private forget(now: number): void {
    for (const [url, at] of this.freeAt) if (at <= now) this.freeAt.delete(url);
  }
}
