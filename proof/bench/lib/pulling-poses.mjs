// POSs that fetch their orders by Open Delivery, in a process of their own. Each reads and acknowledges what a poll brings.
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { serve } from '../../load/processes.mjs';
import { now, percentiles } from '../../load/statistics.mjs';

serve({ signIn, open, forget, close, saturate });

/** Connections of all POSs: as many polls wait for their answers at once. */
const CONNECTIONS = 200;
/** Sign-ins at once: they take turns by network. */
const SIGN_INS = 2;

let pool;
let tokens = [];
let stop = new AbortController();
let running = [];
let counts;

/** Signs in with each of these credentials: `clientId` and `clientSecret`. */
async function signIn({ url, credentials }) {
  pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  tokens = [];
  let next = 0;
  const signer = async () => {
    for (let n = next++; n < credentials.length; n = next++) tokens[n] = await tokenOf(credentials[n]);
  };
  await Promise.all(Array.from({ length: SIGN_INS }, signer));
}

async function tokenOf({ clientId, clientSecret }) {
  const { statusCode, body } = await pool.request({
    path: '/oauth/token',
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
  });
  if (statusCode !== 200) throw new Error(`sign-in: ${statusCode} ${await body.text()}`);
  return (await body.json()).access_token;
}

/** Each POS polls every `everyMs` until `close`; their polls are spread over that time. */
function open({ everyMs }) {
  stop = new AbortController();
  setMaxListeners(0, stop.signal);
  counts = { polls: 0, refused: 0, skipped: 0, times: [], withEvents: [], arrivals: {} };
  const begin = now();
  running = tokens.map((token, n) => pollEvery(token, everyMs, begin + (n / tokens.length) * everyMs));
}

/** Forgets what was counted: it was the warm-up. */
function forget() {
  Object.assign(counts, { polls: 0, refused: 0, skipped: 0, times: [], withEvents: [] });
}

/**
 * @returns how many `polls` were answered, `refused`, and `skipped` because the one before was not answered yet; the times of all polls and of
 *   those `withEvents`, in ms; when the poll with an order was answered, by the key of the sale
 */
async function close() {
  stop.abort();
  await Promise.all(running);
  const { times, withEvents, ...rest } = counts;
  return { ...rest, all: percentiles(times), withEvents: percentiles(withEvents) };
}

async function pollEvery(token, everyMs, firstAt) {
  for (let dueAt = firstAt; ; dueAt += everyMs) {
    for (; dueAt + everyMs < now(); dueAt += everyMs) counts.skipped++;
    await delay(Math.max(0, dueAt - now()), undefined, { signal: stop.signal }).catch(() => {});
    if (stop.signal.aborted) return;
    await pollOnce(token);
  }
}

async function pollOnce(token) {
  const sentAt = now();
  const { status, body } = await ask(token, 'GET', '/v1/events:polling');
  const answeredAt = now();
  counts.polls++;
  counts.times.push(answeredAt - sentAt);
  if (status === 204) return;
  if (status !== 200) return void counts.refused++;
  counts.withEvents.push(answeredAt - sentAt);
  for (const { orderId } of body) {
    const order = await ask(token, 'GET', `/v1/orders/${orderId}`);
    if (order.status === 200) counts.arrivals[order.body.displayId] ??= answeredAt;
  }
  const list = body.map(({ eventId: id, orderId, eventType }) => ({ id, orderId, eventType }));
  const acknowledged = await ask(token, 'POST', '/v1/events/acknowledgment', list);
  if (acknowledged.status !== 202) counts.refused++;
}

/** Each connection polls as soon as it is answered, for `seconds`, for one POS after another. */
async function saturate({ connections, seconds }) {
  counts = { polls: 0, refused: 0, times: [], withEvents: [], arrivals: {} };
  const end = now() + seconds * 1_000;
  let next = 0;
  const poller = async () => {
    while (now() < end) await pollOnce(tokens[next++ % tokens.length]);
  };
  await Promise.all(Array.from({ length: connections }, poller));
  const { polls, refused, times } = counts;
  return { polls, refused, perSecond: polls / seconds, ...percentiles(times) };
}

async function ask(token, method, path, json) {
  const { statusCode: status, body } = await pool.request({
    path,
    method,
    headers: { authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) },
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await body.text();
  return { status, body: status === 200 ? JSON.parse(text) : undefined };
}
