import { retryAfterMs, retryAfterOf } from '../../domain/retry-after.js';
import type { CollectorConfig } from '../config/tracing-config.js';
import { textOf } from '../outbound/answer-text.js';
import { HttpClient } from '../outbound/http-client.js';

/** Deadline of a request, to the last byte of its answer, in ms (L71). */
const TIMEOUT_MS = 10_000;
/** The most bytes of an answer that are read. */
const MAX_BODY_BYTES = 4_096;
/** A usual server closes an idle connection later, in ms. */
const IDLE_CONNECTION_MS = 4_000;

/** What became of a request. `retryAfterMs`: how long the collector wants to be left alone. */
export type Exported =
  | { readonly result: 'taken'; readonly rejected: number }
  | { readonly result: 'failed'; readonly error: string; readonly retryAfterMs: number };

/** The HTTP client of the collector. Its address is the operator's, as that of the POS. It follows no redirect. */
export class Collector {
  private readonly client = new HttpClient({ keepAlive: true, maxSockets: 1, timeout: IDLE_CONNECTION_MS });

  constructor(private readonly config: CollectorConfig) {}

  /**
   * Sends one request; never throws.
   * @param limit aborts it
   * @returns `rejected`: spans that the collector did not take; `error`: a status or a code of the transport, no text of the collector
   */
  async send(body: string, limit: AbortSignal): Promise<Exported> {
    try {
      const headers = { ...this.config.headers, 'content-type': 'application/json' };
      const signal = AbortSignal.any([limit, AbortSignal.timeout(TIMEOUT_MS)]);
      const answer = await this.client.post(this.config.url, { headers, body, signal, most: MAX_BODY_BYTES });
      if (answer.broken) throw answer.broken;
      const { status } = answer;
      if (status >= 200 && status < 300)
        return { result: 'taken', rejected: rejectedOf(await textOf(answer, MAX_BODY_BYTES)) };
      const wait = retryAfterMs(retryAfterOf(answer.headers) ?? '', Date.now());
      return { result: 'failed', error: `HTTP ${status}`, retryAfterMs: wait ?? 0 };
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException;
      return { result: 'failed', error: code || name, retryAfterMs: 0 };
    }
  }

  close(): void {
    this.client.close();
  }
}

/** `partialSuccess.rejectedSpans` of the answer, a number or a text; 0 when it has none. */
function rejectedOf(text: string): number {
  try {
    const rejected = Number(JSON.parse(text)?.partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}
