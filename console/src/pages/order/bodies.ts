import { lineWithOptionsCents } from '../../../../src/domain/money.js';
import type { Evidence, OrderOption } from '../../../../src/domain/order.js';
import { detailsOf } from '../../../../src/domain/sale-details.js';
import type { en } from '../../i18n/en.js';

/** What the terminal sent or the POS gets, as far as its fields are known. Invalid values are shown as they are. */
export interface Body {
  readonly isTerminal: boolean;
  readonly items: readonly Item[];
  readonly payments: readonly Payment[];
  /** in cents; undefined: unknown */
  readonly total: number | undefined;
  readonly discount: number | undefined;
  readonly surcharge: number | undefined;
  /** in cents; undefined: none, or the body does not say it */
  readonly tip: number | undefined;
  readonly serviceFee: number | undefined;
  /** for the kitchen; undefined: none */
  readonly notes: string | undefined;
}

export interface Item {
  readonly index: number;
  readonly code: string;
  readonly name: string;
  readonly quantity: unknown;
  readonly price: unknown;
  /** of one unit of the item (M17); to the POS they are lines of their own */
  readonly options: readonly OrderOption[];
  readonly notes: string | undefined;
}

export interface Payment {
  readonly index: number;
  readonly type: string;
  /** the relay's name for the tender type */
  readonly name: keyof typeof en.tenders | undefined;
  readonly amount: unknown;
  /** undefined: none */
  readonly evidence: Evidence | undefined;
}

export type Json = Readonly<Record<string, unknown>>;

/** Tender types of the terminal that have a name (R18). */
const TENDERS: ReadonlyMap<string, keyof typeof en.tenders> = new Map([
  ['1', 'cash'],
  ['50', 'instant payment'],
  ['16', 'credit card'],
  ['28', 'credit card'],
]);

/** Reads the transaction as it was received. */
export function readTerminal(event: Json): Body {
  const details = detailsOf(event);
  return {
    isTerminal: true,
    items: objects(event.items).map((item, index) => ({
      index,
      code: text(item.itemCode),
      name: text(item.itemName),
      quantity: item.quantity,
      price: item.price,
      options: details.items[index]?.options ?? [],
      notes: details.items[index]?.notes ?? undefined,
    })),
    payments: objects(event.payments).map(({ tenderType, amount }, index) => ({
      index,
      type: text(tenderType),
      name: TENDERS.get(text(tenderType)),
      amount,
      evidence: details.payments[index]?.evidence ?? undefined,
    })),
    total: cents(event.totalAmount),
    discount: undefined,
    surcharge: undefined,
    tip: details.tipCents === null ? undefined : Number(details.tipCents),
    serviceFee: details.serviceFeeCents === null ? undefined : Number(details.serviceFeeCents),
    notes: details.notes ?? undefined,
  };
}

/** Reads the order of the POS that the relay calls. Of another vendor it finds only fields of the same names. */
export function readPos(order: Json): Body {
  return {
    isTerminal: false,
    items: objects(order.items).map((item, index) => ({
      index,
      code: text(item.integration_code),
      name: text(item.desc_item),
      quantity: item.quantity,
      price: item.unit_price,
      options: [],
      notes: undefined,
    })),
    payments: objects(order.payment_types).map(({ code, amount }, index) => ({
      index,
      type: text(code),
      name: undefined,
      amount,
      evidence: undefined,
    })),
    total: cents(order.total_amount),
    discount: cents(order.total_discount),
    surcharge: cents(order.total_increase),
    tip: undefined,
    serviceFee: undefined,
    notes: undefined,
  };
}

/** The sum of a line with its options in cents, rounded as by the relay (M2, M18); undefined when a factor is no number. */
export function lineCents({
  quantity,
  price,
  options,
}: Pick<Item, 'quantity' | 'price' | 'options'>): number | undefined {
  if (!Number.isFinite(quantity) || !Number.isFinite(price)) return undefined;
  return Number(lineWithOptionsCents(price as number, quantity as number, options));
}

export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'object' && entry !== null) : [];
}

export function text(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function cents(amount: unknown): number | undefined {
  return typeof amount === 'number' && Number.isFinite(amount) ? Math.round(amount * 100) : undefined;
}
