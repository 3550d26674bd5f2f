import type { EnvironmentReader } from './environment.js';

/** The fields that the relay writes into the body of an order; pos/vendors/partner/wire.ts has their types. */
export const ORDER_FIELDS = [
  ...['order_id', 'cod_store', 'created_at', 'total_amount', 'total_discount', 'total_increase'],
  ...['items', 'payment_types'],
] as const;
/** The same of an item, and of a payment. */
export const ITEM_FIELDS = ['integration_code', 'desc_item', 'quantity', 'unit_price'] as const;
export const PAYMENT_FIELDS = ['code', 'amount'] as const;

/** The evidence of a payment that can be sent (M22). */
const EVIDENCE = ['authorizationCode', 'acquirerDocument', 'brand', 'installments', 'terminalId'] as const;

/** The POS's fields by the relay's names of the evidence. */
export type PaymentFields = Readonly<Partial<Record<(typeof EVIDENCE)[number], string>>>;

/** The name of a field; `__proto__` is none. */
const NAME = /^(?!__proto__$)[A-Za-z_][\w.-]{0,99}$/;
const NAME_RULE =
  'must be the name of a field of the POS, 1 to 100 letters, digits, _, . and -, which begins with a letter or _';

/** Reads the names of the fields that some POS have for notes, options and evidence (M19, M21, M22); undefined: not sent. */
export function readPosFields(read: EnvironmentReader) {
  const itemNotesField = fieldName(read, 'POS_ITEM_NOTES_FIELD', ITEM_FIELDS);
  const optionsField = fieldName(read, 'POS_OPTIONS_FIELD', ITEM_FIELDS);
  if (optionsField !== undefined && optionsField === itemNotesField)
    read.problem('POS_OPTIONS_FIELD', 'must not be the same field as POS_ITEM_NOTES_FIELD');
  return {
    /** field of an item for its notes (M21) */
    itemNotesField,
    /** field of the order for its notes (M21) */
    orderNotesField: fieldName(read, 'POS_ORDER_NOTES_FIELD', ORDER_FIELDS),
    /** field of an item for the list of its options; undefined: an option is a line of its own (M19) */
    optionsField,
    /** fields of a payment for its evidence (M22) */
    paymentFields: readPaymentFields(read, 'POS_PAYMENT_FIELDS'),
  };
}

function fieldName(read: EnvironmentReader, variable: string, taken: readonly string[]): string | undefined {
  const text = read.text(variable);
  if (text === undefined) return undefined;
  if (!NAME.test(text)) return read.problem(variable, NAME_RULE);
  if (taken.includes(text)) return read.problem(variable, `must not be ${text}, which the relay writes itself`);
  return text;
}

function readPaymentFields(read: EnvironmentReader, variable: string): PaymentFields | undefined {
  const given = read.object(variable);
  if (given === undefined) return undefined;
  const names = new Set<string>(PAYMENT_FIELDS);
  for (const [field, name] of Object.entries(given)) {
    if (!(EVIDENCE as readonly string[]).includes(field))
      return read.problem(variable, `must have only the fields ${EVIDENCE.join(', ')}`);
    if (typeof name !== 'string' || !NAME.test(name)) return read.problem(variable, `${field}: ${NAME_RULE}`);
    if (names.has(name))
      return read.problem(variable, `${field}: must be another field than code, amount and those of other evidence`);
    names.add(name);
  }
  return Object.keys(given).length === 0 ? undefined : (given as PaymentFields);
}
