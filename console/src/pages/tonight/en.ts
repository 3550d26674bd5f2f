import { plural } from '../../i18n/texts.js';

const many = (forms: { one: string; other: string }) => plural('en', forms);
const are = many({ one: '# is', other: '# are' });
const wait = many({ one: '1 waits', other: '# wait' });
const all = many({ one: 'The only order is in the POS', other: 'All # orders are in the POS' });
const cancels = many({ one: '# cancel was not accepted', other: '# cancels were not accepted' });
const late = many({ one: '# order waits', other: '# orders wait' });

export const en = {
  title: 'Tonight',
  businessDay: (day: string, zone: string) => `${day} · ${zone} time`,
  light: 'State of the orders',
  idle: 'No order has come in yet today',
  delivered: all,
  cancelledToo: many({ one: '# is cancelled', other: '# are cancelled' }),
  underWay: (delivered: string, orders: string, waiting: number) =>
    `${delivered} of ${orders} orders are in the POS, ${are(waiting)} on the way`,
  onlyUnderWay: many({ one: '# order is on its way', other: '# orders are on their way' }),
  failing: (waiting: number, failure: string, since: string) => `${wait(waiting)}: ${failure} since ${since}`,
  nextTry: (time: string) => `next try in ${time}`,
  tryingNow: 'trying now',
  answersWith: (status: number) => `the POS answers with error ${status}`,
  late: (count: number) => `${late(count)} longer than usual`,
  lateHelp: 'They have not been sent yet. Tell the operator: the relay may not be delivering.',
  parked: (count: number, cause: string) => `${are(count)} parked: ${cause}`,
  parkedMore: (count: number, cause: string) => `${are(count)} parked, most of them: ${cause}`,
  cancelParked: (count: number, cause: string) => `${cancels(count)} by the POS: ${cause}`,
  failingHelp: 'Nothing is lost: they are sent automatically as soon as the POS accepts them.',
  setupHelp: 'Nothing is lost. Somebody must complete the set-up; then they are sent automatically.',
  parkedHelp: 'Parked orders are not tried again. Open one to see what to do.',
  showParked: 'Show parked orders',
  showWaiting: 'Show waiting orders',
  openExample: (name: string) => `Open order ${name}`,
  checkSetup: 'Check the set-up',
  orders: 'Orders',
  filter: 'Which orders',
  filters: { all: 'All', waiting: 'Waiting', parked: 'Parked', delivered: 'In the POS', cancelled: 'Cancelled' },
  search: 'Find an order by its key or number',
  searchHint: 'The whole key, or the number on the receipt; of any day.',
  foundNone: (text: string) => `No order with the key or number “${text}”`,
  foundNoneHelp:
    'Type it exactly as on the receipt. A sale that never reached the relay is not here: look at the terminal.',
  clearSearch: 'Clear the search',
  none: {
    all: 'No order yet today',
    waiting: 'No order is waiting',
    parked: 'No order is parked',
    delivered: 'No order is in the POS yet today',
    cancelled: 'No order is cancelled today',
  },
  noneHelp: 'Sales appear here a moment after the terminal prints the receipt.',
  earlier: 'Show earlier days too',
  onlyToday: 'Only today',
  amount: 'Amount',
  number: (number: string) => `No. ${number}`,
  tryAgainIn: (time: string) => `next try in ${time}`,
  attempt: many({ one: '# attempt', other: '# attempts' }),
  soldOn: (day: string) => `Sold ${day}`,
  warned: 'has a warning',
  takings: 'Takings so far',
  taken: 'Taken',
  ofWhich: { delivered: 'in the POS', waiting: 'waiting', parked: 'parked', cancelled: 'cancelled' },
  noTakings: 'No takings yet today',
  otherTenders: 'By tender',
  share: (share: string) => `${share} of all`,
  mismatches: many({
    one: '# sale has a total that differs from what was paid',
    other: '# sales have totals that differ from what was paid',
  }),
  chart: 'Sales by the hour',
  chartSummary: (hour: string, amount: string) => `The best hour began at ${hour}, with ${amount}.`,
  hour: 'Hour',
  asTable: 'The same as a table',
};
