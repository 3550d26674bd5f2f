// One process of a peer: `node peer-process.mjs NAME`, commanded over IPC. It stores jobs, works on them, or does both behind a webhook.
import { setTimeout as delay } from 'node:timers/promises';
import fastify from 'fastify';
import { Pool } from 'undici';
import { sale } from '../../load/payload.mjs';
import { serve } from '../../load/processes.mjs';
import { now, percentiles } from '../../load/statistics.mjs';
import { openSameWork } from './same-work.mjs';

const BULK = 1_000;
const STORE = 'STORE-0';
const { open } = await import(new URL(`../peers/${process.argv[2]}.mjs`, import.meta.url));
let peer;
/** What it does beside the queue; undefined: nothing. See same-work.mjs. */
let beside;

serve({
  async open({ sameWork, ...settings }) {
    peer = await open(settings);
    if (sameWork) beside = await openSameWork(settings);
  },

  /** A webhook that stores each sale as a job, one by one. @returns its URL */
  async listen({ authorization }) {
    const app = fastify();
    app.post('/webhooks/terminal', async (request, reply) => {
      if (request.headers.authorization !== authorization) return reply.code(401).send();
      const job = beside ? await beside.accept(request.body) : request.body;
      if (!job) return reply.code(400).send();
      await peer.add(job);
      return { success: true };
    });
    return app.listen({ port: 0, host: '127.0.0.1' });
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
      const sales = Array.from({ length: count }, (_, n) => sale(prefix, from + n, STORE));
      await peer.addMany(beside ? await beside.keep(sales) : sales);
    }
    await peer.settleDown();
    await beside?.settleDown();
  },

  /** Begins to deliver what is stored. */
  async work({ url, concurrency, prefix, jobs }) {
    const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
    const headers = { 'content-type': 'application/json' };
    const send = async (body) => {
      const answer = await pool.request({ path: '/order', method: 'POST', headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
      return answer.statusCode;
    };
    const deliver = beside?.deliverBy(send) ?? ((payload) => send(JSON.stringify(payload)));
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
