import { plural } from '../../i18n/texts.js';

const many = (forms: { one: string; other: string }) => plural('en', forms);

export const en = {
  title: 'All my restaurants',
  search: 'Find a restaurant by its name',
  foundNone: 'No restaurant has this in its name',
  clearSearch: 'Clear the search',
  list: 'Restaurants, the oldest first',
  name: 'Restaurant',
  light: 'State',
  orders: 'Today',
  taken: 'Taken',
  notInPos: 'Not in the till',
  lastSale: 'Last sale',
  setup: 'Set-up',
  lights: {
    good: 'All is well',
    wait: 'Orders wait',
    bad: 'Orders are parked',
    idle: 'No order yet today',
  },
  everything: 'nothing',
  orderCount: many({ one: '# order', other: '# orders' }),
  earlier: (count: string) => `+ ${count} earlier`,
  noSale: 'none yet',
  isDone: 'done',
  stepsLeft: many({ one: '# step left', other: '# steps left' }),
};
