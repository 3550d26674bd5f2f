/** How a day differs from another; null: it does not. */
interface Compared {
  readonly percent: string | null;
  readonly isMore: boolean;
}

export const en = {
  chart: 'Sales by the hour',
  running: 'The day, hour by hour',
  chartSummary: (hour: string, amount: string) => `The best hour began at ${hour}, with ${amount}.`,
  today: 'Today',
  lastWeekdays: [
    'last Sunday',
    'last Monday',
    'last Tuesday',
    'last Wednesday',
    'last Thursday',
    'last Friday',
    'last Saturday',
  ] as readonly string[],
  compared: ({ percent, isMore }: Compared, weekday: string, until: string) =>
    percent === null
      ? `As much as ${weekday} until ${until}.`
      : `${percent} ${isMore ? 'more' : 'less'} than ${weekday} until ${until}.`,
  weekBefore: 'a week before',
  until: (time: string) => `By ${time}`,
  hour: 'Hour',
  orders: 'Orders',
  amount: 'Amount',
  asTable: 'The same as a table',
};
