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
}

export interface Item {
  readonly index: number;
  readonly code: string;
  readonly name: string;
  readonly quantity: unknown;
  readonly price: unknown;
}

export interface Payment {
  readonly index: number;
  readonly type: string;
  /** the relay's name for the tender type */
  readonly name: keyof typeof en.tenders | undefined;
  readonly amount: unknown;
}

type Json = Readonly<Record<string, unknown>>;

/** Tender types of the terminal that have a name (R18). */
const TENDERS: ReadonlyMap<string, keyof typeof en.tenders> = new Map([
  ['1', 'cash'],
  ['50', 'instant payment'],
  ['16', 'credit card'],
  ['28', 'credit card'],
]);

/** Reads the transaction as it was received. */
export function readTerminal(event: Json): Body {
  return {
    isTerminal: true,
    items: objects(event.items).map((item, index) => ({
      index,
      code: text(item.itemCode),
      name: text(item.itemName),
      quantity: item.quantity,
      price: item.price,
    })),
    payments: objects(event.payments).map(({ tenderType, amount }, index) => ({
      index,
      type: text(tenderType),
      name: TENDERS.get(text(tenderType)),
      amount,
    })),
    total: cents(event.totalAmount),
    discount: undefined,
    surcharge: undefined,
  };
}

/** Reads the order of the POS. Of another vendor it finds only fields of the same names. */
export function readPos(order: Json): Body {
  return {
    isTerminal: false,
    items: objects(order.items).map((item, index) => ({
      index,
      code: text(item.integration_code),
      name: text(item.desc_item),
      quantity: item.quantity,
      price: item.unit_price,
    })),
    payments: objects(order.payment_types).map(({ code, amount }, index) => ({
      index,
      type: text(code),
      name: undefined,
      amount,
    })),
    total: cents(order.total_amount),
    discount: cents(order.total_discount),
    surcharge: cents(order.total_increase),
  };
}

/** The sum of a line in cents, rounded half away from zero as by the relay (M2); undefined when a factor is no number. */
export function lineCents({ quantity, price }: Pick<Item, 'quantity' | 'price'>): number | undefined {
  if (typeof quantity !== 'number' || typeof price !== 'number') return undefined;
  const cents = quantity * price * 100;
  // no negative zero, which would be shown as -0.00
  return Math.sign(cents) * Math.round(Math.abs(cents)) || 0;
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'object' && entry !== null) : [];
}

function text(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function cents(amount: unknown): number | undefined {
  return typeof amount === 'number' && Number.isFinite(amount) ? Math.round(amount * 100) : undefined;
}
