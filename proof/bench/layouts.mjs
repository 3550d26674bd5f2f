// Measures other layouts of the tables of an order, with the relay's own statements, on a past of delivered orders:
//   today       as the migrations make them
//   restaurant  primary and foreign keys that begin with the restaurant, as a database that is divided by restaurant needs
//   months      partitions by the month of the sale; the unique key of a sale is in a table of its own; retention drops a month
//   sales       the same for events and attempts alone: jobs stay in one table
// A layout with months reads twice: with the statements of today, and (named) with look-ups that also name the month of the order.
// Each layout has a database of its own on the server of BENCH_DATABASE_URL; they are dropped at the end.
import pg from 'pg';
import { readArguments, wholeNumber } from '../../tools/command-line.ts';
import { build, connect } from './layouts/build.mjs';
import { printReads, printRetention, printRoad, printSizes } from './layouts/report.mjs';
import { Session } from './layouts/session.mjs';
import { VARIANTS } from './layouts/variants.mjs';
import { Databases } from './lib/databases.mjs';
import { localUrl } from './lib/options.mjs';

const HELP = `npm run bench:layouts -- [options]

  --orders N        delivered orders of the past, default 1000000: some minutes and 1.3 GB for each layout
  --layouts NAMES   only these, separated by commas: ${Object.keys(VARIANTS).join(', ')}
  --rounds N        rounds of 2,000 orders, in turns, default 7
  --batches N       batches of 500 orders that retention removes one by one, default 40

BENCH_DATABASE_URL  a Postgres on this machine, as a superuser (WAL is counted by pg_walinspect); default
                    postgresql://postgres@127.0.0.1:5432/postgres`;
const options = readArguments(process.argv.slice(2), {
  orders: { type: 'string', default: '1000000' },
  layouts: { type: 'string', default: Object.keys(VARIANTS).join() },
  rounds: { type: 'string', default: '7' },
  batches: { type: 'string', default: '40' },
  help: { type: 'boolean', default: false },
});
if (options.help) console.log(HELP);
else await main();

async function main() {
  const orders = wholeNumber('orders', options.orders, 10_000);
  const rounds = wholeNumber('rounds', options.rounds, 1);
  const batches = wholeNumber('batches', options.batches, 1);
  const layouts = options.layouts.split(',');
  const strange = layouts.find((name) => !VARIANTS[name]);
  if (strange) throw new Error(`--layouts: there is no ${strange}, only ${Object.keys(VARIANTS).join(', ')}`);
  const databases = new Databases(localUrl(process.env.BENCH_DATABASE_URL));
  const clients = [];
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => void databases.dropAll().then(() => process.exit(1)));
  try {
    const admin = new pg.Client({ connectionString: await databases.create() });
    clients.push(admin);
    await admin.connect();
    await admin.query('CREATE EXTENSION pg_walinspect');
    const ask = async (sql, values) => (await admin.query(sql, values)).rows;
    const built = [];
    for (const layout of layouts) {
      const startedAt = performance.now();
      const url = await databases.create();
      const restaurants = await build(url, layout, orders);
      const [client, reportsClient] = [await connect(url), await connect(url, { readsTables: true })];
      clients.push(client, reportsClient);
      const session = new Session(client, layout, { reportsClient });
      built.push({ layout, name: new URL(url).pathname.slice(1), client, reportsClient, session, restaurants });
      console.log(
        `${layout}: ${orders.toLocaleString('en-GB')} orders stored in ${Math.round((performance.now() - startedAt) / 1_000)} s`,
      );
    }
    await printSizes(built, orders);
    await printRoad(built, ask, rounds);
    await printReads(built);
    await printRetention(built, ask, batches);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
    await databases.dropAll();
    await databases.close();
  }
}
