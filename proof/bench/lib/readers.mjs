// Accounts that read the longest list of their restaurant, several at once and without a pause, in a process of their own.
import { Pool } from 'undici';
import { serve } from '../../load/processes.mjs';

serve({ read, stop });

let stopped = new AbortController();
let reading = [];
let counts;
let since;

/** Begins: each account reads `lists` at once until `stop`. @param accounts `token` and `restaurantId` of each */
async function read({ url, accounts, lists }) {
  stopped = new AbortController();
  counts = { answered: 0, refused: 0 };
  const pool = new Pool(url, { connections: Math.max(1, accounts.length * lists), pipelining: 1 });
  since = performance.now();
  reading = accounts.flatMap(({ restaurantId, token }) =>
    Array.from({ length: lists }, () => readOn(pool, `/restaurants/${restaurantId}/orders?limit=100`, token)),
  );
}

/** @returns how many lists were `answered` in how many `seconds`, and how many `refused` */
async function stop() {
  const seconds = (performance.now() - since) / 1_000;
  const { answered, refused } = counts;
  stopped.abort();
  await Promise.all(reading);
  return { answered, refused, seconds };
}

async function readOn(pool, path, token) {
  while (!stopped.signal.aborted) {
    const { statusCode, body } = await pool.request({
      path,
      method: 'GET',
      headers: { authorization: `Bearer ${token}` },
    });
    await body.dump({ limit: Number.POSITIVE_INFINITY });
    counts[statusCode === 200 ? 'answered' : 'refused']++;
  }
}
