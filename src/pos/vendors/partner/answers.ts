import type { Subject } from '../../../domain/cause.js';
import type { Sighting } from '../../../domain/lookup.js';
import type { OrderReference } from '../../../domain/order.js';
import type { ErrorMeaning } from '../../../domain/outcome.js';
import type { PosWireSettings } from '../../../platform/config/pos-config.js';
import type { GrantedToken, WireError, WireReply } from '../../vendor.js';
import { isObject, type JsonObject, objectsIn, parsed } from './objects.js';

const AUTHENTICATION_ERROR_CODES: ReadonlySet<number> = new Set([901, 902]);
/** The default of POS_DUPLICATE_ERROR_CODES: the POS has an order with this order_id. */
const DUPLICATE_ERROR_CODES: ReadonlySet<number> = new Set([904]);

/** The `status` of an order that the POS has not accepted yet; HTTP 202 means the same. */
const IN_PROGRESS: ReadonlySet<unknown> = new Set(['IN_PROGRESS', 'PROCESSING']);

/**
 * Reads an error body, `{errorCode, message}` or `{errorCode, errorMessage}` (D6): the first object with an error code, else the first one. A
 * body that is more than this object is the message, if the object has none.
 */
export function readError({ status, body }: WireReply, settings: PosWireSettings): WireError {
  const objects = [...objectsIn(body)];
  const found = objects.find(({ members }) => integer(members.errorCode) !== null) ?? objects[0];
  const errorCode = found ? integer(found.members.errorCode) : null;
  const message = text(found?.members.message ?? found?.members.errorMessage) ?? (found?.isAlone ? null : text(body));
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
 * Reads the token from the body of the answer to `POST /auth` (T2, T3), as D6 reads an error; undefined when the body has no token.
 * @param now epoch ms
 */
export function readToken(body: string, now: number): GrantedToken | undefined {
  for (const { members, isClosed } of objectsIn(body)) {
    const granted = isClosed ? tokenIn(members, now) : undefined;
    if (granted) return granted;
  }
  return undefined;
}

function tokenIn(top: JsonObject, now: number): GrantedToken | undefined {
  const inner = isObject(top.data) ? top.data : {};
  const find = (...names: string[]) => names.flatMap((name) => [top[name], inner[name]]).find((value) => value != null);
  const token = find('token', 'access_token', 'accessToken');
  if (typeof token !== 'string') return undefined;
  const seconds = numeric(find('expires_in', 'expiresIn'));
  return { token, expiresInMs: seconds > 0 ? seconds * 1_000 : jwtExpiresInMs(token, now) };
}

/**
 * Reads the answer to a look-up, a 2xx or a 404 (D20). The body begins with a JSON object; the order may be under `data`. Order id and
 * store, if the body has them, must be those of the request. The body of a 404 may be empty. An object behind another text is not
 * clear: it may be a part of a proxy's page.
 */
export function readSighting({ status, body }: WireReply, { id, store }: OrderReference): Sighting {
  // in a URL these ids would lead to other paths
  if (id === '.' || id === '..') return 'unclear';
  if (status === 404 && body.trim() === '') return 'not-found';
  const objects = [...objectsIn(body)];
  const [found] = objects;
  if (!found?.isClosed || found.isPreceded) return 'unclear';
  if (status === 404) return 'not-found';
  if (objects.some(({ members }) => integer(members.errorCode) !== null)) return 'unclear';
  const { members: top } = found;
  const order = isObject(top.data) ? top.data : top;
  if (!isOrAbsent(order.order_id ?? order.orderId, id) || !isOrAbsent(order.cod_store, store)) return 'unclear';
  return status === 202 || IN_PROGRESS.has(order.status) ? 'in-progress' : 'found';
}

function isOrAbsent(value: unknown, expected: string): boolean {
  if (value === undefined || value === null) return true;
  return (typeof value === 'string' || typeof value === 'number') && String(value) === expected;
}

function jwtExpiresInMs(token: string, now: number): number | null {
  const claims = parsed(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const expires = isObject(claims) ? numeric(claims.exp) * 1_000 : Number.NaN;
  return expires > now ? expires - now : null;
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
