import type { Unanswered } from '../domain/outcome.js';
import { retryAfterOf } from '../domain/retry-after.js';
import { answerText, type BodyHeaders, headerText } from '../platform/outbound/answer-text.js';
import type { WireMethod } from './vendor.js';

/** The most bytes of an answer's body that are read, as received and after its encodings are undone (L11). */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * An idle connection is closed after this time, in ms. A usual server closes it later (5 s), so that no order is written to a connection
 * that is being closed. The HTTP clients honour a shorter time that the server announces.
 */
export const IDLE_CONNECTION_MS = 4_000;

/** The headers of every request. */
export const COMMON_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json',
  // a body that is compressed all the same is read (D23)
  'Accept-Encoding': 'identity',
  'User-Agent': 'terminal-pos-relay',
};

/** The result of an HTTP call to the POS: the response, or how far the request got. */
export type HttpExchange =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** as {@link retryAfterOf} */
      readonly retryAfter: string | undefined;
      /** as text (D23); empty when it cannot be read */
      readonly body: string;
      /** the connection ended before the body was complete */
      readonly broken: boolean;
      /** why the body cannot be read, for people (D24); absent: it could be read */
      readonly unreadable?: string | undefined;
    }
  | Unanswered;

/** The status and the headers of an answer, of which the relay reads these. */
export interface AnswerHead extends BodyHeaders {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** @param headers as Node and undici have them: names in lower case, a text or several */
export function headOf(status: number, headers: Readonly<Record<string, unknown>>): AnswerHead {
  const { 'content-encoding': encoding, 'content-type': type } = headers;
  return {
    status,
    retryAfter: retryAfterOf(headers),
    encoding: headerText(encoding),
    type: headerText(type),
  };
}

/**
 * The exchange of an answer, at once unless its body is encoded (D23).
 * @param chunks of the body, as received; what is beyond {@link MAX_BODY_BYTES} is left out
 * @param broken whether the connection ended before the body was complete
 */
export function answeredCall(
  { status, retryAfter, ...headers }: AnswerHead,
  chunks: readonly Buffer[],
  broken: boolean,
): HttpExchange | Promise<HttpExchange> {
  const all = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  const bytes = all.subarray(0, MAX_BODY_BYTES);
  const read = answerText(bytes, headers, { most: MAX_BODY_BYTES, cut: broken || all.length >= MAX_BODY_BYTES });
  const exchange = ({ text, unreadable }: Awaited<typeof read>): HttpExchange => ({
    kind: 'answered',
    status,
    retryAfter,
    body: text,
    broken,
    unreadable,
  });
  return read instanceof Promise ? read.then(exchange) : exchange(read);
}

/** Sends requests with one deadline (D4), no redirects (D5), a bounded body (D6), and without a proxy. Never throws. */
export interface PosTransport {
  /**
   * Any HTTP status is an answer; a failure of the transport is a value.
   * @param path appended to `baseUrl`; begins with a slash
   * @param body JSON; undefined: no body
   */
  request(
    method: WireMethod,
    baseUrl: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<HttpExchange>;
}

/** The transport's error codes that mean the request was not sent (D17); after any other code the request may have arrived. */
const NOT_SENT_CODES =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EMFILE|ENFILE|CERT_|ERR_TLS_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_INVALID_|UND_ERR_CONNECT_TIMEOUT|UND_ERR_INVALID_ARG)/;

/** undici's code for a connection that the server closed during a call; replaced by Node's code, which operators know. */
const CLOSED_DURING_CALL = 'UND_ERR_SOCKET';

/**
 * A call that failed without an answer. Only code and message of the error are kept: the other fields may contain the request's
 * headers, and so credentials.
 */
export function failedCall(error: unknown): HttpExchange {
  const { code: own } = error as NodeJS.ErrnoException;
  const code = own === CLOSED_DURING_CALL ? 'ECONNRESET' : own || 'UNKNOWN';
  const message = (error as Error).message || 'the connection failed';
  return { kind: 'unanswered', reach: NOT_SENT_CODES.test(code) ? 'NOT_SENT' : 'UNKNOWN', code, message };
}

/** A call that had no answer at its deadline: the request may have arrived (D17). */
export function lateCall(timeoutMs: number): HttpExchange {
  return { kind: 'unanswered', reach: 'UNKNOWN', code: 'TIMEOUT', message: `no answer within ${timeoutMs} ms` };
}
