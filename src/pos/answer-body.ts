import { errorLine, type PosAnswer } from '../domain/pos-answer.js';
import type { Exchange } from './http.js';

/** Of a POS's words (it may answer with a whole HTML page) this much is kept. */
const MAX_MESSAGE_LENGTH = 500;

type JsonObject = Record<string, unknown>;

/**
 * Reads the POS's error body, `{errorCode, message}` or `{errorCode, errorMessage}`, out of an exchange. The `secrets`
 * that went with the request are struck from the text here, before anybody can store or log it.
 */
export function readAnswer(exchange: Exchange, now: number, secrets: readonly string[]): PosAnswer {
  if (exchange.kind === 'unanswered') return { ...exchange, message: errorLine(exchange.message, secrets) };
  const { status, broken, retryAfter, body } = exchange;
  const json = jsonObject(body);
  const message = json ? text(json.message ?? json.errorMessage) : text(body);
  return {
    kind: 'answered',
    status,
    broken,
    errorCode: json ? integer(json.errorCode) : null,
    message: message === null ? null : errorLine(message, secrets).slice(0, MAX_MESSAGE_LENGTH).toWellFormed(),
    retryAfterMs: retryAfter === undefined ? null : retryAfterMs(retryAfter, now),
  };
}

export interface GrantedToken {
  readonly token: string;
  /** how long it lives, if it says so */
  readonly expiresInMs: number | null;
}

/** The token in the answer of `POST /auth` (DECISIONS 3, POS token); undefined when there is none. */
export function readToken(body: string, now: number): GrantedToken | undefined {
  const top = jsonObject(body);
  if (!top) return undefined;
  const inner = isObject(top.data) ? top.data : {};
  const find = (...names: string[]) => names.flatMap((name) => [top[name], inner[name]]).find((value) => value != null);
  const token = find('token', 'access_token', 'accessToken');
  // it becomes a header
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token)) return undefined;
  const seconds = Number(find('expires_in', 'expiresIn'));
  return { token, expiresInMs: seconds > 0 ? seconds * 1_000 : jwtExpiresInMs(token, now) };
}

function jwtExpiresInMs(token: string, now: number): number | null {
  const claims = jsonObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const expires = Number(claims?.exp) * 1_000;
  return expires > now ? expires - now : null;
}

/** Seconds, or an HTTP date. */
function retryAfterMs(header: string, now: number): number | null {
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return ms > 0 ? ms : null;
}

function jsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function integer(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : null;
}

function text(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
