import { AMOUNT_LIMIT, decimal, toCents } from './money.js';
import { hasLostDigits, storableText } from './text.js';
import { dateInRange, readTime } from './time.js';

/** A terminal transaction whose shape was checked (W12, W27). Amounts are checked by the order computation (W14). */
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
  /** the terminal's own total in currency units */
  readonly totalAmount: unknown;
  readonly items: readonly TransactionItem[];
  readonly payments: readonly TransactionPayment[];
}

export interface TransactionItem {
  readonly itemCode: string | null;
  readonly itemName: string | null;
  readonly quantity: unknown;
  /** unit price in currency units */
  readonly price: unknown;
}

export interface TransactionPayment {
  readonly tenderType: unknown;
  /** currency units */
  readonly amount: unknown;
}

type JsonObject = Record<string, unknown>;

const MAX_KEY_LENGTH = 255;
/** The most characters of a transactionNumber in its column; the index of the column allows no more (L8). */
export const MAX_NUMBER_LENGTH = 255;
const ONE_CENT = 0.01; // currency units
const MAX_ENTRIES = 500;
const MAX_DEPTH = 32;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;
/** The smallest number read as epoch ms (March 1973): a smaller one is probably in seconds. */
const FIRST_EPOCH_MS = 100_000_000_000;

/** The result of parsing a webhook body: its problems, or the transaction and the payload to store. */
export type ParsedTransaction =
  | { readonly problems: readonly string[] }
  | { readonly transaction: Transaction; readonly payload: JsonObject };

/**
 * Checks and parses a webhook body (W12, W13, W15, W16). Each problem is one line, `field: what is required`; nothing is
 * thrown. The payload is the body without `email` and `password` (W4).
 */
export function parseTransaction(body: unknown): ParsedTransaction {
  if (!isObject(body)) return { problems: ['body: must be a JSON object'] };
  if (depthExceeds(body, MAX_DEPTH)) return { problems: [`body: must not nest deeper than ${MAX_DEPTH} levels`] };
  const problems = fieldProblems(body);
  if (problems.length > 0) return { problems };
  const payload = storablePayload(body);
  return { transaction: readTransaction(payload), payload };
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

/** Reads the transaction from a payload that {@link parseTransaction} accepted, also from a payload of the database. */
export function readTransaction(body: JsonObject): Transaction {
  return {
    transactionKey: String(body.transactionKey),
    transactionNumber: identifier(body.transactionNumber),
    isTestTransaction: body.isTestTransaction === true,
    storeCode: identifier(body.storeCode),
    restaurantId: restaurantIdOf(body.restaurantId),
    transactionDate: readDate(body.transactionDate),
    totalAmount: body.totalAmount,
    items: objects(body.items).map((item) => ({
      itemCode: identifier(item.itemCode),
      itemName: identifier(item.itemName),
      quantity: item.quantity,
      price: item.price,
    })),
    payments: objects(body.payments).map(({ tenderType, amount }) => ({ tenderType, amount })),
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

/** Whether the payment counts: its amount is a finite number of at least one cent after rounding (M3). */
export function isValidPayment(payment: TransactionPayment): payment is TransactionPayment & { amount: number } {
  const { amount } = payment;
  if (typeof amount !== 'number' || !Number.isFinite(amount)) return false;
  return amount >= ONE_CENT || (amount > 0 && toCents(decimal(amount)) >= 1n);
}

/** Whether the value is a finite number whose magnitude is below AMOUNT_LIMIT currency units. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < AMOUNT_LIMIT;
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

/** An identifier as text; null when absent, empty, or a number that has lost digits (W13). */
function identifier(value: unknown): string | null {
  if (typeof value === 'number') return hasLostDigits(value) ? null : String(value);
  return typeof value === 'string' && value !== '' ? storableText(value) : null;
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

function objects(value: unknown): JsonObject[] {
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
