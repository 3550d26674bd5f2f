import { isolated } from '../../i18n/isolated.js';
import { plural } from '../../i18n/texts.js';

const printers = plural('en', { one: '# printer', other: '# printers' });

/** The topics of the set-up and their states. */
export const topicsEn = {
  index: 'Topics of the set-up',
  back: 'Set-up',
  topics: {
    restaurant: 'Restaurant and codes',
    pos: 'Connection to the POS',
    terminals: 'Terminals',
    printers: 'Printers',
    people: 'People and roles',
    alerts: 'Alerts to another program',
  },
  products: 'Products and codes',
  states: {
    noCurrency: 'the currency is missing',
    noCode: 'the store code in the POS is missing',
    code: (code: string) => `store ${isolated(code)} in the POS`,
    noCredentials: 'credentials are missing',
    own: 'has credentials of its own',
    shared: 'uses those of the relay',
    fetches: 'it fetches the orders',
    noPoll: 'it has not asked for orders yet',
    noSale: 'no sale yet',
    sales: 'sales arrive',
    printers: (count: number) => (count === 0 ? 'none' : printers(count)),
    away: plural('en', { one: '# does not answer', other: '# do not answer' }),
    people: plural('en', { one: '# person', other: '# people' }),
    noWebhook: 'none',
    webhook: 'one is notified',
    webhookFails: 'it does not answer',
  },
};
