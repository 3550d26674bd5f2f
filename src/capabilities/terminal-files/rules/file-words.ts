import { MAPPED_COLUMNS, type MappedColumn, type Preset, type RowKind } from './terminal-file.js';

/** Names of columns by what they are, the surest first, in English, Portuguese, Spanish and German; as {@link plainWords} writes them. */
const COLUMN_NAMES: Readonly<Record<MappedColumn, readonly string[]>> = {
  reference: [
    ...[
      'transactionkey',
      'merchant reference',
      'transaction key',
      'reference',
      'referencia',
      'referenz',
      'order id',
      'order',
      'pedido',
    ],
    ...[
      'codigo do pedido',
      'numero do pedido',
      'transactionnumber',
      'transaction number',
      'transaction id',
      'belegnummer',
      'ref',
    ],
  ],
  authorisation: [
    ...[
      'authorisation',
      'authorization',
      'authorisation code',
      'authorization code',
      'auth code',
      'autorizacao',
      'codigo de autorizacao',
    ],
    ...['cod autorizacao', 'autorizacion', 'genehmigung', 'genehmigungsnummer', 'psp reference', 'nsu'],
  ],
  terminal: [
    'terminal id',
    'terminalid',
    'terminal',
    'tid',
    'numero logico',
    'maquininha',
    'maquina',
    'terminalnummer',
  ],
  date: [
    ...[
      'transaction date',
      'data da venda',
      'data hora',
      'date time',
      'datetime',
      'creation date',
      'receivedat',
      'date',
      'data',
      'fecha',
    ],
    ...['datum', 'sale date', 'at', 'timestamp', 'data e hora', 'created'],
  ],
  time: ['time', 'hora', 'hora da venda', 'uhrzeit', 'zeit'],
  amount: [
    ...[
      'gross credit gc',
      'paid',
      'gross amount',
      'valor bruto',
      'amount',
      'valor da venda',
      'valor',
      'bruttobetrag',
      'betrag',
      'importe',
    ],
    ...['monto', 'total', 'umsatz'],
  ],
  debit: ['gross debit gc', 'debit', 'soll'],
  kind: ['type', 'tipo', 'kind', 'transaction type', 'tipo de transacao', 'operacao', 'tipo de operacion', 'vorgang'],
  tender: [
    ...[
      'payment method',
      'tenders',
      'tender',
      'forma de pagamento',
      'meio de pagamento',
      'bandeira',
      'card type',
      'brand',
    ],
    ...['forma de pago', 'zahlungsart', 'produto'],
  ],
  currency: ['currency', 'gross currency', 'moeda', 'moneda', 'wahrung'],
};

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

/** A text in lower case without accents, its words apart by single blanks. */
export function plainWords(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, ' ')
    .trim();
}

/** How surely a column is of a kind, by its name: 0 for no; the larger the surer. */
export function certainty(column: MappedColumn, name: string): number {
  const names = COLUMN_NAMES[column];
  // the clock belongs to the times: file-time
  const plain = plainWords(name).replace(/ (?:utc|gmt)$/, '');
  const exact = names.indexOf(plain);
  if (exact >= 0) return 100 - exact;
  const begins = names.findIndex((known) => plain.startsWith(`${known} `));
  return begins >= 0 ? 50 - begins : 0;
}

/** Whether a cell reads like the name of a column. */
export function isColumnName(cell: string): boolean {
  return MAPPED_COLUMNS.some((column) => certainty(column, cell) > 0);
}

const CHARGEBACK = /chargeback|contestacao|dispute|ruckbuchung|rucklastschrift/;
const REFUND = /refund|estorno|cancel|devolucao|devolucion|reembolso|gutschrift|ruckerstattung|storno|reversal|void/;
const IGNORED =
  /\b(fee|fees|tarifa|taxa|tasa|gebuhr|payout|merchantpayout|repasse|deposit|deposito|saque|aluguel|adjustment|ajuste|reserve|transfer|invoicededuction|balancetransfer|depositcorrection|debitreservedreversed|closing|line|payment|item)\b/;
const REVERSED = /revers/;

/** What a value of the column `kind` means, by its words; a word that is not known means a sale. */
export function guessKind(value: string): RowKind {
  const plain = plainWords(value);
  if (IGNORED.test(plain)) return 'IGNORED';
  // money that comes back to the restaurant is no sale
  if (CHARGEBACK.test(plain)) return REVERSED.test(plain) ? 'IGNORED' : 'CHARGEBACK';
  return REFUND.test(plain) ? 'REFUND' : 'SALE';
}
