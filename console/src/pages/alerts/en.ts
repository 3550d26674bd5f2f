import { plural } from '../../i18n/texts.js';

const orders = plural('en', { one: '# order', other: '# orders' });
const sales = plural('en', { one: '# sale', other: '# sales' });
const restaurants = plural('en', { one: '# restaurant', other: '# restaurants' });
const tries = plural('en', { one: '# try', other: '# tries' });

export const en = {
  title: 'Alerts',
  titleAll: 'Alerts of the platform',
  open: 'Needs somebody',
  past: 'Solved in the last 30 days',
  none: 'No alert is open',
  noneHelp: 'An order that is not in the POS after a minute opens one: people are told, and it is shown here who.',
  nonePast: 'No alert yet',
  kinds: {
    ORDER_PARKED: (count: number) => `${orders(count)} paid, but not in the POS`,
    ORDER_LATE: (count: number) => `${orders(count)} waiting for more than 5 minutes`,
    POS_REFUSES: (count: number) => `The POS takes no orders; ${orders(count)} waiting`,
    PRINTER_AWAY: () => 'A printer does not answer',
    MISSING_HERE: (count: number) => `${sales(count)} of a terminal's file never arrived`,
    KEY_REUSED: (count: number) => `${sales(count)} under the number of another sale: not in the POS`,
    KEY_EXPIRES: () => 'A key of the terminals expires soon',
    KEY_EXPIRED: () => 'A key of the terminals has expired: they send no sales',
    SENDER_REFUSED: (count: number, keys = 1) =>
      keys > 1
        ? `${keys} keys of the terminals were refused ${count} times`
        : `A key of the terminals was refused ${count === 1 ? 'once' : `${count} times`}`,
    VENDOR_DOWN: (count: number) => `The POS of ${restaurants(count)} fails with the same answer`,
    SIGN_IN: (count: number) => `The POS refuses the sign-in of ${restaurants(count)}`,
    BACKLOG: (count: number) => `${orders(count)} due, and not sent`,
    DATABASE_SLOW: () => 'The database answers slowly',
    INSTANCE_LOST: () => 'A process of the relay ended without a stop',
    DATABASE: () => 'No sale could be stored',
  },
  since: (time: string) => `since ${time}`,
  during: (from: string, to: string) => `${from} to ${to}`,
  expires: (time: string) => `expires ${time}`,
  expired: (time: string) => `expired ${time}`,
  replaceKey: 'Replace the key in the set-up',
  newKey: 'Make a new key in the set-up, then revoke this one',
  showKeys: 'Show the keys',
  newest: 'Newest order',
  show: 'Show the orders',
  showFile: 'Show them, and what to do',
  acknowledge: 'I take care of it',
  acknowledgeHelp: 'Nobody else is notified. It closes by itself when it is solved.',
  acknowledged: (name: string, time: string) => `${name} takes care of it, since ${time}`,
  somebody: 'Somebody',
  mayNot:
    'Your role may not take it. Tell an owner, an administrator or a manager of the restaurant; who was told stands below.',
  next: (time: string) => `More people are notified at ${time}, unless somebody takes care of it.`,
  told: 'Who was told',
  toldNobody: 'Nobody was told yet.',
  nobody: 'Nobody can be told: no person has a confirmed channel.',
  setUp: 'Be told on this phone or by mail',
  channels: { push: 'Notification', mail: 'Mail', webhook: 'Webhook' },
  webhook: 'the webhook',
  states: {
    WAITING: 'waits',
    SENDING: 'is being sent',
    SENT: 'sent',
    FOLDED: 'sent as part of another message',
    FAILED: 'could not be sent',
  },
  tries,
  ack: {
    title: 'An order needs somebody',
    text: 'If you take care of it, nobody else is notified.',
    done: 'Thank you. Nobody else is notified.',
    open: 'Open the page',
    invalid: 'This link was used, has expired, or it is solved already.',
  },
};
