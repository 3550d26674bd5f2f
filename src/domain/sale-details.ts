import type { Cents } from './money.js';
import { MAX_OPTIONS, readOptions } from './options.js';
import type { Evidence, OrderOption } from './order.js';
import { readEvidence, readNotes, readPart } from './sent-fields.js';
import { identifier } from './text.js';
import { entriesOf, type JsonObject } from './transaction.js';

/** A line of a sale for people. */
export interface DetailedItem {
  /** itemCode; empty without one */
  readonly code: string;
  /** itemName; empty without one */
  readonly name: string;
  /** null: no finite number */
  readonly quantity: number | null;
  /** currency units; null: no finite number */
  readonly unitPrice: number | null;
  /** quantities for one unit of the item, at most L220 */
  readonly options: readonly OrderOption[];
  /** one line without control characters (M21); null: none */
  readonly notes: string | null;
}

export interface DetailedPayment {
  /** as the terminal sent it */
  readonly tenderType: unknown;
  /** currency units; null: no finite number */
  readonly amount: number | null;
  /** null: none */
  readonly evidence: Evidence | null;
}

/** What a stored payload says of its sale, for pages, tickets and files. */
export interface SaleDetails {
  readonly items: readonly DetailedItem[];
  readonly payments: readonly DetailedPayment[];
  /** for the kitchen; null: none */
  readonly notes: string | null;
  /** of a refund below zero; null: the terminal sent none */
  readonly tipCents: Cents | null;
  readonly serviceFeeCents: Cents | null;
}

/**
 * Reads the lines with their options and notes, the payments with their evidence, tip and service fee of a stored payload (M17 to M22). Pure; every
 * payload has details, also that of a sale that cannot be mapped. Odd lines are not folded. A text that is hidden (S23) is `[hidden]`; options, tip, fee and instalments that are hidden are absent.
 */
export function detailsOf(payload: JsonObject): SaleDetails {
  const { totalAmount, tipAmount, serviceFeeAmount } = payload;
  const payments = entriesOf(payload.payments);
  const isPaidBack = isBelowZero(totalAmount) && !payments.some(({ amount }) => (number(amount) ?? 0) > 0);
  return {
    items: entriesOf(payload.items).map((item) => ({
      code: identifier(item.itemCode) ?? '',
      name: identifier(item.itemName) ?? '',
      quantity: number(item.quantity),
      unitPrice: number(item.price),
      options: readOptions(item.options, '', MAX_OPTIONS, []).map(({ option }) => option),
      notes: readNotes(item.notes, '', []) ?? null,
    })),
    payments: payments.map((payment) => ({
      tenderType: payment.tenderType,
      amount: number(payment.amount),
      evidence: readEvidence(payment, '', []) ?? null,
    })),
    notes: readNotes(payload.notes, '', []) ?? null,
    tipCents: readPart(tipAmount, '', isPaidBack, []),
    serviceFeeCents: readPart(serviceFeeAmount, '', isPaidBack, []),
  };
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function isBelowZero(value: unknown): boolean {
  return (number(value) ?? 0) < 0;
}
