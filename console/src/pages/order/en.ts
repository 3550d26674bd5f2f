import { plural } from '../../i18n/texts.js';

const many = (forms: { one: string; other: string }) => plural('en', forms);

const THEN_ASK = 'Then ask the operator to send this order again.';
const THEN_SEND = `${THEN_ASK} Or enter it in the till by hand, and cancel it here.`;
const WORKS_AGAIN = `Check that the POS works again.\n${THEN_SEND}`;
const SET_UP = `An owner or administrator completes the set-up.\n${THEN_ASK}`;

export const en = {
  title: (name: string) => `Order ${name}`,
  back: 'All orders of tonight',
  sale: 'The sale',
  key: 'Key',
  sourceKey: 'Key as the terminal sent it',
  received: 'Received',
  sold: 'Sold',
  anotherDay:
    'Received on another day than it was sold. The takings count it on the day of its receipt, or by its sale where that is chosen.',
  paid: 'Paid',
  missing: 'Order not found',
  missingHelp: 'The key may be mistyped, or the order is older than the relay keeps orders.',
  meaning: 'What this means',
  toDo: 'What to do',
  means: {
    delivered: (time: string, after: string) =>
      `The POS has this order since ${time}, ${after} after the sale came in.`,
    waiting: 'It has just arrived and is sent next.',
    sending: 'It is being sent to the POS at this moment.',
    retrying: (time: string) => `The next attempt is at ${time}.`,
    cancelled: 'It is cancelled. The POS never had it.',
    takenBack: (time: string) => `It is cancelled. The POS took it back on ${time}.`,
    cancelling: 'Its cancel was requested and is on its way to the POS.',
    cancelParked: 'Its cancel was given up: the POS still has the order.',
    parked: 'It is not in the POS. The relay makes no more attempts.',
  },
  gaveUp: many({ one: 'It was given up after # attempt.', other: 'It was given up after # attempts.' }),
  remedies: {
    refused: `Fix the cause in the POS: for an unknown product, enter it there with the code that the terminal sends.\n${THEN_SEND}`,
    unanswered: `Check that the POS is on and has a network.\n${THEN_SEND}`,
    failing: WORKS_AGAIN,
    busy: WORKS_AGAIN,
    sign_in: `An owner or administrator sets the right POS credentials in the set-up.\n${THEN_ASK}`,
    no_code_store_pos: SET_UP,
    no_credentials: SET_UP,
    unmappable:
      'Enter the sale in the till by hand, and cancel it here.\nShow the field above to the operator of the terminal: what it sends must change.',
    refund: 'Enter the refund in the till by hand, and cancel it here.',
    unconfirmed:
      'Check the till. If the order is not there, ask the operator to send it again: the relay looks it up first.',
    other: 'Show this page to the operator.',
    cancel: 'Take the order out of the till by hand, or request the cancel again when the POS can accept it.',
    waiting: 'Nothing: the relay tries again for about a day.',
    waitingSetup: 'An owner or administrator sets what is missing in the set-up. It is then sent automatically.',
  },
  mayHaveArrived: 'An attempt may have arrived without an answer: check the till before you enter it by hand.',
  toSetup: 'To the set-up',
  journey: 'The journey',
  steps: {
    received: 'The terminal reported the sale',
    sending: 'Being sent to the POS now',
    due: 'Waits to be sent',
    next: (time: string) => `Next attempt at ${time}`,
    inTime: (time: string) => `in ${time}`,
    now: 'now',
    cancelRequested: 'The cancel was requested',
    cancelRequestedBy: (who: string) => `${who} requested the cancel`,
    withdrawn: 'Withdrawn: it is never sent',
    nothingToCancel: 'The POS never had it: nothing to take back',
    parked: 'Parked',
    more: many({ one: '# more attempt', other: '# more attempts' }),
  },
  attempt: (number: string) => `Attempt ${number}`,
  cancelAttempt: (number: string) => `Cancel, attempt ${number}`,
  took: (duration: string) => `took ${duration}`,
  answers: {
    delivered: 'The POS accepted it',
    duplicate: 'The POS has it already: an earlier attempt had arrived',
    found: 'Found at the POS: an earlier attempt had arrived',
    cancelDelivered: 'The POS took it back',
    cancelAbsent: 'The POS does not have it: nothing to take back',
    noAnswer: 'No answer from the POS: it may have arrived, or not',
    lost: 'The relay was interrupted: it may have arrived, or not',
  },
  terminal: 'What the terminal sent',
  pos: 'What was sent to the POS',
  posWould: 'What would be sent to the POS',
  posNone: 'Nothing can be sent to the POS',
  items: 'Items',
  item: 'Item',
  quantity: 'Quantity',
  price: 'Price',
  line: 'Sum',
  payments: 'Payments',
  payment: 'Payment',
  amount: 'Amount',
  discount: 'Discount',
  surcharge: 'Surcharge',
  total: 'Total',
  totalAmount: 'Total of the terminal',
  noItems: 'no items',
  noPayments: 'no payments',
  explained: {
    exact: 'What was paid is what the items cost: neither discount nor surcharge.',
    discount: (items: string, paid: string, discount: string) =>
      `The items cost ${items}, and ${paid} was paid. The POS gets the difference of ${discount} as a discount, so that its total is what is in the till.`,
    surcharge: (items: string, paid: string, surcharge: string) =>
      `The items cost ${items}, and ${paid} was paid: service or a tip. The POS gets the difference of ${surcharge} as a surcharge, so that its total is what is in the till.`,
    both: (paid: string, discount: string, surcharge: string) =>
      `${paid} was paid. Lines below zero are left out here: the POS gets them as a discount of ${discount}, and a surcharge of ${surcharge} beside it, so that its total is what is in the till.`,
  },
  warnings: 'Warnings',
  warningsHelp: 'The terminal got the same warnings with its answer.',
  raw: 'The same, as data',
  test: 'This is a test: it does not count in the takings.',
  cancel: 'Cancel this order',
  cancelAgain: 'Request the cancel again',
  cancelTitle: (name: string) => `Cancel order ${name}?`,
  cancelText: {
    delivered: (amount: string) =>
      `The POS has this order (${amount}). The relay asks it to take the order back until it does.`,
    waiting: (amount: string) => `This order (${amount}) is not in the POS yet. It will never be sent.`,
  },
  cancelMoney: 'This does not refund the money: do that at the terminal.',
  cancelYes: (name: string) => `Cancel order ${name}`,
  cancelDone: 'The cancel is requested.',
};
