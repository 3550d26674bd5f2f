import { plural } from '../i18n/texts.js';

export const en = {
  title: 'Refused sales',
  list: 'Sales under the number of another sale',
  help: 'Two different sales came with one transactionKey. The first is an order; enter these in the POS by hand, and call the vendor of the terminal.',
  first: 'the order under this key',
  sent: 'What the terminal sent',
  times: plural('en', { one: 'came once', other: 'came # times' }),
  erased: 'its content was erased',
};
