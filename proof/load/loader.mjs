// The payment terminals, in a process of their own: they POST sales to a webhook.
import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { keyOf, saleWriter } from './payload.mjs';
import { serve } from './processes.mjs';
import { now, percentiles } from './statistics.mjs';

serve({ warmUp, saturate, pace });

/**
 * Sends one sale of each sender, one after another: what the server remembers of a sender, it remembers then.
 * @param senders their `store`, and `authorization`, or `keyId` and `secret` to sign with
 */
async function warmUp({ url, senders }) {
  const pool = new Pool(url, { connections: 1 });
  const writers = senders.map(({ store }) => saleWriter(store));
  for (const number of senders.keys()) await post(pool, senders, writers, 'first', number);
  await pool.close();
}

/**
 * Each connection sends a sale as soon as the one before is answered, for `seconds`.
 * @returns sales accepted per second, their times in ms, and how many were not accepted
 */
async function saturate({ url, senders, connections, seconds, prefix }) {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const writers = senders.map(({ store }) => saleWriter(store));
  const end = now() + seconds * 1_000;
  const times = [];
  let next = 0;
  let refused = 0;
  const terminal = async () => {
    for (let sentAt = now(); sentAt < end; ) {
      const status = await post(pool, senders, writers, prefix, next++);
      const answeredAt = now();
      if (status !== 200) refused++;
      else if (answeredAt < end) times.push(answeredAt - sentAt);
      sentAt = answeredAt;
    }
  };
  await Promise.all(Array.from({ length: connections }, terminal));
  await pool.close();
  return { perSecond: times.length / seconds, ...percentiles(times), refused, sent: next };
}

/**
 * Sends one sale every `everyMs`, without waiting for the answer.
 * @returns when each was sent, by number, the times until the answers, in ms, and how many were not accepted
 */
async function pace({ url, senders, everyMs, count, prefix, connections = 20 }) {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const writers = senders.map(({ store }) => saleWriter(store));
  const begin = now();
  const sentAt = [];
  const times = [];
  let refused = 0;
  const answers = [];
  for (let number = 0; number < count; number++) {
    const wait = begin + number * everyMs - now();
    if (wait > 0) await delay(wait);
    sentAt.push(now());
    const send = async () => {
      if ((await post(pool, senders, writers, prefix, number)) !== 200) refused++;
      times.push(now() - sentAt[number]);
    };
    answers.push(send());
  }
  await Promise.all(answers);
  await pool.close();
  return { sentAt, refused, answered: percentiles(times) };
}

/** @returns the status of the answer; 0 when there was none */
async function post(pool, senders, writers, prefix, number) {
  const sender = number % senders.length;
  const sale = writers[sender](keyOf(prefix, number), number);
  try {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      body: sale,
      ...credentials(senders[sender], sale),
    });
    await body.dump();
    return statusCode;
  } catch {
    return 0;
  }
}

/** The path and headers of a sale. */
function credentials({ authorization, keyId, secret }, sale) {
  const headers = { 'content-type': 'application/json' };
  if (!secret) return { path: '/webhooks/terminal', headers: { ...headers, authorization } };
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`sale.${timestamp}.${sale}`).digest('base64');
  const signed = { 'webhook-id': 'sale', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
  return { path: `/webhooks/terminal/${keyId}`, headers: { ...headers, ...signed } };
}
