import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import axios, { type AxiosInstance, isAxiosError } from 'axios';
import type { Unanswered } from '../domain/outcome.js';

/** At most this much of an answer's body is read (L11). */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * An idle connection is dropped before a usual server does (5 s), so that no order is written to a connection that is
 * being closed. A shorter time announced by the server is honoured by Node itself.
 */
const IDLE_CONNECTION_MS = 4_000;

/** The result of an HTTP call to the POS: the response, or how far the request got. */
export type HttpExchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** the header as sent */
      readonly retryAfter: string | undefined;
      readonly body: string;
      /** the connection ended before the body was complete */
      readonly broken: boolean;
    }
  | Unanswered;

/** The HTTP client for the POS: POST with one deadline (D4), no redirects (D5), a bounded body (D6). Never throws. */
export class PosHttp {
  private readonly agents = {
    httpAgent: new HttpAgent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
    httpsAgent: new HttpsAgent({ keepAlive: true, timeout: IDLE_CONNECTION_MS }),
  };
  private readonly axios: AxiosInstance = axios.create({
    ...this.agents,
    adapter: 'http',
    responseType: 'stream',
    validateStatus: () => true,
    maxRedirects: 0,
    proxy: false,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'User-Agent': 'terminal-pos-relay' },
  });

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
    const deadline = AbortSignal.timeout(timeoutMs);
    const data = body === undefined ? undefined : JSON.stringify(body);
    try {
      const response = await this.axios.post<Readable>(url, data, { headers, signal: deadline });
      const retryAfter: unknown = response.headers['retry-after'];
      return {
        kind: 'answered',
        status: response.status,
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
        ...(await readBody(response.data, deadline)),
      };
    } catch (error) {
      return unanswered(error, deadline.aborted, timeoutMs);
    }
  }

  /** Closes all connections. */
  close(): void {
    this.agents.httpAgent.destroy();
    this.agents.httpsAgent.destroy();
  }
}

async function readBody(stream: Readable, deadline: AbortSignal): Promise<{ body: string; broken: boolean }> {
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
  return { body: Buffer.concat(chunks).toString('utf8', 0, MAX_BODY_BYTES), broken: broken || deadline.aborted };
}

/** The transport's error codes that mean the request was not sent (D17); after any other it may have arrived. */
const NOT_SENT_CODES =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_INVALID_)/;

function unanswered(error: unknown, timedOut: boolean, timeoutMs: number): HttpExchange {
  if (timedOut)
    return { kind: 'unanswered', reach: 'UNKNOWN', code: 'TIMEOUT', message: `no answer within ${timeoutMs} ms` };
  // an AxiosError holds the request headers, which carry credentials: return only its code and message
  const code = (isAxiosError(error) && error.code) || (error as NodeJS.ErrnoException).code || 'UNKNOWN';
  const message = (error as Error).message || 'the connection failed';
  return { kind: 'unanswered', reach: NOT_SENT_CODES.test(code) ? 'NOT_SENT' : 'UNKNOWN', code, message };
}
