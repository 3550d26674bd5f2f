import type { Order, OrderItem, OrderOption, OrderPayment, SaleRules } from './order.js';
import { identifier } from './text.js';

/** What a code of the terminal names (I1). */
export const CODE_KINDS = ['ITEM', 'TENDER'] as const;
export type CodeKind = (typeof CODE_KINDS)[number];

/** The most characters of a code or name, at the terminal and at the POS (L231). */
export const CODE_LENGTH = 255;

/** What the POS calls a product or tender of the terminal. */
export interface PosName {
  readonly code: string;
  /** of an item: in place of the terminal's name; null: the terminal's name is sent */
  readonly name: string | null;
}

/** The codes of a restaurant at its POS, by the codes of its terminal (I1). */
export interface PosCodes {
  readonly items: ReadonlyMap<string, PosName>;
  readonly tenders: ReadonlyMap<string, PosName>;
  /** the code of items without a code (I3); null: not set */
  readonly defaultItem: string | null;
}

/** The codes of a restaurant that has none. */
export const NO_CODES: PosCodes = { items: new Map(), tenders: new Map(), defaultItem: null };

/**
 * The order with the codes of the restaurant at its POS (I2, I3, I6). Pure. Codes, names and nothing else are changed: amounts, quantities and the
 * order of lines and payments stay.
 */
export function withCodes(order: Order, codes: PosCodes): Order {
  const { items, tenders, defaultItem } = codes;
  if (items.size === 0 && tenders.size === 0 && defaultItem === null) return order;
  return {
    ...order,
    items: order.items.map((item) => itemWith(item, codes)),
    payments: tenders.size === 0 ? order.payments : order.payments.map((payment) => paymentWith(payment, codes)),
  };
}

/** The rules of a vendor, which also accept the tenders that the restaurant has codes for (I6). */
export function rulesWith(rules: SaleRules, { tenders }: PosCodes): SaleRules {
  if (tenders.size === 0) return rules;
  const has = (tenderType: unknown, brand?: unknown) => tenderKeys(tenderType, brand).some((key) => tenders.has(key));
  return {
    acceptsTender: (tenderType, brand) => has(tenderType, brand) || rules.acceptsTender(tenderType),
    knowsTender: (tenderType, brand) => has(tenderType, brand) || rules.knowsTender(tenderType),
    foldsOddLines: rules.foldsOddLines,
  };
}

/** The codes of a terminal by which a payment is looked up, the first before the second: `16|VISA`, `16` (I6). */
export function tenderKeys(tenderType: unknown, brand?: unknown): string[] {
  const type = identifier(tenderType);
  if (type === null) return [];
  return typeof brand === 'string' && brand !== '' ? [`${type}|${brand}`, type] : [type];
}

/** The codes of the items of a stored payload, and of what stands within them, each once. Items without a code have none. */
export function itemCodesOf(items: unknown): Set<string> {
  const codes = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    else if (typeof value === 'object' && value !== null) {
      const { itemCode, options } = value as Readonly<Record<string, unknown>>;
      const code = identifier(itemCode);
      if (code !== null && !isBlank(code)) codes.add(code);
      visit(options);
    }
  };
  visit(items);
  return codes;
}

/** Whether it is no code of an item: the restaurant's default is sent for it (I3). */
export function isBlank(code: string): boolean {
  return code.trim() === '';
}

function itemWith(item: OrderItem, codes: PosCodes): OrderItem {
  const named = namedWith(item, codes);
  return named.options ? { ...named, options: named.options.map((option) => namedWith(option, codes)) } : named;
}

function namedWith<Named extends OrderItem | OrderOption>(named: Named, { items, defaultItem }: PosCodes): Named {
  if (isBlank(named.code)) return defaultItem === null ? named : { ...named, code: defaultItem };
  const found = items.get(named.code);
  return found === undefined ? named : { ...named, code: found.code, name: found.name ?? named.name };
}

function paymentWith(payment: OrderPayment, { tenders }: PosCodes): OrderPayment {
  for (const key of tenderKeys(payment.tenderType, payment.evidence?.brand)) {
    const found = tenders.get(key);
    if (found !== undefined) return { ...payment, code: found.code };
  }
  return payment;
}
