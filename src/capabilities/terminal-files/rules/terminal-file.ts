// What the relay makes of a file of a terminal's acquirer (J). Pure types and lists, for reader, matcher and interface.
import type { DecimalSign } from '../../../platform/files/rules/csv.js';

/** What a row of the file is (J6). Clients depend on the words. */
export const ROW_KINDS = ['SALE', 'REFUND', 'CHARGEBACK', 'IGNORED'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** The answers to a row, or to a sale that has none (J10), in the order of the page: first what needs somebody. */
export const ANSWERS = {
  MISSING_HERE: 'paid at the terminal, never reported to the relay',
  AMOUNT_DIFFERS: 'the file has another amount than the sale; of several rows of a sale one says it',
  SUGGESTED: 'a sale fits by amount, and by time or a number without its zeros: a person accepts or refuses it',
  MISSING_THERE: 'the relay has the sale, the file has not; not when it was paid in cash',
  DUPLICATE: 'it is equal to a row before it, and its sale was not paid twice',
  UNREADABLE: 'the row cannot be read, and counts as nothing; `problem` says why',
  ENTERED:
    'was MISSING_HERE: a person has entered it in the POS; with `sale`: it arrived later, and may be in the POS twice',
  OUTSIDE_DAY: 'its time is not of the days of the file, and no sale of these days fits',
  REPEATED: 'an earlier file has the row, or a row of its sale',
  CHARGEBACK: 'a line: no sale',
  REFUND: 'a line: no sale; with `sale`: the refund that the terminal reported',
  IGNORED: 'a fee, a payout, a total, a payment that did not come about, or an amount of zero',
  MATCHED: 'the sale is here, with the same amount, or with other rows that add up to it',
} as const;
export type Answer = keyof typeof ANSWERS;
export const ANSWER_WORDS = Object.keys(ANSWERS) as Answer[];

/** What a person decided about a row (J13). */
export const DECISIONS = {
  ENTERED: 'a missing sale was entered in the POS by hand',
  ACCEPTED: 'the suggested sale is the sale of the row',
  CHECKED: 'an AMOUNT_DIFFERS, a DUPLICATE, or an ENTERED whose sale arrived later, needs nobody any more',
} as const;
export type Decision = keyof typeof DECISIONS;
export const DECISION_WORDS = Object.keys(DECISIONS) as Decision[];

/** Files whose columns the relay knows (J5): presets.ts has their layouts. */
export const PRESETS = [
  ...([
    'relay_takings',
    'relay_closings',
    'adyen_settlement',
    'stripe_balance',
    'stripe_report',
    'stripe_payments',
  ] as const),
  ...(['sumup_transactions', 'paypal_activity', 'square_transactions', 'mercadopago_settlement'] as const),
  ...(['cielo_sales', 'cielo_receivables', 'stone_receivables', 'pagbank_edi'] as const),
] as const;
export type Preset = (typeof PRESETS)[number];

/** The order of day, month and year in a date such as 03/04/2026. */
export const DATE_ORDERS = ['YMD', 'DMY', 'MDY'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** The columns that a mapping may name. */
export const MAPPED_COLUMNS = [
  'reference',
  'authorisation',
  'terminal',
  'instalment',
  'date',
  'time',
  'amount',
  'debit',
  'kind',
  'status',
  'tender',
  'currency',
] as const;
export type MappedColumn = (typeof MAPPED_COLUMNS)[number];

/** How the rows of a file are read (J5): the place of each column, from 0; null: the file has none. */
export interface Mapping extends Readonly<Record<MappedColumn, number | null>> {
  readonly amount: number;
  readonly date: number;
  readonly decimal: DecimalSign;
  readonly dateOrder: DateOrder;
  /** IANA name: the clock of dates without an offset */
  readonly zone: string;
  /** what the values of the column `kind` mean */
  readonly kinds: readonly { readonly value: string; readonly kind: RowKind }[];
  /** what the values of the column `status` mean: whether the payment came about */
  readonly statuses: readonly { readonly value: string; readonly counts: boolean }[];
}

/** The business days of a file, both included. */
export interface FileDays {
  readonly from: string;
  readonly to: string;
}

/** The most days of a file (L97). */
export const MOST_DAYS = 62;
/** The most sales of the days of a file (L97). */
export const MOST_SALES = 60_000;
const DAY_MS = 86_400_000;

/** How many days these are. */
export function daysOf({ from, to }: FileDays): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/** A row as a mapping reads it. */
export interface FileRow {
  /** the line of the file where the row begins, from 1 */
  readonly line: number;
  /** why the row cannot be read; null: it can */
  readonly problem: string | null;
  readonly reference: string | null;
  readonly authorisation: string | null;
  readonly terminal: string | null;
  /** which one of the sale, such as 1/3 */
  readonly instalment: string | null;
  /** not below zero: `kind` says which way the money went; null: not read */
  readonly cents: bigint | null;
  readonly kind: RowKind | null;
  /** null: not read */
  readonly at: Date | null;
  /** whether the file has a date without a time: `at` is then noon */
  readonly isDateOnly: boolean;
  readonly tender: string | null;
}

/** The rows, and problems, of a preview (L92). */
export const PREVIEW_ROWS = 20;
