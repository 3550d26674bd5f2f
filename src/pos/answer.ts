import type { Sighting } from '../domain/lookup.js';
import type { OrderReference } from '../domain/order.js';
import { type Answer, meaningOf } from '../domain/outcome.js';
import { retryAfterMs } from '../domain/retry-after.js';
import { errorLine } from '../platform/redaction/error-line.js';
import type { HttpExchange } from './http-exchange.js';
import type { PosWire, WireLookup } from './vendor.js';

/** The most characters that are kept of a POS's message, which may be an HTML page. */
const MAX_MESSAGE_LENGTH = 500;
const NO_TEXT = 'it is no text, and no header says what it is';
/** A message is no text when more than one character of this number is unreadable. */
const BINARY_SHARE = 10;

/**
 * Converts an HTTP exchange to an answer and classifies it, by the vendor's error code and the HTTP status (D7).
 * @param now epoch ms
 * @param secrets credentials sent with the request; removed from the message before the message can be stored or logged (D18)
 */
export function readAnswer(
  exchange: HttpExchange,
  vendor: Pick<PosWire, 'readError'>,
  now: number,
  secrets: readonly string[],
): Answer {
  if (exchange.kind === 'unanswered') return { ...exchange, message: errorLine(exchange.message, secrets) };
  const { status, broken, retryAfter } = exchange;
  const unreadable = exchange.unreadable ?? (isSuccess(status) && isNoText(exchange.body) ? NO_TEXT : undefined);
  const { errorCode, message, meaning, subject } = vendor.readError(exchange);
  return {
    kind: 'answered',
    meaning: meaningOf(status, broken, meaning, unreadable !== undefined),
    status,
    broken,
    ...(unreadable !== undefined && { unreadable: errorLine(unreadable, secrets) }),
    ...(subject !== undefined && { subject }),
    errorCode,
    message: message === null || isBinary(message) ? null : messageOf(message, secrets),
    retryAfterMs: retryAfter === undefined ? null : retryAfterMs(retryAfter, now),
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * Whether a body cannot be the text of anybody: UTF-32, or bytes that were compressed without a header that says so. It may say no (D24). A NUL at
 * the end is that of a program in C.
 */
function isNoText(body: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return /\0[^\0]/.test(body) || (body.includes('\ufffd') && /[\u0001-\u0008\u000e-\u001f]/.test(body));
}

function messageOf(message: string, secrets: readonly string[]): string {
  return errorLine(message, secrets).slice(0, MAX_MESSAGE_LENGTH).toWellFormed();
}

/** Whether a message is no text, though the POS encoded nothing: people could not read it (D25). */
function isBinary(message: string): boolean {
  const beginning = message.slice(0, MAX_MESSAGE_LENGTH);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is counted
  const strange = beginning.match(/[\u0000-\u0008\u000e-\u001f\ufffd]/g)?.length ?? 0;
  return strange * BINARY_SHARE > beginning.length;
}

/**
 * The sighting that the exchange of a look-up gives (D20). Every answer except a complete 2xx or 404 is `unclear`. A 404 is also `unclear`
 * when its error code is a failed authentication (D8) or temporary (D10).
 * @param answer the result of {@link readAnswer} for this exchange
 */
export function sightingOf(
  exchange: HttpExchange,
  answer: Answer,
  lookup: WireLookup,
  order: OrderReference,
): Sighting {
  if (exchange.kind === 'unanswered' || answer.kind === 'unanswered' || exchange.broken) return 'unclear';
  const isClear = answer.meaning === 'delivered' || (answer.meaning === 'refused' && answer.status === 404);
  return isClear ? lookup.read(exchange, order) : 'unclear';
}
