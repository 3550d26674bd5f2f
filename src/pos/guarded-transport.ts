import { retryAfterOf } from '../domain/retry-after.js';
import { OutboundError } from '../platform/outbound/outbound-error.js';
import type { OutboundTransport } from '../platform/outbound/outbound-transport.js';
import { failedCall, type HttpExchange, lateCall, type PosTransport } from './http-exchange.js';
import type { WireMethod } from './vendor.js';

const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json' };

/** Sends requests to a POS whose address somebody typed (Q19): public addresses only, and no redirects (G28). Never throws. */
export class GuardedTransport implements PosTransport {
  /** @param timeoutMs deadline of a call, in ms (D4) */
  constructor(
    private readonly outbound: OutboundTransport,
    private readonly timeoutMs: number,
  ) {}

  async request(
    _: WireMethod,
    baseUrl: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body = '',
  ): Promise<HttpExchange> {
    const { timeoutMs } = this;
    try {
      const answer = await this.outbound.post(
        baseUrl + path,
        { headers: { ...HEADERS, ...headers }, body },
        { timeoutMs },
      );
      const { status, headers: answered, body: text } = answer;
      return { kind: 'answered', status, retryAfter: retryAfterOf(answered), body: text, broken: false };
    } catch (error) {
      if (error instanceof OutboundError) return this.exchangeOf(error);
      throw error;
    }
  }

  private exchangeOf({ failure, reason, details: { code = 'UNKNOWN', status = 0 } }: OutboundError): HttpExchange {
    if (failure === 'REFUSED')
      return { kind: 'unanswered', reach: 'NOT_SENT', code: 'ADDRESS_REFUSED', message: reason };
    if (failure === 'REDIRECT') return { kind: 'answered', status, retryAfter: undefined, body: reason, broken: false };
    return code === 'TIMEOUT' ? lateCall(this.timeoutMs) : failedCall({ code, message: reason });
  }
}
