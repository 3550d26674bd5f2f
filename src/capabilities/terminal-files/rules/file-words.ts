import { certainty } from './column-names.js';
import { MAPPED_COLUMNS, type MappedColumn, type Preset } from './terminal-file.js';

/** The columns by which a file is known (J5). */
const PRESET_COLUMNS: Readonly<Record<Preset, readonly string[]>> = {
  relay_takings: ['transactionKey', 'receivedAt', 'businessDay', 'tenders', 'paidCents', 'paid'],
  relay_closings: ['record', 'forDay', 'transactionKey', 'cents', 'amount', 'hash'],
  adyen_settlement: [
    'Psp Reference',
    'Merchant Reference',
    'Creation Date',
    'Type',
    'Gross Debit (GC)',
    'Gross Credit (GC)',
  ],
};

/** What stands in a file that is known: the names of its columns. */
export const PRESET_MAPPINGS: Readonly<Record<Preset, Readonly<Partial<Record<MappedColumn, string>>>>> = {
  relay_takings: {
    ...{
      reference: 'transactionKey',
      date: 'receivedAt',
      amount: 'paid',
      kind: 'kind',
      tender: 'tenders',
      currency: 'currency',
    },
  },
  relay_closings: { reference: 'transactionKey', date: 'at', amount: 'amount', kind: 'record', currency: 'currency' },
  adyen_settlement: {
    ...{ reference: 'Merchant Reference', authorisation: 'Psp Reference', date: 'Creation Date', kind: 'Type' },
    ...{ amount: 'Gross Credit (GC)', debit: 'Gross Debit (GC)', tender: 'Payment Method', currency: 'Gross Currency' },
  },
};

/** The kind of file that has these columns; null: unknown. */
export function presetOf(columns: readonly string[]): Preset | null {
  const names = new Set(columns);
  const known = Object.entries(PRESET_COLUMNS) as [Preset, readonly string[]][];
  return known.find(([, needed]) => needed.every((name) => names.has(name)))?.[0] ?? null;
}

/** Whether a cell reads like the name of a column. */
export function isColumnName(cell: string): boolean {
  return MAPPED_COLUMNS.some((column) => certainty(column, cell) > 0);
}
