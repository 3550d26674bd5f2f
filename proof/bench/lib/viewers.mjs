// Open consoles, in a process of their own: each asks what the page Tonight asks, as often as the page does.
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { serve } from '../../load/processes.mjs';

serve({ open, close });

/** What the page asks of its restaurant, each this many ms after the answer before; see `console/src/pages/tonight/queries.ts`. */
const STATE_MS = 5_000;
const TAKINGS_MS = 15_000;
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

let stop = new AbortController();
let viewers = [];
let counts;

/**
 * Signs in `count` viewers, the owners in turns, and lets each look at their restaurant until `close`.
 * @param owners `email`, `password` and `restaurantId` of each
 */
async function open({ url, owners, count }) {
  stop = new AbortController();
  counts = { answered: 0, refused: 0 };
  const pool = new Pool(url, { connections: count, pipelining: 1 });
  const cookies = [];
  for (const owner of owners) cookies.push(await signIn(pool, owner));
  viewers = Array.from({ length: count }, (_, n) => {
    const { restaurantId } = owners[n % owners.length];
    return look(pool, `/console/api/restaurants/${restaurantId}`, cookies[n % owners.length]);
  });
}

/** @returns how many reads were `answered`, and how many `refused` */
async function close() {
  stop.abort();
  await Promise.all(viewers);
  return counts;
}

/** One console. Not all at the same moment: people open theirs when they like; but the parts of a page begin together. */
async function look(pool, restaurant, cookie) {
  await pause(Math.random() * STATE_MS);
  if (stop.signal.aborted) return;
  const asOften = async (path, everyMs) => {
    while (!stop.signal.aborted) {
      const { paceMs } = await read(pool, restaurant + path, cookie);
      await pause(Math.max(everyMs, paceMs));
    }
  };
  const { today } = JSON.parse((await read(pool, `${restaurant}/state`, cookie)).text);
  await Promise.all([
    pause(STATE_MS).then(() => asOften('/state', STATE_MS)),
    asOften('/orders?limit=25', STATE_MS),
    asOften(`/statistics?day=${today.day}`, TAKINGS_MS),
  ]);
}

/** ms, or less when the consoles are closed */
const pause = (ms) => delay(ms, undefined, { signal: stop.signal }).catch(() => {});

/** @returns the body, and the pause that the relay asks for, as `console/src/api/connection.ts` heeds it */
async function read(pool, path, cookie) {
  const { statusCode, headers, body } = await pool.request({
    path,
    method: 'GET',
    headers: { ...SAME_ORIGIN, cookie },
  });
  counts[statusCode === 200 ? 'answered' : 'refused']++;
  return { text: await body.text(), paceMs: 1_000 * Number(headers['console-pace'] ?? 0) };
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
