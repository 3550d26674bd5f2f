// One process of a peer: `node peer-process.mjs NAME`, commanded over IPC. It stores jobs, or works on them.
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { sale } from '../../load/payload.mjs';
import { serve } from '../../load/processes.mjs';
import { now, percentiles } from '../../load/statistics.mjs';

const BULK = 1_000;
const STORE = 'STORE-0';
const { open } = await import(new URL(`../peers/${process.argv[2]}.mjs`, import.meta.url));
let peer;

serve({
  async open(settings) {
    peer = await open(settings);
  },

  /** So many producers store one job after the other. @returns jobs per second, and their times in ms */
  async enqueue({ prefix, jobs, producers }) {
    const times = [];
    const begin = now();
    let next = 0;
    const produce = async () => {
      while (next < jobs) {
        const payload = sale(prefix, next++, STORE);
        const startedAt = now();
        await peer.add(payload);
        times.push(now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: producers }, produce));
    return { perSecond: (jobs / (now() - begin)) * 1_000, ...percentiles(times) };
  },

  /** Stores `jobs` in bulk, and lets the store settle down. */
  async fill({ prefix, jobs }) {
    for (let from = 0; from < jobs; from += BULK) {
      const count = Math.min(BULK, jobs - from);
      await peer.addMany(Array.from({ length: count }, (_, n) => sale(prefix, from + n, STORE)));
    }
    await peer.settleDown();
  },

  /** Begins to deliver what is stored. */
  async work({ url, concurrency, prefix, jobs }) {
    const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
    const headers = { 'content-type': 'application/json' };
    const deliver = async (payload) => {
      const answer = await pool.request({ path: '/order', method: 'POST', headers, body: JSON.stringify(payload) });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
    };
    await peer.work({ deliver, concurrency, payloadOf: (n) => sale(prefix, n, STORE), jobs });
  },

  /** Stores one job every `everyMs`. @returns when each was begun, by number */
  async pace({ prefix, everyMs, count }) {
    const begin = now();
    const sentAt = [];
    const stored = [];
    for (let number = 0; number < count; number++) {
      const wait = begin + number * everyMs - now();
      if (wait > 0) await delay(wait);
      sentAt.push(now());
      stored.push(Promise.resolve(peer.add(sale(prefix, number, STORE))).then(() => now() - sentAt[number]));
    }
    return { sentAt, answered: percentiles(await Promise.all(stored)) };
  },
});
