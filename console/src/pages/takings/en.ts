import { plural } from '../../i18n/texts.js';

const orders = plural('en', { one: '# order', other: '# orders' });

export const en = {
  title: 'Takings',
  day: 'Business day',
  chooseDay: 'Choose a day',
  earlier: 'Day before',
  later: 'Day after',
  today: 'Today',
  lasts: (from: string, to: string, zone: string) => `From ${from} to ${to}, ${zone} time`,
  takenSoFar: 'Taken so far',
  taken: 'Taken',
  orders,
  empty: 'No sale on this day',
  emptyToday: 'No sale yet today',
  emptyHelp: 'Sales appear here by themselves.',
  withoutTests: 'Test sales are not counted.',
  verdict: {
    all: 'All of it is in the POS.',
    open: (amount: string) => `${amount} is not in the POS yet.`,
    waiting: 'What waits is sent by itself.',
    parked: 'What is parked needs somebody: open the orders to see why.',
  },
  show: { parked: 'See what is parked', waiting: 'See what waits' },
  split: 'What became of it',
  splitCaption: 'Takings of the day by what became of the orders',
  state: 'State',
  amount: 'Amount',
  share: 'Share',
  total: 'Total',
  states: { delivered: 'In the POS', waiting: 'Waiting', parked: 'Parked', cancelled: 'Cancelled' },
  mismatches: plural('en', {
    one: '# sale says another total than was paid; what was paid is counted.',
    other: '# sales say another total than was paid; what was paid is counted.',
  }),
  byTender: 'By means of payment',
  tender: 'Means of payment',
  tenders: { cash: 'Cash', 'credit card': 'Credit card', 'instant payment': 'Instant payment' } as Record<
    string,
    string
  >,
  unknownTender: (type: string) => `Type ${type}`,
  chart: 'Day by day',
  chartSays: (days: string, total: string) => `${days}: ${total} in all`,
  best: (day: string, amount: string) => `; most on ${day}: ${amount}`,
  chartHint: 'A click on a bar shows its day.',
  open: 'Waiting or parked',
  orderCount: 'Orders',
  asTable: 'The same as a table',
  csv: 'For the books',
  csvHelp:
    'Each order in a row: key, number, time, state, means of payment, amount in cents and in units. The sums are those of this page.',
  csvDay: 'This day as CSV',
  csvMonth: 'These 30 days as CSV',
  separator: 'Made for',
  separators: { comma: 'Dot for decimals (79.80)', semicolon: 'Comma for decimals (79,80), as in Brazil' },
};
