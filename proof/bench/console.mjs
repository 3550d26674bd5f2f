// Measures the first load of the console on a slow network: Tonight, opened with a live session and an empty cache, in a window as large as a
// phone.
//
//   npm run bench:console -- [--loads N] [--relay NAME=DIR]... [--latency MS] [--rate KB] [--waterfall]
//
// Several built repositories are measured by turns, each with a relay and an embedded database of its own. First paint is the frame of the page that
// index.html has; usable is the frame with the verdict, the card of the parked order and its button, the takings and the orders. Again is usable when the page is
// opened once more. Shift and blocked are what Lighthouse calls cumulative layout shift and total blocking time. KB are kB a second.
import { resolve } from 'node:path';
import { readArguments, wholeNumber } from '../../tools/command-line.ts';
import { openEvening } from './lib/console-evening.mjs';
import { firstLoad, openBrowser } from './lib/first-load.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const FIGURES = ['paintMs', 'largestMs', 'usableMs', 'againMs', 'shift', 'blockedMs', 'bytes'];

const { relays, loads, latencyMs, rateKb, withWaterfall } = readOptions(process.argv.slice(2));
const closers = [];
try {
  const measured = [];
  for (const { name, directory } of relays)
    measured.push({ name, evening: await openEvening(directory, closers), loads: [] });
  const browser = await openBrowser();
  closers.push(() => browser.close());
  const network = { latencyMs, bytesPerSecond: rateKb * 1_000 };
  // the first load of a browser and of a relay is slower, and does not count
  for (const { evening } of measured) await firstLoad(browser, evening, network);
  for (let load = 0; load < loads; load++)
    for (const each of measured) each.loads.push(await firstLoad(browser, each.evening, network));
  console.log(`median of ${loads} loads by turns, ${rateKb} kB/s, ${latencyMs} ms latency; spread of usable`);
  console.log('first paint ms  largest ms  usable ms       spread  again ms  shift  blocked ms    kB  requests  relay');
  for (const each of measured) report(each);
} finally {
  for (const close of closers.reverse()) await close();
}

/** @throws with what is wrong with them */
function readOptions(argv) {
  const values = readArguments(argv, {
    relay: { type: 'string', multiple: true, default: [`relay=${ROOT}`] },
    loads: { type: 'string', default: '9' },
    latency: { type: 'string', default: '150' },
    rate: { type: 'string', default: '150' },
    waterfall: { type: 'boolean', default: false },
  });
  const relays = values.relay.map((text) => {
    const [, name, directory] = /^([\w.-]+)=(.+)$/.exec(text) ?? [];
    if (!name) throw new Error(`--relay must be NAME=DIR, not "${text}"`);
    return { name, directory: resolve(process.env.INIT_CWD ?? '.', directory) };
  });
  return {
    relays,
    loads: wholeNumber('loads', values.loads, 1),
    latencyMs: wholeNumber('latency', values.latency),
    rateKb: wholeNumber('rate', values.rate, 1),
    withWaterfall: values.waterfall,
  };
}

function report({ name, loads: all }) {
  const [paint, largest, usable, again, shift, blocked, bytes] = FIGURES.map((figure) =>
    all.map((load) => load[figure]).sort((a, b) => a - b),
  );
  const load = all.find(({ usableMs }) => usableMs === median(usable));
  const columns = [
    [Math.round(median(paint)), 14],
    [Math.round(median(largest)), 12],
    [Math.round(median(usable)), 11],
    [`${Math.round(usable[0])}–${Math.round(usable.at(-1))}`, 13],
    [Math.round(median(again)), 10],
    [median(shift).toFixed(2), 7],
    [Math.round(median(blocked)), 12],
    [Math.round(median(bytes) / 1_000), 6],
    [load.requests.length, 10],
  ];
  console.log(`${columns.map(([value, width]) => String(value).padStart(width)).join('')}  ${name}`);
  if (!withWaterfall) return;
  for (const { name: request, start, end = '', bytes: size } of load.requests)
    console.log(`${[start, end, size].map((value) => String(value).padStart(8)).join('')}  ${request}`);
}

function median(sorted) {
  return sorted[Math.floor(sorted.length / 2)];
}
