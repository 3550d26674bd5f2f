import { AMOUNT_LIMIT, type Cents, decimal, shareOut, toCents } from './money.js';
import { readTime, validTime } from './time.js';

/**
 * A terminal transaction after the door's check of its shape (DECISIONS 2.4). Amounts are still what the terminal sent:
 * the mapper judges them.
 */
export interface Transaction {
  /** The key as sent; see {@link storedKey}. */
  readonly transactionKey: string;
  readonly transactionNumber: string | null;
  readonly isTestTransaction: boolean;
  readonly storeCode: string | null;
  readonly restaurantId: string | null;
  /** null when absent or unreadable */
  readonly transactionDate: Date | null;
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
const MAX_ENTRIES = 500;
const MAX_DEPTH = 32;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;
/** A smaller number counts seconds, or nothing at all. */
const FIRST_EPOCH_MS = 100_000_000_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What is wrong with a body, one line for each field: `field: what to do`. Empty: the shape is good. */
export function shapeProblems(body: unknown): string[] {
  if (!isObject(body)) return ['body: must be a JSON object'];
  if (depthExceeds(body, MAX_DEPTH)) return [`body: must not nest deeper than ${MAX_DEPTH} levels`];
  const problems: string[] = [];
  const key = keyProblem(body.transactionKey);
  if (key) problems.push(`transactionKey: ${key}`);
  const { isTestTransaction: test, restaurantId, storeCode } = body;
  if (present(test) && typeof test !== 'boolean') problems.push('isTestTransaction: must be true or false');
  if (present(restaurantId) && restaurantId !== '' && !(typeof restaurantId === 'string' && UUID.test(restaurantId)))
    problems.push('restaurantId: must be a UUID');
  if (present(storeCode) && typeof storeCode !== 'string' && typeof storeCode !== 'number')
    problems.push('storeCode: must be a string');
  for (const field of ['items', 'payments'] as const) {
    const value = body[field];
    if (!present(value)) continue;
    if (!Array.isArray(value) || !value.every(isObject)) problems.push(`${field}: must be an array of objects`);
    else if (value.length > MAX_ENTRIES) problems.push(`${field}: must have at most ${MAX_ENTRIES} entries`);
  }
  return problems;
}

/** Reads a body in which {@link shapeProblems} found nothing, or one that was stored. */
export function readTransaction(body: JsonObject): Transaction {
  return {
    transactionKey: String(body.transactionKey),
    transactionNumber: identifier(body.transactionNumber),
    isTestTransaction: body.isTestTransaction === true,
    storeCode: identifier(body.storeCode),
    restaurantId: identifier(body.restaurantId)?.toLowerCase() ?? null,
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

/**
 * The body as it is stored: without the credentials that the door accepts in it, and with NUL characters and unpaired
 * surrogates, which Postgres refuses, as U+FFFD: rather a replaced character than a lost sale (DECISIONS 2.4).
 */
export function storablePayload({ email: _, password: __, ...payload }: JsonObject): JsonObject {
  return storable(payload) as JsonObject;
}

/** Seed, webhook rule 3: a test transaction, or one from the designated test store. */
export function isTestMode(transaction: Transaction, testStoreCode: string | undefined): boolean {
  return transaction.isTestTransaction || isTestStore(transaction, testStoreCode);
}

export function isTestStore(transaction: Transaction, testStoreCode: string | undefined): boolean {
  return testStoreCode !== undefined && transaction.storeCode === testStoreCode;
}

/** The key an event is stored under, which is also the job's eventKey and the order_id; `receivedAt` in epoch ms. */
export function storedKey(transaction: Transaction, testMode: boolean, receivedAt: number): string {
  return testMode ? `${transaction.transactionKey}-${receivedAt}` : transaction.transactionKey;
}

/** Seed, mapping rule 3: a payment that is not a finite number greater than zero (after rounding to cents) is ignored. */
export function isValidPayment(payment: TransactionPayment): payment is TransactionPayment & { amount: number } {
  const { amount } = payment;
  return typeof amount === 'number' && Number.isFinite(amount) && amount > 0 && toCents(decimal(amount)) >= 1n;
}

/** What was paid, as the order will say it: the valid payments, shared out to cents. */
export interface Paid {
  readonly total: Cents;
  /** by tenderType as sent */
  readonly byTender: Readonly<Record<string, Cents>>;
}

/** null when a payment is beyond all amounts. */
export function paidOf({ payments }: Transaction): Paid | null {
  const valid = payments.filter(isValidPayment);
  if (!valid.every(({ amount }) => isAmount(amount))) return null;
  const cents = shareOut(valid.map(({ amount }) => decimal(amount)));
  const byTender: Record<string, Cents> = {};
  for (const [i, { tenderType }] of valid.entries()) {
    const name = typeof tenderType === 'number' || typeof tenderType === 'string' ? String(tenderType) : 'none';
    byTender[name] = (byTender[name] ?? 0n) + (cents[i] as Cents);
  }
  return { total: cents.reduce((total, share) => total + share, 0n), byTender };
}

/** The terminal's own total less what was paid, in cents; null when they agree or cannot be compared (DECISIONS 5). */
export function amountMismatch({ totalAmount }: Transaction, paid: Paid | null): Cents | null {
  if (!paid || !isAmount(totalAmount)) return null;
  const difference = toCents(decimal(totalAmount)) - paid.total;
  return difference === 0n ? null : difference;
}

/** A finite number of currency units below the limit. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < AMOUNT_LIMIT;
}

function keyProblem(key: unknown): string | undefined {
  if (!present(key)) return 'is required';
  if (typeof key !== 'string') return 'must be a string';
  if (key.trim() === '') return 'must not be empty';
  if ([...key].length > MAX_KEY_LENGTH) return `must have at most ${MAX_KEY_LENGTH} characters`;
  if (CONTROL_CHARACTER.test(key)) return 'must not contain control characters';
  if (!key.isWellFormed()) return 'must not contain unpaired surrogates';
  return undefined;
}

/** ISO 8601, or epoch milliseconds; anything else is unreadable rather than guessed at. */
function readDate(value: unknown): Date | null {
  if (typeof value === 'number') return value >= FIRST_EPOCH_MS ? validTime(new Date(value)) : null;
  return typeof value === 'string' ? readTime(value) : null;
}

function identifier(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? storableText(value) : null;
}

function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storableText(key), storable(inner)]));
}

function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

function depthExceeds(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => depthExceeds(inner, levels - 1));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function present(value: unknown): boolean {
  return value !== undefined && value !== null;
}
