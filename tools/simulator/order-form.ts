import { isRecord, type PosCancel, type PosOrder, type PosOrderItem, type PosOrderPayment } from './wire.js';

/** The required fields of requests, and their types. */

/** @returns the problem of a value; undefined when there is none */
type Check = (value: unknown) => string | undefined;
type Checks<Body, Optional extends keyof Body> = Record<Exclude<keyof Body, Optional>, Check>;

const must =
  (be: string, holds: (value: unknown) => boolean): Check =>
  (value) =>
    holds(value) ? undefined : `must be ${be}`;

const text = must('a non-empty string', (value) => typeof value === 'string' && value.trim() !== '');
const anyText = must('a string', (value) => typeof value === 'string');
const instant = must('an ISO 8601 time', (value) => typeof value === 'string' && isInstant(value));
const amount = must(
  'a number of whole cents, not negative',
  (value) => typeof value === 'number' && /^\d+(\.\d{1,2})?$/.test(String(value)),
);
// a discount or a return may be a line below zero
const number = must('a number', Number.isFinite);
const list = must('a list', Array.isArray);
const filledList = must('a list of at least one entry', (value) => Array.isArray(value) && value.length > 0);

const note = must('a text of at most 255 characters without control characters', (value) => {
  return typeof value === 'string' && [...value].length <= 255 && !/\p{Cc}/u.test(value);
});

const ORDER: Checks<PosOrder, 'notes'> = {
  order_id: text,
  cod_store: text,
  created_at: instant,
  total_amount: amount,
  total_discount: amount,
  total_increase: amount,
  items: filledList,
  payment_types: list,
};
// an empty code is refused as an unknown product
const ITEM: Checks<PosOrderItem, 'notes' | 'options'> = {
  integration_code: anyText,
  desc_item: anyText,
  quantity: number,
  unit_price: number,
};
const PAYMENT: Checks<PosOrderPayment, 'authorization_code' | 'brand'> = { code: text, amount };
/** Fields that may be absent. */
const OPTIONAL: Record<string, Check> = { notes: note, options: list, authorization_code: text, brand: text };
const CANCEL: Checks<PosCancel, never> = { order_id: text, cod_store: text };

/** @returns the problem of the body of `POST /order`, beginning with the field; undefined when there is none */
export function orderProblem(body: unknown): string | undefined {
  const wrong = recordProblem(body, ORDER, '');
  if (wrong) return wrong;
  const { items, payment_types } = body as PosOrder;
  const wrongOption = () =>
    items.map(({ options = [] }, i) => listProblem(options, ITEM, `items[${i}].options`)).find((problem) => problem);
  return listProblem(items, ITEM, 'items') ?? wrongOption() ?? listProblem(payment_types, PAYMENT, 'payment_types');
}

/** The same for the body of `POST /cancel-order`. */
export function cancelProblem(body: unknown): string | undefined {
  return recordProblem(body, CANCEL, '');
}

function listProblem(entries: readonly unknown[], checks: Record<string, Check>, name: string): string | undefined {
  for (const [index, entry] of entries.entries()) {
    const wrong = recordProblem(entry, checks, `${name}[${index}]`);
    if (wrong) return wrong;
  }
  return undefined;
}

function recordProblem(value: unknown, checks: Record<string, Check>, path: string): string | undefined {
  if (!isRecord(value)) return path ? `${path}: must be an object` : 'body: must be a JSON object';
  for (const [field, check] of Object.entries(checks)) {
    const name = path ? `${path}.${field}` : field;
    if (value[field] === undefined || value[field] === null) return `${name}: is required`;
    const wrong = check(value[field]);
    if (wrong) return `${name}: ${wrong}`;
  }
  for (const [field, check] of Object.entries(OPTIONAL)) {
    const wrong = value[field] === undefined ? undefined : check(value[field]);
    if (wrong) return `${path ? `${path}.` : ''}${field}: ${wrong}`;
  }
  return undefined;
}

function isInstant(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T/.test(value) && !Number.isNaN(Date.parse(value));
}
