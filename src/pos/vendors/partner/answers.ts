import type { Subject } from '../../../domain/cause.js';
import type { Sighting } from '../../../domain/lookup.js';
import type { OrderReference } from '../../../domain/order.js';
import type { ErrorMeaning } from '../../../domain/outcome.js';
import type { PosWireSettings } from '../../../platform/config/pos-config.js';
import type { GrantedToken, WireError, WireReply } from '../../vendor.js';

const AUTHENTICATION_ERROR_CODES: ReadonlySet<number> = new Set([901, 902]);
/** The default of POS_DUPLICATE_ERROR_CODES: the POS has an order with this order_id. */
const DUPLICATE_ERROR_CODES: ReadonlySet<number> = new Set([904]);

/** The `status` of an order that the POS has not accepted yet; HTTP 202 means the same. */
const IN_PROGRESS: ReadonlySet<unknown> = new Set(['IN_PROGRESS', 'PROCESSING']);

type JsonObject = Record<string, unknown>;

/**
 * Reads an error body, `{errorCode, message}` or `{errorCode, errorMessage}` (D6). A body that is not a JSON object is taken
 * as the message. Of an object that was cut or broke off the members that arrived whole count.
 */
export function readError({ status, body }: WireReply, settings: PosWireSettings): WireError {
  const complete = jsonObject(body);
  const json = complete ?? beginningOf(body);
  const errorCode = json ? integer(json.errorCode) : null;
  const message = text(json?.message ?? json?.errorMessage) ?? (complete ? null : text(body));
  return {
    errorCode: errorCode === null ? null : String(errorCode),
    message,
    meaning: errorCode === null ? null : meaningOfCode(errorCode, status, settings),
    subject: subjectOf(errorCode, message, settings),
  };
}

/** The beginning of a message that is looked at for {@link SUBJECT_WORDS}. */
const MOST_READ = 500;

/** Words by which an error message without a known code is about a store or a product, in the languages of its vendors. The first that fits counts. */
const SUBJECT_WORDS: readonly (readonly [Subject, RegExp])[] = [
  ['credentials', /credential|credenci|partner[ _-]?id|not authori[sz]ed|unauthori[sz]ed|n[aã]o autorizad/i],
  ['product', /product|produto|integration[ _-]?code|\bsku\b|\bplu\b|\bitem(s|_code| code)?\b|\bitens\b/i],
  ['store', /cod_store|\bstore\b|\bloja\b|estabelecimento|\bbranch\b|\bfilial\b/i],
];

/** What a refusal is about (O47): by POS_PRODUCT_ERROR_CODES and POS_STORE_ERROR_CODES, else by the message; undefined: it cannot be told. */
function subjectOf(
  errorCode: number | null,
  message: string | null,
  { productErrorCodes, storeErrorCodes }: PosWireSettings,
): Subject | undefined {
  if (errorCode !== null && productErrorCodes?.has(errorCode)) return 'product';
  if (errorCode !== null && storeErrorCodes?.has(errorCode)) return 'store';
  const beginning = message?.slice(0, MOST_READ) ?? '';
  return SUBJECT_WORDS.find(([, words]) => words.test(beginning))?.[0];
}

function meaningOfCode(errorCode: number, status: number, settings: PosWireSettings): ErrorMeaning | null {
  const { temporaryErrorCodes, duplicateErrorCodes = DUPLICATE_ERROR_CODES } = settings;
  if (AUTHENTICATION_ERROR_CODES.has(errorCode)) return 'authentication';
  if (temporaryErrorCodes?.has(errorCode)) return 'temporary';
  return status === 400 && duplicateErrorCodes.has(errorCode) ? 'duplicate' : null;
}

/**
 * Reads the token from the body of the answer to `POST /auth` (T2, T3); undefined when the body has no token.
 * @param now epoch ms
 */
export function readToken(body: string, now: number): GrantedToken | undefined {
  const top = jsonObject(body);
  if (!top) return undefined;
  const inner = isObject(top.data) ? top.data : {};
  const find = (...names: string[]) => names.flatMap((name) => [top[name], inner[name]]).find((value) => value != null);
  const token = find('token', 'access_token', 'accessToken');
  if (typeof token !== 'string') return undefined;
  const seconds = numeric(find('expires_in', 'expiresIn'));
  return { token, expiresInMs: seconds > 0 ? seconds * 1_000 : jwtExpiresInMs(token, now) };
}

/**
 * Reads the answer to a look-up, a 2xx or a 404 (D20). The body is a JSON object; the order may be under `data`. Order id and
 * store, if the body has them, must be those of the request. The body of a 404 may be empty.
 */
export function readSighting({ status, body }: WireReply, { id, store }: OrderReference): Sighting {
  // in a URL these ids would lead to other paths
  if (id === '.' || id === '..') return 'unclear';
  const top = jsonObject(body);
  if (status === 404) return top || body.trim() === '' ? 'not-found' : 'unclear';
  if (!top || integer(top.errorCode) !== null) return 'unclear';
  const order = isObject(top.data) ? top.data : top;
  if (!isOrAbsent(order.order_id ?? order.orderId, id) || !isOrAbsent(order.cod_store, store)) return 'unclear';
  return status === 202 || IN_PROGRESS.has(order.status) ? 'in-progress' : 'found';
}

function isOrAbsent(value: unknown, expected: string): boolean {
  if (value === undefined || value === null) return true;
  return (typeof value === 'string' || typeof value === 'number') && String(value) === expected;
}

function jwtExpiresInMs(token: string, now: number): number | null {
  const claims = jsonObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const expires = numeric(claims?.exp) * 1_000;
  return expires > now ? expires - now : null;
}

function jsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The members of an unfinished JSON object that arrived whole, so before the last comma between members; undefined: there are none. */
function beginningOf(body: string): JsonObject | undefined {
  let [depth, end] = [0, 0];
  for (const { 0: token, index } of body.matchAll(/"(?:[^"\\]|\\.)*"|["{}[\],]/gs)) {
    // a text that does not end
    if (token === '"') break;
    if (token === '{' || token === '[') depth++;
    // the object ends: it is not unfinished, but no JSON
    if ((token === '}' || token === ']') && --depth === 0) return undefined;
    if (token === ',' && depth === 1) end = index;
  }
  return end === 0 ? undefined : jsonObject(`${body.slice(0, end)}}`);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The number that a number or a text stands for; NaN for any other value, since the conversion of an object may throw. */
function numeric(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

function integer(value: unknown): number | null {
  const number = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : null;
}

function text(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
