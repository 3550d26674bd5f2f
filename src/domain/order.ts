import type { Cents } from './money.js';

/**
 * The order of a sale, independent of the POS vendor; each vendor converts it to its own request body.
 * Items total + surcharge - discount = total = sum of the payments, to the cent (M7); the surcharge is tip + service fee + other (M20).
 */
export interface Order extends OrderReference, OrderContent {
  /** transactionDate, or the time of receipt when the transaction has none */
  readonly createdAt: Date;
}

/** Identifies an order at the POS; a cancel needs no more. */
export interface OrderReference {
  /** the POS order_id: the job's eventKey (M1) */
  readonly id: string;
  /** the restaurant's codeStorePos */
  readonly store: string;
}

/** The part of an order that is computed from its sale alone. */
export interface OrderContent {
  /** sum of the valid payments, in cents (M4) */
  readonly total: Cents;
  /** in cents, not negative: items total minus total, if positive (M6), plus the folded lines below zero (M14) */
  readonly discount: Cents;
  /** in cents, not negative: `tip` + `serviceFee` + what was paid beyond items, tip and fee (M6, M20), plus the folded lines above zero (M14) */
  readonly surcharge: Cents;
  /** in cents, not negative; 0: none (M20) */
  readonly tip: Cents;
  /** in cents, not negative; 0: none (M20) */
  readonly serviceFee: Cents;
  /** for the kitchen (M21); undefined: none */
  readonly notes: string | undefined;
  readonly items: readonly OrderItem[];
  readonly payments: readonly OrderPayment[];
}

export interface OrderItem {
  /** itemCode; empty when the terminal sent none */
  readonly code: string;
  /** itemName; empty when the terminal sent none */
  readonly name: string;
  readonly quantity: number;
  /** currency units, as the terminal sent them */
  readonly unitPrice: number;
  /** at least one (M17); undefined: none */
  readonly options: readonly OrderOption[] | undefined;
  /** for the kitchen (M21); undefined: none */
  readonly notes: string | undefined;
}

/** An option of a dish: a side, another size, something without (M17). */
export interface OrderOption {
  /** itemCode; empty when the terminal sent none */
  readonly code: string;
  /** itemName; empty when the terminal sent none */
  readonly name: string;
  /** for one unit of the item */
  readonly quantity: number;
  /** currency units for one unit of the option */
  readonly unitPrice: number;
}

export interface OrderPayment {
  /** as the terminal sent it */
  readonly tenderType: unknown;
  readonly amount: Cents;
  /** undefined: the terminal sent none */
  readonly evidence: Evidence | undefined;
  /** the restaurant's code at the POS for this tender (I6); undefined: the vendor's */
  readonly code?: string | undefined;
}

/** What proves a payment (M22); a field that is absent was not sent, or cannot be read. */
export interface Evidence {
  /** at most 40 characters, as the other texts */
  readonly authorizationCode?: string;
  /** the CNPJ of the acquirer, 14 digits */
  readonly acquirerDocument?: string;
  readonly brand?: string;
  /** 1 to 99 */
  readonly installments?: number;
  readonly terminalId?: string;
}

/** Why a sale cannot be mapped to an order (M10). */
export interface Unmappable {
  /** the field and its rule, for example `items[2].price: must be a finite number` */
  readonly unmappable: string;
  /** true: the sale is a refund (M15); absent: it is not */
  readonly refund?: true;
  /** true: the amount of the refund is known, so it counts in the takings and nobody has to act (M16) */
  readonly recorded?: true;
}

/** The rules of a POS vendor by which a sale is read. */
export interface SaleRules {
  /**
   * Whether there is a payment code for this tender type; a payment without one makes the sale unmappable (M10, M11).
   * @param brand of the card; only the codes of a restaurant tell brands apart (I6)
   */
  acceptsTender(tenderType: unknown, brand?: unknown): boolean;
  /** Whether the tender type is in the vendor's table; for any other tender type the default payment code is sent. */
  knowsTender(tenderType: unknown, brand?: unknown): boolean;
  /** Whether odd lines are folded into discount and surcharge, since the POS refuses them (M14); absent: false. */
  readonly foldsOddLines?: boolean | undefined;
}
