// Open consoles, in a process of their own: each asks what the page Tonight asks, as often as the page does.
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { serve } from './processes.mjs';

serve({ open, close });

/** What the page asks of its restaurant, each so many ms after the answer before; see `console/src/pages/tonight/queries.ts`. */
const READS = [
  ['state', 5_000],
  ['orders?limit=25', 5_000],
  ['statistics', 15_000],
];
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

let stop = new AbortController();
let viewers = [];
let counts;

/**
 * Signs in so many viewers, the owners in turns, and lets each look at their restaurant until `close`.
 * @param owners `email`, `password` and `restaurantId` of each
 */
async function open({ url, owners, count }) {
  stop = new AbortController();
  counts = { answered: 0, refused: 0 };
  const pool = new Pool(url, { connections: count, pipelining: 1 });
  const cookies = [];
  for (const owner of owners) cookies.push(await signIn(pool, owner));
  viewers = Array.from({ length: count }, (_, n) => n % owners.length).flatMap((n) =>
    READS.map(([read, everyMs]) =>
      look(pool, `/console/api/restaurants/${owners[n].restaurantId}/${read}`, cookies[n], everyMs),
    ),
  );
}

/** @returns how many reads were `answered`, and how many `refused` */
async function close() {
  stop.abort();
  await Promise.all(viewers);
  return counts;
}

async function look(pool, path, cookie, everyMs) {
  const { signal } = stop;
  // not all at the same moment: people open their consoles when they like
  let pause = Math.random() * everyMs;
  while (!signal.aborted) {
    await delay(pause, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const { statusCode, body } = await pool.request({ path, method: 'GET', headers: { ...SAME_ORIGIN, cookie } });
    await body.dump();
    counts[statusCode === 200 ? 'answered' : 'refused']++;
    pause = everyMs;
  }
}

/** @returns the session's cookie */
async function signIn(pool, { email, password }) {
  const { statusCode, headers, body } = await pool.request({
    path: '/console/session',
    method: 'POST',
    headers: { ...SAME_ORIGIN, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`the sign-in at the console: ${statusCode} ${text}`);
  return [headers['set-cookie']].flat()[0].split(';')[0];
}
