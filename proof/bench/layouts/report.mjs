// Measures every layout and prints a table of each kind of figure: a column for each layout.
import { median } from '../../load/statistics.mjs';
import { sizesOf, updatesOf, walOf } from './counters.mjs';
import { namingTheMonth, orderStatementsOf, readsOf } from './reads.mjs';
import { deleteInBatches, dropMonth, oldestMonth } from './retention.mjs';
import { road } from './road.mjs';
import { Session } from './session.mjs';

const ORDERS_OF_ROUND = 2_000;
const RUNS = 21;
const WARM_UP = 5;
const MB = 1_048_576;
const STEPS = {
  store: 'stored, 50 at once',
  claim: 'claimed, 20 at once',
  settle: 'settled, 20 at once',
  all: 'all',
  clock: 'all, by the clock',
};

const print = (...cells) =>
  console.log(cells.map((cell, n) => (n === 0 ? String(cell).padEnd(44) : String(cell).padStart(15))).join(''));
const shown = (value) =>
  value >= 100 ? Math.round(value).toLocaleString('en-GB') : String(Number(value.toPrecision(3)));

export async function printSizes(built, orders) {
  const sizes = await Promise.all(built.map(({ client }) => sizesOf(client)));
  print('\nbytes of an order: rows + indexes', ...built.map(({ layout }) => layout));
  for (const name of new Set(sizes.flat().map((table) => table.name)))
    print(
      name,
      ...sizes.map((tables) => {
        const table = tables.find((each) => each.name === name);
        return table ? `${Math.round(table.rows / orders)} + ${Math.round(table.indexes / orders)}` : '-';
      }),
    );
  const all = (tables) => tables.reduce((sum, { rows, indexes }) => sum + rows + indexes, 0);
  print('all, MB', ...sizes.map((tables) => Math.round(all(tables) / MB)));
}

/** @param ask queries a database with pg_walinspect */
export async function printRoad(built, ask, rounds) {
  const times = built.map(() => []);
  // one round does not count: plans, and pages that were never read
  for (let round = 0; round <= rounds; round++)
    for (const [n, { session, restaurants }] of built.entries()) {
      const time = await road(session, restaurants, ORDERS_OF_ROUND);
      if (round > 0) times[n].push(time);
    }
  const medians = (step) => times.map((of) => median(of.map((time) => time[step])));
  print(`\nprocessor time of an order, us, median of ${rounds}`, ...built.map(({ layout }) => layout));
  for (const [step, name] of Object.entries(STEPS)) print(name, ...medians(step).map(shown));
  const ends = (of) => [Math.min, Math.max].map((end) => shown(end(...of.map(({ all }) => all)))).join(' - ');
  print('all, least and most', ...times.map(ends));
  const ratios = (of, step) => of.map((time, round) => times[0][round][step] / time[step]);
  const toFirst = (step) => times.map((of) => shown(median(ratios(of, step))));
  print(`orders for each second, to ${built[0].layout}`, ...toFirst('all'));
  print('the same by the clock', ...toFirst('clock'));
  await printWrites(built, ask);
}

async function printWrites(built, ask) {
  const writes = [];
  for (const { name, client, session, restaurants } of built) {
    const before = await updatesOf(client);
    const wal = await walOf(ask, name, () => road(session, restaurants, ORDERS_OF_ROUND));
    const after = await updatesOf(client);
    writes.push({ ...wal, hot: (after.hot - before.hot) / (after.updates - before.updates) });
  }
  const ofOrder = (field) => writes.map((each) => shown(each[field] / ORDERS_OF_ROUND));
  print('WAL records of an order', ...ofOrder('records'));
  print('WAL bytes, without images of pages', ...ofOrder('bytes'));
  print('bytes of images of pages', ...ofOrder('imageBytes'));
  print('updates that wrote no index (HOT)', ...writes.map(({ hot }) => `${shown(100 * hot)} %`));
}

export async function printReads(built) {
  const columns = built.flatMap((each) => [each, ...namedOf(each)]);
  const medians = [];
  for (const column of columns) medians.push(await timeReads(column));
  print(`\nprocessor time of a read, ms, median of ${RUNS}`, ...columns.map(({ layout }) => layout));
  for (const name of Object.keys(medians[0])) print(name, ...medians.map((times) => shown(times[name])));
}

/** A layout with months is read a second time, by look-ups that also name the month. */
function namedOf(built) {
  const { layout, session, client, reportsClient } = built;
  if (!session.variant.divided) return [];
  const rewriteRead = namingTheMonth;
  const named = new Session(client, layout, { reportsClient, rewriteRead });
  return [{ ...built, layout: `${layout}, named`, namesMonth: true, session: named }];
}

/** @returns the median ms of processor time of each read */
async function timeReads({ layout, client, reportsClient, session, namesMonth, restaurants: [restaurantId] }) {
  // names of prepared statements hold for a connection, and the texts of this session may differ
  for (const each of [client, reportsClient]) {
    await each.query('DEALLOCATE ALL');
    each.connection.parsedStatements = {};
  }
  const { rows } = await client.query(
    `SELECT transaction_key AS key, received_at AS at FROM terminal_events
     WHERE restaurant_id = $1 AND received_at > now() - interval '180 days' AND received_at IS NOT NULL ORDER BY received_at LIMIT 1`,
    [restaurantId],
  );
  const reads = readsOf(session, orderStatementsOf(layout, namesMonth), { restaurantId, ...rows[0] });
  const medians = {};
  for (const [name, read] of Object.entries(reads)) {
    const times = [];
    for (let run = -WARM_UP; run < RUNS; run++) {
      const before = session.processorMs;
      await read();
      if (run >= 0) times.push(session.processorMs - before);
    }
    medians[name] = median(times);
  }
  return medians;
}

/** @param batches how many batches of 500 the relay's retention removes */
export async function printRetention(built, ask, batches) {
  const { month, days } = oldestMonth();
  console.log(`\nretention of ${month.toISOString().slice(0, 7)}`);
  for (const { layout, name, session } of built) {
    const remove = session.variant.divided
      ? () => dropMonth(session, month)
      : () => deleteInBatches(session, days, batches);
    const wal = await walOf(ask, name, remove);
    console.log(`${layout}: ${session.variant.divided ? dropped(wal) : deleted(wal)}`);
  }
}

function dropped({ result, bytes, imageBytes }) {
  const { orders, deleted: jobs, lookMs, deleteMs, dropMs } = result;
  return [
    `${orders} orders dropped in ${shown(dropMs)} ms by the clock, after a look of ${shown(lookMs)} ms for orders that stay`,
    ...(jobs > 0 ? [`${jobs} jobs deleted and vacuumed before, ${shown((1_000 * deleteMs) / jobs)} us each`] : []),
    `WAL ${shown(bytes / 1024)} kB, images of pages ${shown(imageBytes / 1024)} kB`,
  ].join('; ');
}

function deleted({ result, bytes, imageBytes }) {
  const { orders, spendMs, removeMs, vacuumMs } = result;
  const us = (ms) => `${shown((1_000 * ms) / orders)} us`;
  return [
    `${orders} orders removed; processor time of each: its key recorded in ${us(spendMs)}, removed in ${us(removeMs)}, VACUUM ${us(vacuumMs)}`,
    `WAL ${shown(bytes / orders)} bytes, images of pages ${shown(imageBytes / orders)} bytes`,
  ].join('; ');
}
