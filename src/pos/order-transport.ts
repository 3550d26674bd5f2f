import { type Dispatcher, Pool } from 'undici';
import { connectorPastInterim, InterimAnswers } from '../platform/outbound/interim-answers.js';
import {
  type AnswerHead,
  answeredCall,
  COMMON_HEADERS,
  failedCall,
  type HttpExchange,
  headOf,
  IDLE_CONNECTION_MS,
  lateCall,
  MAX_BODY_BYTES,
  type PosTransport,
} from './http-exchange.js';
import { isNotWritten, Quietness, quietConnector } from './quiet-connections.js';
import type { WireMethod } from './vendor.js';

export interface TransportLimits {
  /** connections to one POS */
  readonly connections: number;
  /** deadline of a call, from its first header to the last byte of its answer, in ms (D4) */
  readonly timeoutMs: number;
}

/** A request must begin within this share of its deadline; the rest is for the answer. */
const LATEST_START = 3 / 4;

/** The connections to a POS, and the base path of its endpoints. */
interface Origin {
  readonly pool: Pool;
  readonly quietness: Quietness;
  /** without a slash at its end */
  readonly path: string;
}

/** The HTTP client for orders, cancels and look-ups: kept-alive connections, one request at a time on each. */
export class OrderTransport implements PosTransport {
  private readonly origins = new Map<string, Origin>();

  /** @param onSurplus called with the origin of a POS that has sent an answer that nobody asked for (D26) */
  constructor(
    private readonly limits: TransportLimits,
    private readonly onSurplus: (origin: string) => void = () => undefined,
  ) {}

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.origins.values()].map(({ pool }) => pool.destroy()));
  }

  request(
    method: WireMethod,
    baseUrl: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<HttpExchange> {
    const origin = this.origins.get(baseUrl) ?? this.open(baseUrl);
    return new Promise((ended) => {
      const send = () => {
        const reset = !origin.quietness.allowsReuse;
        const request = { method, path: origin.path + path, headers: headerList(headers), body, reset } as const;
        origin.pool.dispatch(request, call);
      };
      const call = new Call(this.limits.timeoutMs, ended, send);
      send();
    });
  }

  private open(baseUrl: string): Origin {
    const url = new URL(baseUrl);
    const { connections, timeoutMs } = this.limits;
    const quietness = new Quietness(() => this.onSurplus(url.origin));
    const pool = new Pool(url.origin, {
      connections,
      pipelining: 1,
      allowH2: false,
      connect: quietConnector(connectorPastInterim({ timeout: timeoutMs }), quietness),
      keepAliveTimeout: IDLE_CONNECTION_MS,
      keepAliveMaxTimeout: IDLE_CONNECTION_MS,
      // class Call has the deadline
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const origin = { pool, quietness, path: url.pathname.replace(/\/$/, '') };
    this.origins.set(baseUrl, origin);
    return origin;
  }
}

/** Names of the headers that every request has, each followed by its value. */
const COMMON = Object.entries(COMMON_HEADERS).flat();

/** All headers of a request, as undici takes them: a copy of two objects takes much longer. */
function headerList(headers: Readonly<Record<string, string>>): string[] {
  const list = [...COMMON];
  for (const name in headers) list.push(name, headers[name] as string);
  return list;
}

/** A call in progress: turns the events of undici into an {@link HttpExchange}. */
class Call implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private head: AnswerHead | undefined;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private over = false;
  private readonly interim = new InterimAnswers();
  /** by performance.now(), ms */
  private readonly latestStart: number;
  private readonly deadline: NodeJS.Timeout;

  constructor(
    private readonly timeoutMs: number,
    private readonly ended: (exchange: HttpExchange | Promise<HttpExchange>) => void,
    /** sends the request once more, on another connection */
    private readonly again: () => void,
  ) {
    // after what has arrived is read: a process that was busy sees its timers first, and an order whose answer is not read may be cooked twice
    this.deadline = setTimeout(() => setImmediate(() => this.late()), timeoutMs);
    this.latestStart = performance.now() + timeoutMs * LATEST_START;
  }

  private late(): void {
    if (this.over) return;
    this.end(this.head ? answeredCall(this.head, this.chunks, true) : lateCall(this.timeoutMs));
    this.controller?.abort(CALL_OVER);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (!this.over && performance.now() < this.latestStart) return;
    // the connection came too late: the order would arrive, but its answer would miss the deadline
    this.end(lateCall(this.timeoutMs));
    controller.abort(CALL_OVER);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHeaders): void {
    if (status >= 200) {
      this.head = headOf(status, headers);
      return;
    }
    // an interim answer, such as 103
    const error = this.interim.add();
    if (!error) return;
    this.end(failedCall(error));
    controller.abort(CALL_OVER);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size < MAX_BODY_BYTES) return;
    this.end(answeredCall(this.head as AnswerHead, this.chunks, false));
    controller.abort(CALL_OVER);
  }

  onResponseEnd(): void {
    this.end(answeredCall(this.head as AnswerHead, this.chunks, false));
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (isNotWritten(error) && !this.over) {
      this.again();
      return;
    }
    this.end(this.head ? answeredCall(this.head, this.chunks, true) : failedCall(error));
  }

  private end(exchange: HttpExchange | Promise<HttpExchange>): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.deadline);
    this.ended(exchange);
  }
}

type IncomingHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** The reason of an abort after the exchange has ended; it is not reported. */
const CALL_OVER = new Error('the call is over');
