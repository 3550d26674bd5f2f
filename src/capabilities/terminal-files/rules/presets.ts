import type { DecimalSign } from '../../../platform/files/rules/csv.js';
import type { DateOrder, MappedColumn, Preset, RowKind } from './terminal-file.js';

/** How a provider writes a file: what is public of it. Names of columns are compared without case and accents. */
export interface Layout {
  /** of the provider and its report, for people */
  readonly name: string;
  /** the public document that the columns are from */
  readonly source: string;
  /** the columns by which the layout is known: a file that has all of them has it */
  readonly needed: readonly string[];
  /** what stands in which column: of several names the first that the file has, and that is not empty in all rows */
  readonly columns: Readonly<Partial<Record<MappedColumn, string | readonly string[]>>>;
  /** the clock of dates without an offset, and without a column that names it; absent: that of the restaurant */
  readonly zone?: string;
  /** absent: the amounts of the file say it */
  readonly decimal?: DecimalSign;
  /** absent: the dates of the file say it */
  readonly dateOrder?: DateOrder;
  /** what values of the column `kind` mean, as plainWords() writes them; others mean what their words say */
  readonly kinds?: Readonly<Record<string, RowKind>>;
  /** whether values of the column `status` say that the payment came about; others mean what their words say */
  readonly statuses?: Readonly<Record<string, boolean>>;
  /** the words of others mean something else here: any other value is asked for */
  readonly hasOwnWords?: true;
}

/** The relay's own exports (R25, B10). */
const RELAY = {
  relay_takings: {
    name: 'Takings of the relay',
    source: 'rule R25 of the specification',
    needed: ['transactionKey', 'receivedAt', 'businessDay', 'tenders', 'paidCents', 'paid'],
    columns: {
      ...{ reference: 'transactionKey', date: 'receivedAt', amount: 'paid', kind: 'kind', tender: 'tenders' },
      currency: 'currency',
    },
  },
  relay_closings: {
    name: 'Closings of the relay',
    source: 'rule B10 of the specification',
    needed: ['record', 'forDay', 'transactionKey', 'cents', 'amount', 'hash'],
    columns: { reference: 'transactionKey', date: 'at', amount: 'amount', kind: 'record', currency: 'currency' },
    kinds: { closing: 'IGNORED', line: 'IGNORED', sale: 'SALE', payment: 'IGNORED', item: 'IGNORED' },
    hasOwnWords: true,
  },
} as const satisfies Partial<Record<Preset, Layout>>;

/**
 * A column that is the provider's own id of a payment is both reference and authorisation: a terminal may send it as the key or the number of
 * the sale, or within its payment.
 */
const PROVIDERS = {
  adyen_settlement: {
    name: 'Adyen, settlement details report',
    source: 'docs.adyen.com: reporting, settlement details report, standard columns',
    needed: [
      ...['Psp Reference', 'Merchant Reference', 'Creation Date', 'Type', 'Gross Debit (GC)', 'Gross Credit (GC)'],
    ],
    columns: {
      ...{ reference: 'Merchant Reference', authorisation: 'Psp Reference', date: 'Creation Date', kind: 'Type' },
      ...{ amount: 'Gross Credit (GC)', debit: 'Gross Debit (GC)', tender: 'Payment Method' },
      currency: 'Gross Currency',
    },
    decimal: 'point',
  },
  stripe_balance: {
    name: 'Stripe, balance transactions of the dashboard',
    source: 'docs.stripe.com: reports, balance transaction types',
    needed: ['id', 'Type', 'Source', 'Amount', 'Fee', 'Net', 'Created (UTC)'],
    columns: { authorisation: 'Source', date: 'Created (UTC)', amount: 'Amount', kind: 'Type', currency: 'Currency' },
    zone: 'UTC',
    kinds: { 'climate order purchase': 'IGNORED' },
  },
  stripe_report: {
    name: 'Stripe, itemized balance change from activity',
    source: 'docs.stripe.com: reports, report types; reporting categories',
    needed: ['balance_transaction_id', 'reporting_category', 'gross', 'fee', 'net'],
    columns: {
      ...{ authorisation: ['charge_id', 'source_id', 'payment_intent_id'], date: ['created_utc', 'created'] },
      ...{ amount: 'gross', kind: 'reporting_category', tender: ['card_brand', 'payment_method_type'] },
      currency: 'currency',
    },
    decimal: 'point',
    kinds: { 'platform earning': 'IGNORED', contribution: 'IGNORED' },
  },
  stripe_payments: {
    name: 'Stripe, payments of the dashboard',
    source: 'support.stripe.com: exporting payment data',
    needed: ['id', 'Created date (UTC)', 'Amount', 'Amount Refunded', 'Currency', 'Status'],
    columns: {
      ...{ authorisation: ['PaymentIntent ID', 'id'], date: 'Created date (UTC)', amount: 'Amount', status: 'Status' },
      ...{ tender: ['Card Brand', 'Payment Source Type'], currency: 'Currency' },
    },
    zone: 'UTC',
    // of a sale that came about
    statuses: { disputed: true },
  },
  sumup_transactions: {
    name: 'SumUp, transactions report',
    source: 'help.sumup.com: reports, transactions report',
    needed: ['Date', 'Transaction ID', 'Transaction Type', 'Status', 'Entry Mode', 'Total', 'Fee', 'Payout'],
    columns: {
      ...{ reference: ['Reference', 'Transaction ID'], authorisation: 'Transaction ID', date: 'Date', amount: 'Total' },
      ...{ kind: 'Transaction Type', status: 'Status', tender: ['Card Type', 'Payment Method'] },
    },
  },
  paypal_activity: {
    name: 'PayPal, activity download',
    source: 'developer.paypal.com: reports, activity download; transaction event codes',
    needed: ['Date', 'Time', 'TimeZone', 'Type', 'Status', 'Currency', 'Gross', 'Fee', 'Net', 'Transaction ID'],
    columns: {
      ...{ reference: ['Invoice Number', 'Transaction ID'], authorisation: 'Transaction ID', date: 'Date' },
      ...{ time: 'Time', amount: 'Gross', kind: 'Type', status: 'Status', currency: 'Currency' },
    },
    // money that is only reserved, or no longer
    kinds: {
      ...{ 'general authorization': 'IGNORED', reauthorization: 'IGNORED', 'void of authorization': 'IGNORED' },
      ...{ 'payment release': 'IGNORED', 'payment hold release': 'IGNORED', 'payment review release': 'IGNORED' },
      order: 'IGNORED',
    },
  },
  square_transactions: {
    name: 'Square, transactions',
    source: 'squareup.com/help: transactions CSV of the dashboard',
    needed: [
      'Date',
      'Time',
      'Time Zone',
      'Gross Sales',
      'Total Collected',
      'Transaction ID',
      'Payment ID',
      'Event Type',
    ],
    columns: {
      ...{ reference: 'Transaction ID', authorisation: 'Transaction ID', date: 'Date', time: 'Time' },
      ...{ amount: 'Total Collected', kind: 'Event Type', status: 'Transaction Status', tender: 'Card Brand' },
    },
    decimal: 'point',
  },
  mercadopago_settlement: {
    name: 'Mercado Pago, account money report',
    source: 'mercadopago.com/developers: reports, account money, report fields and uses',
    needed: ['EXTERNAL_REFERENCE', 'SOURCE_ID', 'TRANSACTION_TYPE', 'TRANSACTION_AMOUNT', 'TRANSACTION_DATE'],
    columns: {
      ...{ reference: ['EXTERNAL_REFERENCE', 'SOURCE_ID'], authorisation: 'SOURCE_ID', date: 'TRANSACTION_DATE' },
      ...{ amount: 'TRANSACTION_AMOUNT', kind: 'TRANSACTION_TYPE', tender: 'PAYMENT_METHOD' },
      currency: 'TRANSACTION_CURRENCY',
    },
    decimal: 'point',
    kinds: {
      ...{ settlement: 'SALE', refund: 'REFUND', chargeback: 'CHARGEBACK', dispute: 'CHARGEBACK' },
      ...{ withdrawal: 'IGNORED', cashback: 'IGNORED', 'settlement shipping': 'IGNORED' },
      ...{ 'refund shipping': 'IGNORED', 'chargeback shipping': 'IGNORED', 'dispute shipping': 'IGNORED' },
    },
  },
} as const satisfies Partial<Record<Preset, Layout>>;

/** What the acquirer Cielo calls a row: its public table of kinds of entries. */
const CIELO_KINDS: Layout['kinds'] = {
  ...{ 'venda debito': 'SALE', 'venda credito': 'SALE', 'venda parcelada': 'SALE', 'cancelamento de venda': 'REFUND' },
  'reversao de cancelamento de venda': 'IGNORED',
  'contestacao do portador do cartao': 'CHARGEBACK',
  'reversao de contestacao do portador do cartao': 'IGNORED',
  'valor cedido em negociacao': 'IGNORED',
  'debito de recebiveis dados como garantia gravame': 'IGNORED',
  'credito de recebiveis dados como garantia gravame': 'IGNORED',
  'debito de compensacao de valores em agenda financeira': 'IGNORED',
  'credito de compensacao de valores em agenda financeira': 'IGNORED',
  'devolucao de credito de valor cedido em negociacao': 'IGNORED',
  'devolucao de debito de valor cedido em negociacao': 'IGNORED',
};
const IN_BRAZIL = { decimal: 'comma', dateOrder: 'DMY' } as const;

const BRAZIL = {
  cielo_sales: {
    name: 'Cielo, sales in detail',
    source: 'docs.cielo.com.br: extrato eletrônico, tabelas; columns of the portal as public importers name them',
    needed: ['Data da venda', 'Hora da venda', 'Valor bruto', 'Taxa/tarifa', 'Código de autorização', 'NSU/DOC'],
    columns: {
      ...{ reference: 'NSU/DOC', authorisation: 'Código de autorização', terminal: 'Número da máquina' },
      ...{ date: 'Data da venda', time: 'Hora da venda', amount: 'Valor bruto', kind: 'Tipo de lançamento' },
      ...{ status: 'Status da venda', tender: ['Bandeira', 'Forma de pagamento'] },
    },
    kinds: CIELO_KINDS,
    ...IN_BRAZIL,
  },
  cielo_receivables: {
    name: 'Cielo, receivables in detail',
    source: 'docs.cielo.com.br: extrato eletrônico, tabelas; columns of the portal as public importers name them',
    needed: [
      ...['Data da autorização da venda', 'Data de pagamento', 'Código de autorização', 'NSU', 'Valor bruto'],
      'Número da parcela',
    ],
    columns: {
      ...{ reference: 'NSU', authorisation: 'Código de autorização', instalment: 'Número da parcela' },
      ...{ date: 'Data da autorização da venda', amount: 'Valor bruto', kind: 'Tipo de lançamento' },
      ...{ status: 'Status', tender: ['Bandeira', 'Forma de pagamento'] },
    },
    kinds: CIELO_KINDS,
    ...IN_BRAZIL,
  },
  stone_receivables: {
    name: 'Stone, receivables',
    source: 'columns of the CSV of the portal as public importers name them',
    needed: ['CATEGORIA', 'DATA DA VENDA', 'STONE ID', 'Nº DA PARCELA', 'VALOR BRUTO', 'ÚLTIMO STATUS'],
    columns: {
      ...{ reference: 'STONE ID', authorisation: 'STONE ID', instalment: 'Nº DA PARCELA', date: 'DATA DA VENDA' },
      ...{ amount: 'VALOR BRUTO', kind: 'CATEGORIA', status: 'ÚLTIMO STATUS', tender: ['BANDEIRA', 'PRODUTO'] },
    },
    ...IN_BRAZIL,
  },
  pagbank_edi: {
    name: 'PagBank, transactional movements of the EDI, as a table',
    source: 'developer.pagbank.com.br: EDI, campos',
    needed: ['codigo_transacao', 'tipo_evento', 'data_inicial_transacao', 'valor_total_transacao', 'valor_parcela'],
    columns: {
      ...{ reference: ['codigo_venda', 'codigo_transacao'], authorisation: ['codigo_autorizacao', 'codigo_transacao'] },
      ...{ date: 'data_inicial_transacao', time: 'hora_inicial_transacao', instalment: 'parcela' },
      ...{ amount: 'valor_parcela', kind: 'tipo_evento' },
    },
    // the meaning of the others is asked for
    kinds: { 1: 'SALE' },
  },
} as const satisfies Partial<Record<Preset, Layout>>;

/** The layouts that the relay knows (J5). */
export const LAYOUTS: Readonly<Record<Preset, Layout>> = { ...RELAY, ...PROVIDERS, ...BRAZIL };
