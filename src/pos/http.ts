import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import axios, { type AxiosInstance, isAxiosError } from 'axios';
import type { PosAnswer } from '../domain/pos-answer.js';

/** At most this much of an answer's body is read. */
const MAX_BODY_BYTES = 64 * 1024;

/**
 * An idle connection is dropped before a usual server does (5 s), so that no order is written to a connection that is
 * being closed. A shorter time announced by the server is honoured by Node itself.
 */
const IDLE_CONNECTION_MS = 4_000;

/** An HTTP exchange with the POS: what came back, or how far the request got. */
export type Exchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly body: string;
      readonly broken: boolean;
    }
  | Extract<PosAnswer, { kind: 'unanswered' }>;

/** One POST with one deadline from first to last byte, no redirects, a bounded body. Never throws. */
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

  /** @param body JSON, or undefined for none */
  async post(url: string, headers: Record<string, string>, body: unknown, timeoutMs: number): Promise<Exchange> {
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

/** Failures of the way to the POS: the request never left. Anything else may have arrived. */
const NEVER_LEFT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_INVALID_)/;

function unanswered(error: unknown, timedOut: boolean, timeoutMs: number): Exchange {
  if (timedOut)
    return { kind: 'unanswered', reach: 'UNKNOWN', code: 'TIMEOUT', message: `no answer within ${timeoutMs} ms` };
  // an AxiosError carries the request with its headers: only its code and message leave this function
  const code = (isAxiosError(error) && error.code) || (error as NodeJS.ErrnoException).code || 'UNKNOWN';
  const message = (error as Error).message || 'the connection failed';
  return { kind: 'unanswered', reach: NEVER_LEFT.test(code) ? 'NOT_SENT' : 'UNKNOWN', code, message };
}
