import { AMOUNT_LIMIT, centsText } from './money.js';
import { computeOrder, isOddLine, itemProblem, type OrderContext, paymentProblem } from './order.js';
import { amountMismatch, type Paid } from './paid.js';
import { TENDER_LENGTH, TENDERS_OF_A_SALE, tenderName } from './tenders.js';
import { firstCharacters, hasLostDigits } from './text.js';
import {
  isAmount,
  isValidPayment,
  MAX_NUMBER_LENGTH,
  type Transaction,
  type TransactionItem,
  type TransactionPayment,
} from './transaction.js';

/** The kinds of warnings; a label of the metrics. */
export const WARNING_KINDS = [
  'unmappable',
  'odd_line',
  'ignored_payment',
  'amount_mismatch',
  'no_code_store_pos',
  'unknown_tender',
  'shortened_tender',
  'unreadable_date',
  'lost_identifier',
  'cut_identifier',
] as const;

/** A field of an accepted transaction that makes it unmappable or looks wrong (W26). */
export interface Warning {
  readonly kind: (typeof WARNING_KINDS)[number];
  /** `field: what is wrong with it, and what follows` */
  readonly text: string;
}

/** The warning for a restaurant without a codeStorePos. */
export const NO_CODE_STORE_POS: Warning = {
  kind: 'no_code_store_pos',
  text: 'restaurant has no codeStorePos: the order waits until it is set',
};

/** The restaurant's and the vendor's data that the warnings need. */
export interface WarningContext {
  /** by {@link paidOf} */
  readonly paid: Paid | null;
  /** whether the POS vendor has a payment code for the tender type (M11) */
  readonly acceptsTender: (tenderType: unknown) => boolean;
  /** whether the tender type is in the tender table; for any other tender type the default payment code is sent */
  readonly knowsTender: (tenderType: unknown) => boolean;
  /** whether odd lines are folded into discount and surcharge (M14) */
  readonly foldsOddLines: boolean;
}

/** The most warnings of a kind; one more warning counts the rest. */
const MAX_OF_KIND = 50;
/** The most warnings of a transaction: of each kind MAX_OF_KIND, and the warning that counts the rest. */
export const MAX_WARNINGS = WARNING_KINDS.length * (MAX_OF_KIND + 1);
/** The most characters of a warning, since a warning may contain a tender type, which may have any length. */
const MAX_LENGTH = 300;

/**
 * The warnings of a transaction (W26), at most 50 of each kind.
 * @param payload the stored payload that the transaction was read from
 */
export function warningsOf(
  transaction: Transaction,
  payload: Readonly<Record<string, unknown>>,
  context: WarningContext,
): Warning[] {
  return [
    ...ofKind('unmappable', unmappable(transaction, context)),
    ...ofKind(
      'odd_line',
      transaction.items.map((item, i) => oddLine(item, i, context)),
    ),
    ...ofKind('ignored_payment', transaction.payments.map(ignoredPayment)),
    ...ofKind('amount_mismatch', [mismatch(transaction, context.paid)]),
    ...ofKind(
      'unknown_tender',
      transaction.payments.map((payment, i) => unknownTender(payment, i, context)),
    ),
    ...ofKind('shortened_tender', shortenedTenders(transaction)),
    ...ofKind('unreadable_date', [
      transaction.transactionDate === null && (payload.transactionDate ?? null) !== null
        ? 'transactionDate: cannot be read; stored as null, and the order carries the time of receipt'
        : null,
    ]),
    ...ofKind('lost_identifier', lostIdentifiers(transaction, payload)),
    ...ofKind('cut_identifier', [cutNumber(transaction)]),
  ];
}

function ofKind(kind: Warning['kind'], texts: readonly (string | null)[]): Warning[] {
  const found = texts.filter((text) => text !== null);
  if (found.length === 0) return [];
  const shown = found.slice(0, MAX_OF_KIND).map((text) => text.slice(0, MAX_LENGTH).toWellFormed());
  const rest = found.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more like these`] : [])].map((text) => ({ kind, text }));
}

/** All fields that make the transaction unmappable (M10); `lastError` of the parked job names the first. */
function unmappable(transaction: Transaction, { acceptsTender, foldsOddLines }: WarningContext): string[] {
  // also finds problems of sums, such as a total that is too large
  const computed = computeOrder(transaction, { ...NO_REFERENCE, acceptsTender, foldsOddLines });
  if (!('unmappable' in computed)) return [];
  const fields = [
    ...transaction.items.map(itemProblem),
    ...transaction.payments.map((payment, i) => paymentProblem(payment, i, acceptsTender)),
  ].filter((problem) => problem !== null);
  return fields.length > 0 ? fields : [computed.unmappable];
}

/** For an order that is computed only to find problems. */
const NO_REFERENCE: Omit<OrderContext, 'acceptsTender' | 'foldsOddLines'> = {
  id: '',
  store: '',
  receivedAt: new Date(0),
};

/** An odd line, and whether it is sent or folded (M14); null for an unmappable line, which has its own warning. */
function oddLine(item: TransactionItem, index: number, { foldsOddLines }: WarningContext): string | null {
  if (itemProblem(item, index) !== null) return null;
  const [quantity, price] = [item.quantity as number, item.price as number];
  if (!isOddLine({ quantity, price })) return null;
  const what = quantity < 0 ? 'quantity: is negative' : price < 0 ? 'price: is negative' : 'quantity: is zero';
  const folded =
    quantity * price === 0
      ? 'the line is left out'
      : 'the line is left out and counts in total_discount or total_increase';
  return `items[${index}].${what}; ${foldsOddLines ? folded : 'the line is sent as it is'}`;
}

function ignoredPayment(payment: TransactionPayment, index: number): string | null {
  if (isValidPayment(payment)) return null;
  const { amount } = payment;
  const field = `payments[${index}].amount`;
  if (typeof amount === 'string') return `${field}: is text, not a number; the payment is ignored`;
  if (typeof amount !== 'number') return `${field}: must be a number; the payment is ignored`;
  if (Number.isNaN(amount) || amount === Number.POSITIVE_INFINITY)
    return `${field}: must be a finite number; the payment is ignored`;
  if (amount <= 0) return `${field}: is not greater than zero; the payment is ignored`;
  return `${field}: is less than half a cent; the payment is ignored`;
}

function mismatch(transaction: Transaction, paid: Paid | null): string | null {
  const { totalAmount } = transaction;
  if (typeof totalAmount === 'number' && !isAmount(totalAmount))
    return `totalAmount: must be between -${AMOUNT_LIMIT} and ${AMOUNT_LIMIT}; it is not compared with what was paid`;
  const difference = amountMismatch(transaction, paid);
  if (difference === null || paid === null) return null;
  const more = difference > 0n ? `${centsText(difference)} more` : `${centsText(-difference)} less`;
  return `totalAmount: is ${more} than what was paid, ${centsText(paid.total)}; the order has what was paid`;
}

function unknownTender(
  payment: TransactionPayment,
  index: number,
  { acceptsTender, knowsTender }: WarningContext,
): string | null {
  const { tenderType } = payment;
  if (!isValidPayment(payment) || knowsTender(tenderType) || !acceptsTender(tenderType)) return null;
  const shown = JSON.stringify(tenderType)?.slice(0, 100) ?? 'none';
  return `payments[${index}].tenderType: ${shown} is not in the tender table (POS_TENDER_TYPES); the default code is sent`;
}

/** Tender types that reports shorten or sum up (L22). The POS gets them unchanged. */
function shortenedTenders({ payments }: Transaction): (string | null)[] {
  const names = new Set(payments.filter(isValidPayment).map(({ tenderType }) => tenderName(tenderType)));
  return [
    names.size > TENDERS_OF_A_SALE
      ? `payments: have more than ${TENDERS_OF_A_SALE} tender types; reports sum all but the largest ${TENDERS_OF_A_SALE} as one`
      : null,
    ...payments.map(({ tenderType }, i) =>
      typeof tenderType === 'string' && tenderType.length > TENDER_LENGTH
        ? `payments[${i}].tenderType: has more than ${TENDER_LENGTH} characters; reports show the first ${TENDER_LENGTH}`
        : null,
    ),
  ];
}

/** Identifiers that are stored as null because they cannot be read (W13). */
function lostIdentifiers(
  { transactionNumber, items }: Transaction,
  payload: Readonly<Record<string, unknown>>,
): (string | null)[] {
  const sent = Array.isArray(payload.items) ? (payload.items as Record<string, unknown>[]) : [];
  const lost: (string | null)[] = [];
  if (transactionNumber === null) lost.push(lostIdentifier('transactionNumber', payload.transactionNumber));
  for (const [i, item] of items.entries())
    for (const field of ['itemCode', 'itemName'] as const)
      if (item[field] === null) lost.push(lostIdentifier(`items[${i}].${field}`, sent[i]?.[field]));
  return lost;
}

function lostIdentifier(field: string, sent: unknown): string | null {
  if (!isPresent(sent)) return null;
  return hasLostDigits(sent)
    ? `${field}: a number beyond 2^53 has lost digits; stored as null, send it as text`
    : `${field}: must be text; stored as null`;
}

function cutNumber({ transactionNumber }: Transaction): string | null {
  if (transactionNumber === null || firstCharacters(transactionNumber, MAX_NUMBER_LENGTH) === transactionNumber)
    return null;
  return `transactionNumber: is longer than ${MAX_NUMBER_LENGTH} characters; lists and search have its first ${MAX_NUMBER_LENGTH}`;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** The settings of a restaurant for its orders and business days. */
export interface RestaurantSettings {
  readonly codeStoreTerminal: string | null;
  readonly codeStorePos: string | null;
  readonly posIdPartner: string | null;
  readonly hasPosSecret: boolean;
  /** IANA name */
  readonly timezone: string;
}

/** The default time zone of a restaurant. */
const DEFAULT_TIMEZONE = 'UTC';

const TIMEZONE_ADVICE =
  'business days and takings go by it; set the zone of the restaurant, for example America/Sao_Paulo (Etc/UTC to keep UTC)';

/** Whether the time zone was not set (A32); a restaurant in UTC sets `Etc/UTC`. */
export function hasDefaultTimezone({ timezone }: Pick<RestaurantSettings, 'timezone'>): boolean {
  return timezone === DEFAULT_TIMEZONE;
}

/** The missing settings of a restaurant: the settings that its orders need (A25), and the time zone (A32). */
export function restaurantWarnings(restaurant: RestaurantSettings): string[] {
  const { codeStoreTerminal, codeStorePos, posIdPartner, hasPosSecret } = restaurant;
  const pair =
    'neither is used, and its orders go out with POS_PARTNER_ID and POS_SECRET, or wait where these are not set';
  return [
    codeStoreTerminal ? null : 'codeStoreTerminal is not set: no storeCode leads to this restaurant',
    codeStorePos ? null : 'codeStorePos is not set: its orders wait until it is',
    posIdPartner && !hasPosSecret ? `posIdPartner is set without posSecret: ${pair}` : null,
    hasPosSecret && !posIdPartner ? `posSecret is set without posIdPartner: ${pair}` : null,
    hasDefaultTimezone(restaurant) ? `timezone is UTC, the default: ${TIMEZONE_ADVICE}` : null,
  ].filter((warning) => warning !== null);
}
