/** What a tender type becomes in the POS order: a code, and for some a few fields that go into the payment beside it. */
export interface PosPayment {
  readonly code: string;
  readonly [field: string]: unknown;
}

/** tenderType -> POS payment. */
export type TenderTable = Readonly<Record<string, PosPayment>>;

/** Seed, mapping rule 5. POS_TENDER_TYPES is merged over it. */
export const TENDER_TYPES: TenderTable = {
  1: { code: 'DIN' }, // cash
  50: { code: 'PARTNER_PAYMENT' }, // instant payment
  16: { code: 'CRE' }, // credit card, one network
  28: { code: 'CRE' }, // credit card, another network
};

/** `POS_UNKNOWN_TENDER` with this value makes a tender type outside the table unmappable. */
export const REJECT_UNKNOWN_TENDER = 'reject';

export interface TenderRules {
  readonly table: TenderTable;
  /** The POS code of a tender type outside the table, or `reject`. */
  readonly unknown: string;
}

/** The POS payment of a tender type; undefined when it is unknown and unknown ones are rejected. */
export function posPayment(tenderType: unknown, rules: TenderRules): PosPayment | undefined {
  const known =
    isTenderType(tenderType) && Object.hasOwn(rules.table, tenderType) ? rules.table[tenderType] : undefined;
  if (known) return known;
  return rules.unknown === REJECT_UNKNOWN_TENDER ? undefined : { code: rules.unknown };
}

function isTenderType(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
