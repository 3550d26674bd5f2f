import type { JsonObject } from './transaction.js';

/** What is shown in place of a hidden value (S23). */
export const HIDDEN = '[hidden]';

/** The names of a dot path into a payload; arrays on the way are passed through. */
export type FieldPath = readonly string[];

/**
 * The fields that cannot be hidden: the relay shows them in lists, orders and tickets (S22). A path of theirs, or one above, is refused.
 */
export const SHOWN_FIELDS: readonly FieldPath[] = [
  ...['transactionKey', 'transactionNumber', 'isTestTransaction', 'storeCode', 'restaurantId', 'transactionDate'],
  ...['totalAmount', 'items.itemCode', 'items.itemName', 'items.quantity', 'items.price'],
  ...['payments.tenderType', 'payments.amount'],
].map((path) => path.split('.'));

/** Fields that may be hidden and that the order of a POS may have (M17 to M22): what is sent would show them. */
const SENT_FIELDS: readonly FieldPath[] = [
  ...['notes', 'tipAmount', 'serviceFeeAmount', 'items.notes', 'items.options', 'payments.authorizationCode'],
  ...['payments.acquirerDocument', 'payments.brand', 'payments.installments', 'payments.terminalId'],
].map((path) => path.split('.'));

/** Whether a hidden field may be in the order of the POS. @param hidden dotted text, as {@link withoutFields} returns it */
export function isSent(hidden: string): boolean {
  const path = hidden.split('.');
  return SENT_FIELDS.some((sent) => hides(sent, path) || hides(path, sent));
}

/** Whether hiding `path` hides the field `shown` too: it is the same or above it. */
export function hides(path: FieldPath, shown: FieldPath): boolean {
  return path.every((name, i) => shown[i] === name);
}

/**
 * Replaces the values of these fields by {@link HIDDEN} (S23). Pure; a payload without such a field is returned as it is.
 * @returns the payload, and the paths at which a value was replaced, as dotted text
 */
export function withoutFields(
  payload: JsonObject,
  paths: readonly FieldPath[],
): { readonly payload: JsonObject; readonly hidden: readonly string[] } {
  const hidden: string[] = [];
  let shown: unknown = payload;
  for (const path of paths) {
    const next = hide(shown, path);
    if (next !== shown) hidden.push(path.join('.'));
    shown = next;
  }
  return { payload: shown as JsonObject, hidden };
}

/** @returns the value itself when it has no such field */
function hide(value: unknown, [name, ...rest]: FieldPath): unknown {
  if (name === undefined) return value === null ? value : HIDDEN;
  if (Array.isArray(value)) {
    const entries = value.map((entry) => hide(entry, [name, ...rest]));
    return entries.some((entry, i) => entry !== value[i]) ? entries : value;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value;
  const object = value as JsonObject;
  const inner = hide(object[name], rest);
  if (inner === object[name]) return value;
  return Object.fromEntries(Object.entries(object).map(([key, kept]) => [key, key === name ? inner : kept]));
}
