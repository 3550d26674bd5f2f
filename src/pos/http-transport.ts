import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import type { AxiosInstance } from 'axios';
import { InterimAnswers } from '../platform/outbound/interim-answers.js';
import {
  answeredCall,
  COMMON_HEADERS,
  failedCall,
  type HttpExchange,
  headOf,
  IDLE_CONNECTION_MS,
  lateCall,
  MAX_BODY_BYTES,
} from './http-exchange.js';

/**
 * The HTTP client for sign-ins and the doctor's checks; {@link OrderTransport} sends orders. POST with one deadline (D4), no redirects
 * (D5), a bounded body (D6). Never throws.
 */
export class PosHttp {
  private readonly agents = {
    httpAgent: new http.Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
    httpsAgent: new https.Agent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
  };
  private axios: Promise<AxiosInstance> | undefined;

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
    const axios = await this.client();
    const deadline = AbortSignal.timeout(timeoutMs);
    const data = body === undefined ? undefined : JSON.stringify(body);
    try {
      const response = await axios.post<Readable>(url, data, { headers, signal: deadline });
      const { chunks, broken } = await received(response.data);
      return answeredCall(headOf(response.status, response.headers), chunks, broken || deadline.aborted);
    } catch (error) {
      if (deadline.aborted) return lateCall(timeoutMs);
      return failedCall(error);
    }
  }

  /** Loaded by the first call, so that the process starts faster. */
  private client(): Promise<AxiosInstance> {
    this.axios ??= import('axios').then(({ default: axios }) =>
      axios.create({
        ...this.agents,
        adapter: 'http',
        transport: COUNTING,
        responseType: 'stream',
        // the bytes become text at one place, for orders too (D23)
        decompress: false,
        validateStatus: () => true,
        maxRedirects: 0,
        proxy: false,
        headers: COMMON_HEADERS,
      }),
    );
    return this.axios;
  }

  /** Closes all connections. */
  close(): void {
    this.agents.httpAgent.destroy();
    this.agents.httpsAgent.destroy();
  }
}

/** The transport of axios: closes a connection with too many interim answers. */
const COUNTING = {
  request(options: http.RequestOptions, onAnswer: (answer: http.IncomingMessage) => void): http.ClientRequest {
    const request = (options.protocol === 'https:' ? https : http).request(options, onAnswer);
    const interim = new InterimAnswers();
    request.on('information', () => {
      const error = interim.add();
      if (error) request.destroy(error);
    });
    return request;
  },
};

async function received(stream: Readable): Promise<{ chunks: Buffer[]; broken: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let broken = false;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MAX_BODY_BYTES) break;
    }
  } catch {
    broken = true;
  }
  return { chunks, broken };
}
