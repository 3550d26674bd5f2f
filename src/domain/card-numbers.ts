import { isCard, LONGEST, SHORTEST, shown } from './card-issuers.js';
import { type Hint, hintOf, isSecret, mayBeSecret } from './card-names.js';
import { maskText, mayHaveRun } from './card-text.js';

/** A JSON object of any fields. */
type JsonObject = Record<string, unknown>;

/** The smallest JSON number of 13 digits. */
const FIRST_NUMBER = 10 ** (SHORTEST - 1);
/** What is stored of a security code, a PIN, a track or an expiry (W48). */
const REMOVED = '***';

/** Fields of a sale, and of its items, that lead to the restaurant, the order or the product: never changed (W39). */
const KEYS = new Set([
  ...['transactionKey', 'transactionNumber', 'storeCode', 'restaurantId', 'transactionDate', 'isTestTransaction'],
  ...['items[].itemCode', 'items[].options[].itemCode'],
]);
/** Amounts: never changed where they are numbers. */
const AMOUNTS = new Set([
  ...['totalAmount', 'tipAmount', 'serviceFeeAmount', 'items[].quantity', 'items[].price', 'payments[].amount'],
  ...['items[].options[].quantity', 'items[].options[].price'],
]);
/** Evidence of a payment that is searched although its name has a word of another number: it is sent to the POS (M22). */
const SEARCHED = new Set(['payments[].authorizationCode', 'payments[].terminalId']);

/** Fields that the mapper reads: it warns of their numbers itself (W13). */
const READ = new Set([
  ...[...KEYS, ...AMOUNTS, ...SEARCHED, 'items[].itemName', 'items[].options[].itemName'],
  ...['notes', 'items[].notes', 'payments[].acquirerDocument', 'payments[].brand', 'payments[].installments'],
]);
/** The shapes that a rule names, and those on the way to them. */
const SHAPES = new Set([
  ...['items', 'items[]', 'items[].options', 'items[].options[]', 'payments', 'payments[]'],
  ...READ,
]);

/** A name that looks like a place in an object or array. */
const WITH_STEPS = /[.[]/;

/** Characters of a name that stand in a path: a long name would be copied for each value under it. */
const SHOWN_OF_NAME = 100;

/** The name of a field. The elements of an array have the name of their array. */
interface Name {
  readonly name: string;
  /** of the object that it stands in */
  readonly around: Name | undefined;
  /** what it says, computed once: the name is searched, however many values it has */
  hint: Hint | undefined;
}

/**
 * A field on the way to a value. Texts that grow with its depth are not made for each of 50,000 values: its path only when it is found, its
 * shape only where a rule names one.
 */
interface Field {
  /** undefined: the sale itself */
  readonly parent: Field | undefined;
  /** its name as it is shown, or its index in an array */
  readonly step: string | number;
  /** its place without the index of arrays; undefined: none of {@link SHAPES} */
  readonly shape: string | undefined;
  readonly isOfItem: boolean;
  readonly name: Name | undefined;
  /** its place with the index of arrays; undefined: nobody has asked */
  path: string | undefined;
}

const SALE: Field = { parent: undefined, step: '', shape: '', isOfItem: false, name: undefined, path: '' };

function knownShape(around: string | undefined, step: string): string | undefined {
  const shape = around === undefined ? undefined : around + step;
  return shape !== undefined && SHAPES.has(shape) ? shape : undefined;
}

function fieldUnder(parent: Field, sent: string, shown: string): Field {
  return {
    parent,
    step: shown.slice(0, SHOWN_OF_NAME),
    shape: WITH_STEPS.test(sent) ? undefined : knownShape(parent.shape, parent === SALE ? sent : `.${sent}`),
    isOfItem: parent === SALE ? sent.startsWith('items') : parent.isOfItem,
    name: { name: shown, around: parent.name, hint: undefined },
    path: undefined,
  };
}

function elementsOf(array: Field): (index: number) => Field {
  const { isOfItem, name } = array;
  const shape = knownShape(array.shape, '[]');
  return (step) => ({ parent: array, step, shape, isOfItem, name, path: undefined });
}

function pathOf(field: Field): string {
  if (field.path !== undefined) return field.path;
  const { parent, step } = field;
  const before = parent ? pathOf(parent) : '';
  if (typeof step === 'number') field.path = `${before}[${step}]`;
  else field.path = before === '' ? step : `${before}.${step}`;
  return field.path;
}

/** A payload without card numbers, and the fields that had one. */
interface Masked {
  readonly payload: JsonObject;
  readonly fields: readonly string[];
  /** the fields whose value was removed (W48) */
  readonly removed: readonly string[];
  /** the fields with a number beyond 2^53, which has lost digits (W13) */
  readonly lost: readonly string[];
}

/** The fields that a walk has changed. */
type Found = Record<'fields' | 'removed' | 'lost', string[]>;

/**
 * Replaces what looks like a card number in a payload of any shape by its first six and last four digits (W38, W39), and removes security codes
 * and the like (W48). The time is linear in the size of the payload. A payload without such a field is returned as it is.
 */
export function withoutCardNumbers(payload: JsonObject): Masked {
  // the usual case: a sale has no such number, and nothing is copied
  if (!objectMayHaveCard(payload, true)) return { payload, fields: [], removed: [], lost: [] };
  const found: Found = { fields: [], removed: [], lost: [] };
  const masked = maskObject(payload, SALE, found);
  const isChanged = found.fields.length + found.removed.length > 0;
  return { payload: isChanged ? masked : payload, ...found };
}

/** Replaces what looks like a card number in a text, such as the error of a POS (W38). */
export function maskCards(text: string): string {
  return mayHaveRun(text) ? maskText(text, 'none') : text;
}

function mayHaveCard(value: unknown): boolean {
  if (typeof value === 'string') return mayHaveRun(value);
  if (typeof value === 'number') return value >= FIRST_NUMBER || value <= -FIRST_NUMBER;
  if (typeof value !== 'object' || value === null) return false;
  if (!Array.isArray(value)) return objectMayHaveCard(value as JsonObject, false);
  // some() takes longer, and every sale is searched
  for (const inner of value) if (mayHaveCard(inner)) return true;
  return false;
}

function objectMayHaveCard(object: JsonObject, isSale: boolean): boolean {
  for (const name in object) {
    // a key often has many digits, and is left alone
    if (isSale && KEYS.has(name)) continue;
    if (mayHaveRun(name) || mayBeSecret(name) || mayHaveCard(object[name])) return true;
  }
  return false;
}

function maskValue(value: unknown, field: Field, found: Found): unknown {
  if (Array.isArray(value)) {
    const elementAt = elementsOf(field);
    return value.map((inner, i) => maskValue(inner, elementAt(i), found));
  }
  if (typeof value === 'object' && value !== null) return maskObject(value as JsonObject, field, found);
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const { shape } = field;
  const masked = shape !== undefined && KEYS.has(shape) ? value : maskScalar(value, field);
  if (masked !== value) found.fields.push(pathOf(field));
  else if (isBeyondSafe(value) && !(shape !== undefined && READ.has(shape))) found.lost.push(pathOf(field));
  return masked;
}

function isBeyondSafe(value: string | number): boolean {
  return Number.isFinite(value) && Math.abs(value as number) > Number.MAX_SAFE_INTEGER;
}

function maskObject(object: JsonObject, field: Field, found: Found): JsonObject {
  const entries = Object.entries(object).map(([sent, value]): [string, unknown] => {
    const name = maskCards(sent);
    const inner = fieldUnder(field, sent, name);
    if (name !== sent) found.fields.push(pathOf(inner));
    if (!isKept(value) && mayBeSecret(name) && isSecret(name, hintIn(field.name), field.isOfItem)) {
      found.removed.push(pathOf(inner));
      return [name, REMOVED];
    }
    return [name, maskValue(value, inner, found)];
  });
  return Object.fromEntries(entries);
}

/** Whether a value of a secret field says nothing: it is empty, or says yes or no. */
function isKept(value: unknown): boolean {
  return value === null || value === '' || value === REMOVED || typeof value === 'boolean';
}

/** What the name of a field says, or that of an object around it. Only few fields have digits that need it. */
function hintIn(field: Name | undefined): Hint {
  if (field === undefined) return 'none';
  field.hint ??= hintOf(field.name, hintIn(field.around));
  return field.hint;
}

/** As {@link hintIn}, of the field itself. */
function hintOn({ shape, name }: Field): Hint {
  const hint = hintIn(name);
  return hint === 'other' && shape !== undefined && SEARCHED.has(shape) ? 'none' : hint;
}

function maskScalar(value: string | number, field: Field): string | number {
  if (typeof value === 'string') return mayHaveRun(value) ? maskText(value, hintOn(field)) : value;
  const whole = Math.trunc(Math.abs(value));
  if (whole < FIRST_NUMBER || !Number.isFinite(value)) return value;
  if (field.shape !== undefined && AMOUNTS.has(field.shape)) return value;
  const hint = hintOn(field);
  if (whole !== Math.abs(value) && hint !== 'card') return value;
  const digits = BigInt(whole).toString();
  if (Number.isSafeInteger(whole)) return isCard(digits, hint) ? shown(digits) : value;
  // its last digits were lost, so the check digit says nothing; the number would still show what Postgres stores
  return hint === 'card' && digits.length <= LONGEST ? shown(digits) : value;
}
