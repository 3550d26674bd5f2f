// Senders that wait for receipts, in a process of their own: each asks again as soon as it is answered.
import { setMaxListeners } from 'node:events';
import { Pool } from 'undici';
import { serve } from '../../load/processes.mjs';

serve({ open, close });

const stop = new AbortController();
setMaxListeners(0, stop.signal);
let senders = [];
const counts = { asked: 0, refused: 0 };

/** One request of each token waits from now on, until `close`. */
async function open({ url, tokens }) {
  const pool = new Pool(url, { connections: tokens.length, pipelining: 1 });
  senders = tokens.map((token) => wait(pool, token));
}

/** @returns how many requests were `asked`, and how many of them `refused` */
async function close() {
  stop.abort();
  await Promise.all(senders);
  return counts;
}

async function wait(pool, token) {
  for (let after = ''; !stop.signal.aborted; ) {
    counts.asked++;
    try {
      const { statusCode, body } = await pool.request({
        path: `/webhooks/terminal/receipts?wait=25${after}`,
        method: 'GET',
        headers: { authorization: `Bearer ${token}` },
        signal: stop.signal,
      });
      const { cursor } = await body.json();
      if (statusCode === 200) after = `&after=${encodeURIComponent(cursor)}`;
      else counts.refused++;
    } catch {
      if (!stop.signal.aborted) counts.refused++;
    }
  }
}
