// What the console reads of a restaurant's year in the embedded database, and the webhook beside it: they share one thread.
import { setTimeout as delay } from 'node:timers/promises';
import { percentiles } from '../../load/statistics.mjs';
import { fillYear } from '../lib/year.mjs';

export const title = 'A year on the embedded database: what pages take, and webhooks beside them';
const ORDERS = 60_000;
const DAYS = 365;
const EVERY_MS = 25;
const DAY_MS = 86_400_000;

const day = (ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);

/** The reads of the console's pages, as paths of a restaurant. */
const PAGES = {
  'Tonight: state': () => '/state',
  'Tonight: orders': () => '/orders?limit=25',
  'Orders: parked': () => '/orders?limit=25&state=parked',
  'Orders: waiting': () => '/orders?limit=25&state=waiting',
  'Orders: cancelled': () => '/orders?limit=25&state=cancelled',
  'Orders: tests': () => '/orders?limit=25&test=true',
  'Orders: search': () => '/orders?limit=25&search=12345',
  'an order': () => '/orders/year-30000',
  'Takings: a day': () => `/statistics?day=${day(1)}`,
  'Takings: 30 days': () => `/statistics?from=${day(29)}&to=${day(0)}`,
  'Takings: 30 days, by sale': () => `/statistics?from=${day(29)}&to=${day(0)}&by=sale`,
  'Takings: the year': () => `/statistics?from=${day(365)}&to=${day(0)}`,
  'takings.csv of 31 days': () => `/takings.csv?from=${day(30)}&to=${day(0)}`,
  audit: () => '/audit?limit=25',
};

export function* measurements({ relays, quick }) {
  for (const [known, analysed] of [
    ['not analysed', false],
    ['analysed', true],
  ])
    for (const version of relays) {
      const year = new Year(version, analysed);
      for (const [name, path] of Object.entries(PAGES))
        yield {
          setting: `${name}, ${known}`,
          contender: version.name,
          measure: (measurement) => year.measure(measurement, path(), quick ? 2_000 : 6_000),
        };
    }
}

/** A relay on a database with the year, for all pages in turn: writing it takes longer than reading it. */
class Year {
  constructor(version, analysed) {
    Object.assign(this, { version, analysed });
  }

  /** @returns `readP50` and `readMax` of the page, `p50` and `p99` of the webhooks beside it; ms */
  async measure(measurement, path, forMs) {
    this.relay ??= await this.start();
    const page = `${this.relay.url}/restaurants/${this.restaurantId}${path}`;
    const loader = measurement.loader();
    const senders = [this.version.senders.static[1]];
    const load = { url: this.relay.url, senders, everyMs: EVERY_MS, prefix: `beside-${Date.now()}` };
    await loader.call('warmUp', load);
    const paced = loader.call('pace', { ...load, count: forMs / EVERY_MS });
    const reads = [];
    for (const end = performance.now() + forMs; performance.now() < end; ) {
      const begin = performance.now();
      const answer = await fetch(page, { headers: { authorization: `Bearer ${this.token}` } });
      if (!answer.ok) throw new Error(`${page}: ${answer.status}`);
      await answer.arrayBuffer();
      reads.push(performance.now() - begin);
      // nobody reads without a pause
      await delay(EVERY_MS);
    }
    const { refused, answered } = await paced;
    if (refused > 0) throw new Error(`${refused} sales were not accepted beside ${path}`);
    const { p50: readP50, max: readMax } = percentiles(reads);
    return { readP50, readMax, p50: answered.p50, p99: answered.p99 };
  }

  async start() {
    const { folder } = await this.version.dataDir();
    const relay = await this.version.start({ DATA_DIR: folder, WORKER_ENABLED: 'false' });
    const { email, password } = this.version.owners[0];
    this.token = await relay.signIn({ email, password });
    [{ id: this.restaurantId }] = (await relay.api('GET', '/restaurants', { token: this.token })).data;
    const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`;
    await fillYear(url, { restaurantId: this.restaurantId, orders: ORDERS, days: DAYS });
    // it analyses what has grown within a minute
    if (this.analysed) await delay(65_000);
    return relay;
  }
}
