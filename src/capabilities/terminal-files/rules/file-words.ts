import { plainWords } from './row-words.js';
import { MAPPED_COLUMNS, type MappedColumn, type Preset } from './terminal-file.js';

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
  instalment: [
    ...[
      'parcela',
      'numero da parcela',
      'no da parcela',
      'parcelas',
      'instalment',
      'installment',
      'installments',
      'instalments',
    ],
    ...['cuota', 'cuotas', 'rate', 'raten', 'echeance', 'rata'],
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
  status: [
    ...[
      'status',
      'payment status',
      'transaction status',
      'situacao',
      'estado',
      'estatus',
      'statut',
      'stato',
      'etat',
      'esito',
    ],
    ...['resultado', 'result', 'ergebnis', 'resultat', 'state'],
  ],
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
