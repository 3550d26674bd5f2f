import { plural } from '../../i18n/texts.js';

const jobs = plural('en', { one: '# order', other: '# orders' });
const restaurants = plural('en', { one: '# restaurant', other: '# restaurants' });

export const en = {
  title: 'Operators',
  keys: 'Keys of the terminals',
  utc: 'All times in UTC',
  now: 'Right now',
  fine: 'Everything is on its way.',
  late: plural('en', {
    one: '# order is late: it is due, and no instance has claimed it.',
    other: '# orders are late: they are due, and no instance has claimed them.',
  }),
  lateAfterFailure: plural('en', {
    one: '# late order waits after a failed attempt.',
    other: '# late orders wait after failed attempts.',
  }),
  oldest: (duration: string) => `The oldest has been due for ${duration}.`,
  silent: plural('en', {
    one: '# instance no longer reports.',
    other: '# instances no longer report.',
  }),
  parkedNow: plural('en', {
    one: '# order is parked and needs you.',
    other: '# orders are parked and need you.',
  }),
  /** as the titles of the incidents count */
  refusingNow: {
    VENDOR_DOWN: plural('en', { one: 'The POS of # restaurant fails.', other: 'The POS of # restaurants fails.' }),
    SIGN_IN: plural('en', {
      one: 'The POS refuses the sign-in of # restaurant.',
      other: 'The POS refuses the sign-in of # restaurants.',
    }),
    POS_REFUSES: plural('en', {
      one: 'The POS of # restaurant accepts nothing.',
      other: 'The POS of # restaurants accepts nothing.',
    }),
  },
  counts: {
    waiting: 'Waiting',
    processing: 'Being sent',
    late: 'Late',
    parked: 'Parked',
    accepted: (minutes: string) => `Accepted in ${minutes}`,
    delivered: (minutes: string) => `Delivered in ${minutes}`,
    failed: (minutes: string) => `Failed attempts in ${minutes}`,
  },
  find: {
    title: 'Find an order',
    label: 'In all restaurants',
    hint: 'The whole key or number, the id of a job, or the id of a request. Opening an order is audited.',
    none: (text: string) => `No order for “${text}”`,
    more: 'There are more. The newest are shown.',
    order: 'Order',
    state: 'State',
    received: 'Received',
    paid: 'Paid',
  },
  parked: {
    title: 'Parked, by cause',
    none: 'Nothing is parked',
    noneHelp: 'Orders that the POS refuses for good are parked. They appear here by cause.',
    help: 'Fix the cause first. Then send the orders again.',
    more: 'Not all causes are shown. Fix the first ones, and the others appear.',
    count: (count: number, places: number) => `${jobs(count)} of ${restaurants(places)}`,
    cancels: plural('en', { one: '# of them is a cancel', other: '# of them are cancels' }),
    since: (oldest: string, newest: string) => `the first ${oldest}, the last ${newest}`,
    restaurants: 'Restaurants',
    others: plural('en', { one: 'and # more', other: 'and # more' }),
    today: (today: string, earlier: string) => `${today} since its business day began, ${earlier} earlier`,
    examples: 'Examples',
    order: 'Order',
    job: 'Job',
    error: 'What the POS said',
    parkedAt: 'Parked',
    line: 'In a shell, in the folder of the relay',
    lineHelp: 'Sends exactly these orders again. Copy it unchanged: # stands for what differs between them.',
  },
  reset: {
    today: (count: string) => `Send ${count} of today again…`,
    all: (count: string) => `All ${count}…`,
    what: (oldest: string, sum: string) => `${sum} in all. The oldest is from ${oldest}.`,
    old: 'The oldest is more than 12 hours old. Check that nobody has entered these orders by hand.',
    counting: 'Counting…',
    title: plural('en', { one: 'Send # parked order again?', other: 'Send # parked orders again?' }),
    wait: 'Send them again?',
    nothing: 'None of these is parked any more.',
    text: 'They are due at once, with all their attempts. Cancelled orders and orders being sent are left alone. The audit records it with your name.',
    action: (count: string) => `Send ${count} again`,
    progress: (done: string, all: string) => `${done} of ${all} on their way`,
    stopped: (done: string, all: string) => `Stopped: ${done} of ${all} are on their way.`,
    done: plural('en', {
      one: '# is on its way again. If its cause is not fixed, it is parked again.',
      other: '# are on their way again. Those whose cause is not fixed are parked again.',
    }),
  },
  incidents: {
    title: 'Needs you',
    none: 'No incident',
    noneHelp:
      'What many restaurants have stands here once: an outage of the vendor, a backlog, a slow database, refused keys.',
    more: plural('en', { one: '# more incident', other: '# more incidents' }),
    groups: {
      VENDOR_DOWN: (places: number, count: number) => `The POS fails: ${restaurants(places)}, ${jobs(count)} waiting`,
      SIGN_IN: (places: number, count: number) => `Sign-in refused: ${restaurants(places)}, ${jobs(count)} waiting`,
      POS_REFUSES: (places: number, count: number) =>
        `The POS accepts nothing: ${restaurants(places)}, ${jobs(count)} waiting`,
    },
    backlog: (count: number, minutes: number | null) =>
      `${jobs(count)} due, and not sent: ${minutes === null ? 'nothing is sent now' : `about ${minutes} min at this pace`}`,
    slow: (time: string) => `The database takes ${time} to answer`,
    refused: (key: string, count: number, why: string, keys: number) =>
      keys > 1
        ? `${keys} keys were refused ${count} times; the newest ${key}: ${why}`
        : `The key ${key} was refused ${count === 1 ? 'once' : `${count} times`}: ${why}`,
    since: (time: string) => `Since ${time}.`,
    probe: 'Try one order of each now',
    probed: plural('en', {
      one: 'The oldest order is due now.',
      other: 'The oldest orders of # restaurants are due now.',
    }),
    affected: (places: number) => restaurants(places),
    place: (count: number, since: string) => `– ${jobs(count)}, since ${since}`,
    others: plural('en', { one: 'and # more', other: 'and # more' }),
  },
  instances: {
    title: 'Instances',
    none: 'No instance has reported yet',
    id: 'Instance',
    state: 'State',
    alive: 'Alive',
    silent: 'Silent',
    version: 'Version',
    seen: 'Last seen',
    started: 'Started',
    delivers: 'Delivers',
    pace: { tick: 'every tick', eager: 'at once' },
    httpOnly: 'no, HTTP only',
    processing: 'Claimed jobs',
    other: 'Instances run different versions. That is fine during an upgrade.',
  },
  flow: {
    title: 'Over time',
    span: 'How far back',
    spans: { 60: '1 hour', 360: '6 hours', 1440: '24 hours' },
    throughput: 'Accepted and delivered',
    accepted: 'Accepted',
    delivered: 'Delivered',
    failed: 'Failed attempts',
    backlog: 'Waiting',
    waiting: 'Waiting',
    times: 'From receipt to delivery',
    median: 'Half of them within',
    p95: '95 % of them within',
    at: 'From',
    per: (duration: string) => `per ${duration}`,
    says: {
      throughput: (accepted: string, delivered: string, failed: string) =>
        `${accepted} accepted, ${delivered} delivered; failed attempts: ${failed}.`,
      backlog: (now: string, most: string, at: string) => `Waiting now: ${now}; most: ${most}, at ${at}.`,
      times: (median: string, p95: string) => `Lately half within ${median}, 95 % within ${p95}.`,
      noTimes: 'Nothing was delivered in this time.',
    },
    asTable: 'The same as a table',
  },
};
