import { HttpClient } from '../platform/outbound/http-client.js';
import {
  answeredCall,
  COMMON_HEADERS,
  failedCall,
  type HttpExchange,
  headOf,
  lateCall,
  MAX_BODY_BYTES,
} from './http-exchange.js';

/** Sign-ins and the doctor's checks; {@link OrderTransport} sends orders. POST with one deadline (D4), a bounded body (D6). Never throws. */
export class PosHttp {
  /** keeps no connection: a surplus answer to a sign-in would give another restaurant its token (D26) */
  private readonly client = new HttpClient();

  /**
   * Sends a POST request. Any HTTP status is an answer; a failure of the transport is a value.
   * @param body sent as JSON; undefined: no body
   * @param timeoutMs deadline from the first header to the last byte, in ms
   */
  async post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: object | undefined,
    timeoutMs: number,
  ): Promise<HttpExchange> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await this.client.post(url, {
        headers: { ...COMMON_HEADERS, ...headers },
        body: body && JSON.stringify(body),
        signal,
        most: MAX_BODY_BYTES,
      });
      const broken = answer.broken !== undefined || signal.aborted;
      return answeredCall(headOf(answer.status, answer.headers), [answer.bytes], broken);
    } catch (error) {
      return signal.aborted ? lateCall(timeoutMs) : failedCall(error);
    }
  }

  /** Closes all connections. */
  close(): void {
    this.client.close();
  }
}
