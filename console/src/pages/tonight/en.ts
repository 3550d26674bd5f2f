import { plural } from '../../i18n/texts.js';

const many = (forms: { one: string; other: string }) => plural('en', forms);
const orders = many({ one: '# order', other: '# orders' });
const are = many({ one: '# is', other: '# are' });
const wait = many({ one: '1 waits', other: '# wait' });
const all = many({ one: 'The only order is in the POS', other: 'All # orders are in the POS' });
const arrived = many({
  one: 'The only order that arrived is in the POS',
  other: 'All # orders that arrived are in the POS',
});
const late = many({ one: '# order waits', other: '# orders wait' });

export const en = {
  title: 'Tonight',
  businessDay: (day: string, zone: string) => `${day} · ${zone}`,
  light: 'State of the orders',
  idle: 'No order has come in yet today',
  delivered: all,
  /** where sales of a terminal do not arrive */
  arrived,
  cancelledToo: many({ one: '# is cancelled', other: '# are cancelled' }),
  underWay: (delivered: string, orders: string, waiting: number) =>
    `${delivered} of ${orders} orders are in the POS, ${are(waiting)} on the way`,
  onlyUnderWay: many({ one: '# order is on its way', other: '# orders are on their way' }),
  onlyWaiting: many({ one: '# order waits', other: '# orders wait' }),
  failing: (waiting: number, failure: string, since: string) => `${wait(waiting)}: ${failure} since ${since}`,
  nextTry: (time: string) => `next try in ${time}`,
  tryingNow: 'trying now',
  answersWith: (status: number) => `the POS answers with error ${status}`,
  late: (count: number) => `${late(count)} longer than usual`,
  recovering: many({
    one: 'The POS works again: # order is being sent',
    other: 'The POS works again: # orders are being sent',
  }),
  parked: many({ one: '# order is not in the POS', other: '# orders are not in the POS' }),
  /** some of them may be there */
  perhapsParked: many({ one: '# order needs you', other: '# orders need you' }),
  unknown: many({
    one: '# order may be in the POS, or not: look in the till',
    other: '# orders may be in the POS, or not: look in the till',
  }),
  cancelParked: many({ one: 'The POS did not accept # cancel', other: 'The POS did not accept # cancels' }),
  forReasons: (count: number) => `, for ${count} reasons`,
  earlierParked: many({ one: '# order of an earlier day is parked', other: '# orders of earlier days are parked' }),
  refused: many({
    one: '# sale came under the number of another sale: it is not in the POS',
    other: '# sales came under the number of another sale: they are not in the POS',
  }),
  showRefused: 'What to do',
  andEarlier: (today: string, earlier: string) => `${today} + ${earlier} earlier`,
  cancelHelp: 'Take the order out of the till by hand, or request the cancel again.',
  needs: {
    label: 'What needs somebody',
    orders,
    refunds: many({ one: '# refund is to be entered in the till', other: '# refunds are to be entered in the till' }),
    triedAgain: (time: string) => `Sent again at ${time}, and refused again`,
    more: many({ one: 'and # more', other: 'and # more' }),
    all: 'Show them',
    each: 'Each order',
    sayWhat: ([first = '', ...others]: readonly string[]) =>
      `Say what the POS calls ${first}${others.length > 0 ? ` and ${others.length} more` : ''}.`,
    senderRefused: (count: number, name: string, since: string) =>
      `A terminal is refused since ${since}: its key ${name} no longer works (${count === 1 ? '1 request' : `${count} requests`})`,
    senderSilent: (since: string) => `No sale has come since ${since}, although there usually are some`,
  },
  again: {
    title: 'Send these orders again?',
    action: (count: string) => `Send ${count} again`,
    what: (count: number, oldest: string, sum: string) =>
      `${orders(count)}, ${sum} in all. The oldest is from ${oldest}.`,
    old: 'The oldest is more than 12 hours old. Check that nobody has entered these orders by hand.',
    again: 'They are sent at once. An order whose cause is not fixed is parked again.',
    done: many({ one: '# order is being sent', other: '# orders are being sent' }),
  },
  resolve: {
    button: 'Settle…',
    title: 'Settle parked orders of earlier days?',
    what: many({
      one: '# parked order of an earlier day. It stays as it is, and nobody is asked about it any more.',
      other: '# parked orders of earlier days. They stay as they are, and nobody is asked about them any more.',
    }),
    check: 'Do this when they are in the till by hand, or need not be there.',
    reason: 'What was done about them',
    reasonHelp: 'The audit keeps it, with your name.',
    action: (count: string) => `Settle ${count}`,
    none: 'Nothing of earlier days is parked any more.',
    done: many({ one: '# order is settled', other: '# orders are settled' }),
  },
  checkSetup: 'Check the set-up',
  orders: 'Orders',
  printAll: 'Print all that wait',
  filter: 'Which orders',
  filters: { all: 'All', waiting: 'Waiting', parked: 'Parked', delivered: 'In the POS', cancelled: 'Cancelled' },
  search: 'Find an order: number, amount, item, table',
  searchHint:
    'The beginning of a number, an amount such as 42.50, an item, or the table if the terminal sends it, of the last 7 days; a whole number of any day.',
  searchedFrom: (time: string) =>
    `There are too many orders to search all of them: only those since ${time} were. A whole number finds an order of any day.`,
  foundNone: (text: string) => `No order found for “${text}”`,
  foundNoneHelp:
    'Older than 7 days, an order is found by its whole number only. A sale that never reached the relay is not here: look at the terminal.',
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
  number: (number: string) => `No. ${number}`,
  tryAgainIn: (time: string) => `next try in ${time}`,
  attempt: many({ one: '# attempt', other: '# attempts' }),
  soldOn: (day: string) => `Sold ${day}`,
  warned: 'has a warning',
  takings: 'Takings so far',
  taken: 'Taken',
  ofWhich: { delivered: 'in the POS', resolved: 'settled by hand', waiting: 'waiting', parked: 'parked' },
  noTakings: 'No takings yet today',
  anotherDay: many({
    one: '# sale of today has the date of another day',
    other: '# sales of today have the date of another day',
  }),
  otherTenders: 'By means of payment',
  share: (share: string) => `${share} of all`,
  mismatches: many({
    one: '# sale has a total that differs from what was paid',
    other: '# sales have totals that differ from what was paid',
  }),
};
