import { hasLostDigits, identifier, storableText } from './text.js';
import { dateInRange, readTime } from './time.js';

/** The fields of a terminal transaction that identify and place it (W27). */
export interface Transaction {
  /** The key as sent; see {@link storedKey}. */
  readonly transactionKey: string;
  /** of any length; see {@link MAX_NUMBER_LENGTH} */
  readonly transactionNumber: string | null;
  readonly isTestTransaction: boolean;
  readonly storeCode: string | null;
  /** in lower case; it may be any text, but a text that is not a UUID matches no restaurant (W9) */
  readonly restaurantId: string | null;
  /** null when absent or unreadable */
  readonly transactionDate: Date | null;
}

/** A JSON object of any fields. */
export type JsonObject = Record<string, unknown>;

const MAX_KEY_LENGTH = 255;
/** The most characters of a transactionNumber in its column; the index of the column allows no more (L8). */
export const MAX_NUMBER_LENGTH = 255;
/** The most `items`, and the most `payments`, of a sale (L8). */
export const MAX_ENTRIES = 500;
const MAX_DEPTH = 32;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;
/** The smallest number read as epoch ms (March 1973): a smaller one is probably in seconds. */
const FIRST_EPOCH_MS = 100_000_000_000;

/**
 * Checks the shape of a webhook body (W12). Each problem is one line, `field: what is required`; nothing is thrown.
 * @returns the payload to store: the body without `email` and `password` (W4, W16)
 */
export function checkShape(body: unknown): { readonly problems: readonly string[] } | { readonly payload: JsonObject } {
  if (!isObject(body)) return { problems: ['body: must be a JSON object'] };
  if (depthExceeds(body, MAX_DEPTH)) return { problems: [`body: must not nest deeper than ${MAX_DEPTH} levels`] };
  const problems = fieldProblems(body);
  return problems.length > 0 ? { problems } : { payload: storablePayload(body) };
}

/** Why an erased sale has no order (W40). */
export const ERASED = 'its content was erased';

/** Whether a stored payload was erased (W40). No terminal can send such a payload, because each of theirs has a transactionKey (W12). */
export function isErased(payload: JsonObject): boolean {
  return payload.erased === true && payload.transactionKey === undefined;
}

/** Email and password of a user. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The `email` and `password` of a webhook body (W2); undefined unless both are non-empty strings. */
export function credentialsIn(body: unknown): Credentials | undefined {
  if (!isObject(body)) return undefined;
  const { email, password } = body;
  return typeof email === 'string' && typeof password === 'string' && email && password
    ? { email, password }
    : undefined;
}

function fieldProblems(body: JsonObject): string[] {
  const problems: string[] = [];
  const key = keyProblem(body.transactionKey);
  if (key) problems.push(`transactionKey: ${key}`);
  const { isTestTransaction: test, storeCode } = body;
  if (present(test) && typeof test !== 'boolean') problems.push('isTestTransaction: must be true or false');
  if (present(storeCode) && typeof storeCode !== 'string' && typeof storeCode !== 'number')
    problems.push('storeCode: must be a string');
  else if (hasLostDigits(storeCode))
    problems.push('storeCode: a number beyond 2^53 has lost digits; send it as a string');
  for (const field of ['items', 'payments'] as const) {
    const value = body[field];
    if (!present(value)) continue;
    if (!Array.isArray(value) || !value.every(isObject)) problems.push(`${field}: must be an array of objects`);
    else if (value.length > MAX_ENTRIES) problems.push(`${field}: must have at most ${MAX_ENTRIES} entries`);
  }
  return problems;
}

/** Reads the transaction from a payload that {@link checkShape} returned, also from a payload of the database. */
export function readTransaction(payload: JsonObject): Transaction {
  return {
    transactionKey: String(payload.transactionKey),
    transactionNumber: identifier(payload.transactionNumber),
    isTestTransaction: payload.isTestTransaction === true,
    storeCode: identifier(payload.storeCode),
    restaurantId: restaurantIdOf(payload.restaurantId),
    transactionDate: readDate(payload.transactionDate),
  };
}

/** Whether the transaction is in test mode: by its flag, or by the test store code (W21). */
export function isTestMode(transaction: Transaction, testStoreCode: string | undefined): boolean {
  return transaction.isTestTransaction || isTestStore(transaction, testStoreCode);
}

/** Whether `storeCode` is the configured test store code (W10, W21). */
export function isTestStore(transaction: Transaction, testStoreCode: string | undefined): boolean {
  return testStoreCode !== undefined && transaction.storeCode === testStoreCode;
}

/**
 * The key an event is stored under (W19, W22); also the job's eventKey and the POS order_id.
 * @param receivedAt time of receipt, epoch ms; the suffix of keys in test mode
 */
export function storedKey(transaction: Transaction, testMode: boolean, receivedAt: number): string {
  return testMode ? `${transaction.transactionKey}-${receivedAt}` : transaction.transactionKey;
}

function keyProblem(key: unknown): string | undefined {
  if (!present(key)) return 'is required';
  if (typeof key !== 'string') return 'must be a string';
  if (key.trim() === '') return 'must not be empty';
  // a text never has more characters than UTF-16 units
  if (key.length > MAX_KEY_LENGTH && [...key].length > MAX_KEY_LENGTH)
    return `must have at most ${MAX_KEY_LENGTH} characters`;
  if (CONTROL_CHARACTER.test(key)) return 'must not contain control characters';
  if (!key.isWellFormed()) return 'must not contain unpaired surrogates';
  return undefined;
}

/** Parses ISO 8601 or epoch milliseconds; null for anything else (W15). */
function readDate(value: unknown): Date | null {
  if (typeof value === 'number') return value >= FIRST_EPOCH_MS ? dateInRange(new Date(value)) : null;
  return typeof value === 'string' ? readTime(value) : null;
}

/**
 * The body as it is stored: without credentials (W4), and with the characters that Postgres refuses replaced by U+FFFD,
 * since losing a character is better than losing a sale (W16).
 */
function storablePayload({ email: _, password: __, ...payload }: JsonObject): JsonObject {
  // the usual case; a copy of thousands of fields is expensive
  return isStorable(payload) ? payload : (storable(payload) as JsonObject);
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (Array.isArray(value)) return value.every(isStorable);
  if (!isObject(value)) return true;
  for (const key in value) if (!isStorable(key) || !isStorable(value[key])) return false;
  return true;
}

/** The entries of `items` or `payments`; empty when there is no array. */
export function entriesOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The restaurantId in lower case; null when absent or empty. Any other value must match a restaurant (W9). */
function restaurantIdOf(value: unknown): string | null {
  if (!present(value) || value === '') return null;
  return storableText(typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase();
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), storable(inner)]));
}

function depthExceeds(value: unknown, levels: number): boolean {
  if (Array.isArray(value)) return levels === 0 || value.some((inner) => depthExceeds(inner, levels - 1));
  if (!isObject(value)) return false;
  if (levels === 0) return true;
  for (const key in value) if (depthExceeds(value[key], levels - 1)) return true;
  return false;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function present(value: unknown): boolean {
  return value !== undefined && value !== null;
}
