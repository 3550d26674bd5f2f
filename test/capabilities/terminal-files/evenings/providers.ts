import type { Payment } from './evening.js';
import { type LocalClock, net, point, SAO_PAULO, type Writer } from './writer.js';

const ADYEN: Omit<Writer, 'row'> = {
  ...{ preset: 'adyen_settlement', zone: 'Europe/Rome', offsetHours: 1, separator: ',' },
  header: [
    ...[
      'Company Account',
      'Merchant Account',
      'Psp Reference',
      'Merchant Reference',
      'Payment Method',
      'Creation Date',
    ],
    ...['TimeZone', 'Type', 'Modification Reference', 'Gross Currency', 'Gross Debit (GC)', 'Gross Credit (GC)'],
    ...['Exchange Rate', 'Net Currency', 'Net Debit (NC)', 'Net Credit (NC)', 'Commission (NC)', 'Batch Number'],
  ],
};
const adyenRow = ({ id, number, cents, isDeclined }: Payment, { day, time }: LocalClock, side: 'debit' | 'credit') => {
  const gross = side === 'credit' ? ['', point(cents)] : [point(cents), ''];
  const of = ['Roma', 'RomaPOS', id, number, 'visa', `${day} ${time}`, 'CET', 'Settled', `M${id}`, 'EUR'];
  return isDeclined ? null : [...of, ...gross, '1', 'EUR', '', point(net(cents)), '', '12'];
};

/** The layouts of providers that work in many countries (J5). */
export const PROVIDERS: Readonly<Record<string, Writer>> = {
  'Adyen, sales as credits': {
    ...ADYEN,
    row: (payment, clock) => adyenRow(payment, clock, 'credit'),
    others: [
      ['Roma', 'RomaPOS', '', '', '', '2026-11-20 23:00:00', 'CET', 'Fee', '', 'EUR', '1.20', '', '', 'EUR', '1.20'],
      ['Roma', 'RomaPOS', '', '', '', '2026-11-20 23:00:01', 'CET', 'MerchantPayout', '', 'EUR', '900.00', ''],
    ],
  },
  'Adyen, sales as debits': { ...ADYEN, row: (payment, clock) => adyenRow(payment, clock, 'debit') },
  'Stripe, balance': {
    ...{ preset: 'stripe_balance', ...SAO_PAULO, separator: ',' },
    header: 'id,Type,Source,Amount,Fee,Net,Currency,Created (UTC),Available On (UTC),Description'.split(','),
    row: ({ id, cents, isDeclined }, { utc }) =>
      isDeclined
        ? null
        : [`txn_${id}`, 'charge', id, point(cents), '0.30', point(cents - 30), 'brl', utc.slice(0, 16), utc, 'Payment'],
    others: [
      ['txn_1', 'stripe_fee', '', '-2.00', '0.00', '-2.00', 'brl', '2026-11-20 23:00', '2026-11-20 23:00', 'Billing'],
      [
        'txn_2',
        'payout',
        'po_1',
        '-900.00',
        '0.00',
        '-900.00',
        'brl',
        '2026-11-20 23:00',
        '2026-11-20 23:00',
        'Payout',
      ],
    ],
  },
  'Stripe, report': {
    ...{ preset: 'stripe_report', ...SAO_PAULO, separator: ',' },
    header: 'balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,description'.split(
      ',',
    ),
    row: ({ id, cents, isDeclined }, { utc }) =>
      isDeclined ? null : [`txn_${id}`, utc, 'brl', point(cents), '0.30', point(cents - 30), 'charge', id, 'Payment'],
    others: [['txn_1', '2026-11-20 23:00:00', 'brl', '-2.00', '0.00', '-2.00', 'fee', '', 'Billing']],
  },
  'Stripe, payments': {
    ...{ preset: 'stripe_payments', ...SAO_PAULO, separator: ',' },
    header: 'id,Created date (UTC),Amount,Amount Refunded,Currency,Captured,Fee,Status,PaymentIntent ID'.split(','),
    row: ({ id, cents, isDeclined }, { utc }) => {
      const paid = isDeclined ? ['false', '0.00', 'Failed'] : ['true', '0.30', 'Paid'];
      return [`ch_${id}`, utc, point(cents), '0.00', 'brl', ...paid, id];
    },
  },
  SumUp: {
    ...{ preset: 'sumup_transactions', zone: 'Europe/London', offsetHours: 0, separator: ',' },
    header: [
      ...['Email', 'Date', 'Transaction ID', 'Transaction Type', 'Status', 'Card Type', 'Last 4 digits', 'Process as'],
      ...['Payment Method', 'Entry Mode', 'Auth code', 'Description', 'Total', 'Net sale', 'Tax amount', 'Tip amount'],
      ...['Fee', 'Payout', 'Payout date', 'Payout ID', 'Reference'],
    ],
    row: ({ id, code, cents, isDeclined }, { day, time }) => [
      ...[
        'owner@example.com',
        `${day} ${time}`,
        id,
        'Sale',
        isDeclined ? 'Failed' : 'Successful',
        'VISA',
        '1234',
        'Credit',
      ],
      ...[
        'POS',
        'Contactless',
        code,
        'Sale',
        point(cents),
        point(cents),
        '0.00',
        '0.00',
        '0.30',
        point(cents - 30),
        '',
        '',
        '',
      ],
    ],
  },
  PayPal: {
    ...{ preset: 'paypal_activity', zone: 'America/New_York', offsetHours: -5, separator: ',' },
    header: 'Date,Time,TimeZone,Name,Type,Status,Currency,Gross,Fee,Net,Transaction ID,Invoice Number,Balance'.split(
      ',',
    ),
    row: ({ id, number, cents, isDeclined }, { day, time }) => [
      ...[day.replace(/(\d+)-(\d+)-(\d+)/, '$2/$3/$1'), time, 'EST', 'Guest', 'Mobile Payment'],
      ...[isDeclined ? 'Denied' : 'Completed', 'USD', point(cents), '-0.30', point(cents - 30), id, number, '0.00'],
    ],
    others: [
      '11/20/2026,23:00:00,EST,,General Withdrawal,Completed,USD,-900.00,0.00,-900.00,W1,,0.00'.split(','),
      '11/20/2026,23:00:01,EST,Guest,General Authorization,Pending,USD,50.00,0.00,50.00,W2,,0.00'.split(','),
    ],
  },
  Square: {
    ...{ preset: 'square_transactions', zone: 'America/New_York', offsetHours: -5, separator: ',' },
    header: [
      ...[
        'Date',
        'Time',
        'Time Zone',
        'Gross Sales',
        'Discounts',
        'Net Sales',
        'Tax',
        'Tip',
        'Total Collected',
        'Source',
      ],
      ...[
        'Card',
        'Cash',
        'Fees',
        'Net Total',
        'Transaction ID',
        'Payment ID',
        'Card Brand',
        'Device Name',
        'Event Type',
      ],
      'Transaction Status',
    ],
    row: ({ id, cents, isDeclined }, { day, time }) => {
      const of = (some: number) => `$${point(some)}`;
      const sums = [of(cents - 200), '$0.00', of(cents - 200), '$1.00', '$1.00', of(cents)];
      const after = ['Point of Sale', of(cents), '$0.00', '-$0.30', of(cents - 30), id, `P${id}`, 'Visa', 'Bar'];
      const what = ['Payment', isDeclined ? 'Failed' : 'Complete'];
      return [day, time, 'Eastern Time (US & Canada)', ...sums, ...after, ...what];
    },
  },
  'Mercado Pago': {
    ...{ preset: 'mercadopago_settlement', ...SAO_PAULO, separator: ';' },
    header: [
      ...[
        'EXTERNAL_REFERENCE',
        'SOURCE_ID',
        'USER_ID',
        'PAYMENT_METHOD_TYPE',
        'PAYMENT_METHOD',
        'SITE',
        'TRANSACTION_TYPE',
      ],
      ...['TRANSACTION_AMOUNT', 'TRANSACTION_CURRENCY', 'TRANSACTION_DATE', 'FEE_AMOUNT', 'SETTLEMENT_NET_AMOUNT'],
      ...['SETTLEMENT_CURRENCY', 'SETTLEMENT_DATE', 'REAL_AMOUNT', 'INSTALLMENTS'],
    ],
    row: ({ id, number, cents, isDeclined }, { utc }) => {
      const at = `${utc.replace(' ', 'T')}.000-00:00`;
      const of = [number, id, '1', 'credit_card', 'visa', 'MLB', 'SETTLEMENT', point(cents), 'BRL', at];
      return isDeclined ? null : [...of, '-0.30', point(cents - 30), 'BRL', at, point(cents - 30), '1'];
    },
    others: [
      [
        ...[';;1;available_money;account_money;MLB;WITHDRAWAL;-900.00;BRL;2026-11-20T23:00:00.000-00:00;0.00']
          .join('')
          .split(';'),
      ],
    ],
  },
};
