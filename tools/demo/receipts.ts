import { setTimeout as delay } from 'node:timers/promises';

/** How long the relay may hold a question open until there is a receipt, in s. */
const WAIT_S = 25;
const ANSWER_LIMIT_MS = 40_000;
/** The least pause before the next question after a failure, or after an answer that came at once without receipts, in ms. */
const PAUSE_MS = 1_000;

/** What became of a sale, as the relay tells its sender. */
export interface Receipt {
  readonly type: 'order.stored' | 'order.delivered' | 'order.parked' | 'order.cancelled';
  /** ISO 8601 */
  readonly at: string;
  readonly transactionKey: string;
  readonly jobId: string;
  readonly state: string;
  /** why it is parked */
  readonly cause?: string | null;
}

interface ReceiptPage {
  readonly data: readonly Receipt[];
  /** opaque: names the last receipt of the page */
  readonly cursor: string;
}

/** Asks the relay what became of the sales, as a terminal does. */
export class Receipts {
  private cursor: string | undefined;

  /** @param pause waits before the next question */
  constructor(
    private readonly relayUrl: string,
    private readonly token: string,
    private readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) =>
      delay(ms, undefined, { signal }),
  ) {}

  /**
   * Asks until `stop`, each receipt once. It ends earlier when this relay has no receipts, or refuses the key.
   * @param show called for each receipt, in order
   * @param say called once with why it ended earlier
   */
  async follow(show: (receipt: Receipt) => void, say: (why: string) => void, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const answer = await this.ask(stop).catch(() => undefined);
      if (answer && [401, 403, 404, 405].includes(answer.status)) {
        // 405: a relay that takes "receipts" for the id of a key
        const isUnknown = answer.status === 404 || answer.status === 405;
        say(isUnknown ? 'this relay gives no receipts' : `the relay refuses receipts: ${answer.status}`);
        return;
      }
      const page = answer?.status === 200 ? answer.page : undefined;
      for (const receipt of page?.data ?? []) show(receipt);
      this.cursor = page?.cursor ?? this.cursor;
      if (!page?.data.length) await this.pause(Math.max(answer?.retryAfterMs ?? 0, PAUSE_MS), stop).catch(() => {});
    }
  }

  private async ask(stop: AbortSignal): Promise<{ status: number; page: ReceiptPage; retryAfterMs: number }> {
    const query = new URLSearchParams({ ...(this.cursor !== undefined && { after: this.cursor }), wait: `${WAIT_S}` });
    const response = await fetch(`${this.relayUrl}/webhooks/terminal/receipts?${query}`, {
      headers: { authorization: `Bearer ${this.token}` },
      signal: AbortSignal.any([stop, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
    });
    const retryAfterMs = (Number(response.headers.get('retry-after')) || 0) * 1_000;
    return { status: response.status, page: (await response.json()) as ReceiptPage, retryAfterMs };
  }
}
