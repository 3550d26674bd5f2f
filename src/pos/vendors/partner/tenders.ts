import type { PosWireSettings, TenderPayment } from '../../../platform/config/pos-config.js';

/** POS payments by tenderType. */
export type TenderTable = Readonly<Record<string, TenderPayment>>;

/** The built-in tender table (M11); POS_TENDER_TYPES is merged over it. */
export const TENDER_TYPES: TenderTable = {
  1: { code: 'DIN' },
  50: { code: 'PARTNER_PAYMENT' },
  16: { code: 'CRE' }, // one network
  28: { code: 'CRE' }, // another network
};

/** The names of the built-in tender types (R18). */
const TENDER_NAMES = new Map([
  ['1', 'cash'],
  ['50', 'instant payment'],
  ['16', 'credit card'],
  ['28', 'credit card'],
]);

/** The name of a tender type; null outside the built-in table. POS_TENDER_TYPES changes codes, not names. */
export function tenderName(tenderType: string): string | null {
  return TENDER_NAMES.get(tenderType) ?? null;
}

/** The default of POS_UNKNOWN_TENDER: the code of a tender type outside the table. */
const UNKNOWN_TENDER = 'PARTNER_PAYMENT';

/** The value of POS_UNKNOWN_TENDER that makes a tender type outside the table unmappable. */
const REJECT_UNKNOWN_TENDER = 'reject';

/** The tender table, and the rule for a tender type outside it. */
export interface TenderRules {
  readonly table: TenderTable;
  /** The POS code of a tender type outside the table, or `reject`. */
  readonly unknown: string;
}

/** Merges the operator's settings over the built-in table and default. */
export function tenderRules({ tenderTypes, unknownTender }: PosWireSettings): TenderRules {
  return { table: { ...TENDER_TYPES, ...tenderTypes }, unknown: unknownTender ?? UNKNOWN_TENDER };
}

/** The POS payment of a tender type; undefined when it is outside the table and POS_UNKNOWN_TENDER is `reject`. */
export function posPayment(tenderType: unknown, rules: TenderRules): TenderPayment | undefined {
  if (isKnownTender(tenderType, rules)) return rules.table[tenderType];
  return rules.unknown === REJECT_UNKNOWN_TENDER ? undefined : { code: rules.unknown };
}

/** Whether the tender type is in the table. */
export function isKnownTender(tenderType: unknown, { table }: TenderRules): tenderType is string | number {
  return (typeof tenderType === 'string' || typeof tenderType === 'number') && Object.hasOwn(table, tenderType);
}
