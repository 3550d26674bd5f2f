// Senders of wrong keys, in a process of their own. An open loop: the rate does not depend on the answers.
import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { keyOf, saleWriter } from './payload.mjs';
import { serve } from './processes.mjs';
import { now } from './statistics.mjs';
import { base62, tokenOf } from './tokens.mjs';

/** How often requests are written; ms. */
const TICK_MS = 4;
/** Different requests; the connections send them in turns. An instance remembers fewer key ids (L63). */
const REQUESTS = 20_000;
const ANSWER = /HTTP\/1\.1 (\d+)/;

serve({ flood });

/**
 * Sends wrong keys for `seconds`, `perSecond` in all, by `connections`. A connection sends nothing while it waits for an answer. A request
 * that is due while all of them wait is not sent, so that the flood ends in time whatever the server does. A connection that the server
 * closes is opened again.
 * @param keyIds ids of keys that work: their tokens are wrong
 * @returns how many requests were `due`, `sent`, and answered with 401 (`refused`) or otherwise (`others`), a second; `opened`: connections
 */
async function flood({ url, perSecond, seconds, connections, store, keyIds }) {
  const target = new URL(url);
  const requests = wrongRequests(target.host, store, keyIds);
  const counts = { sent: 0, refused: 0, others: 0, opened: 0 };
  const all = new Set();
  const free = [];
  const open = () => {
    const socket = createConnection({ host: target.hostname, port: Number(target.port), noDelay: true });
    counts.opened++;
    all.add(socket);
    socket.once('connect', () => free.push(socket));
    socket.on('error', () => {});
    socket.once('close', () => all.delete(socket));
    socket.on('data', (data) => {
      // an answer begins with its status, and is shorter than a read
      const status = ANSWER.exec(data.latin1Slice(0, 12))?.[1];
      if (status === undefined) return;
      counts[status === '401' ? 'refused' : 'others']++;
      free.push(socket);
    });
  };
  const begin = now();
  const end = begin + seconds * 1_000;
  let due = 0;
  for (let at = begin; at < end; at = now()) {
    while (all.size < connections) open();
    const wanted = Math.floor(((at - begin) / 1_000) * perSecond);
    for (; due < wanted; due++) {
      let socket = free.shift();
      while (socket?.destroyed) socket = free.shift();
      if (!socket) continue;
      socket.write(requests[due % requests.length]);
      counts.sent++;
    }
    await delay(TICK_MS);
  }
  const lasted = (now() - begin) / 1_000;
  for (const socket of all) socket.destroy();
  const { sent, refused, others, opened } = counts;
  return { due: due / lasted, sent: sent / lasted, refused: refused / lasted, others: others / lasted, opened };
}

/** Requests with a whole sale, of each wrong kind in turns. */
function wrongRequests(host, store, keyIds) {
  const write = saleWriter(store);
  const kinds = [
    () => bearer('a-terminal-token-that-is-wrong'),
    () => bearer(tokenOf(base62(8))),
    (n) => bearer(tokenOf(keyIds[n % keyIds.length])),
    () => bearer(`rly_${base62(8)}_${base62(36)}`),
    () => signed(base62(8)),
  ];
  return Array.from({ length: REQUESTS }, (_, n) => {
    const { path, headers } = kinds[n % kinds.length](n);
    const body = write(keyOf('wrong', n), n);
    const lines = [
      `POST ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers,
    ];
    return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
  });
}

const bearer = (token) => ({ path: '/webhooks/terminal', headers: [`Authorization: Bearer ${token}`] });

const signed = (keyId) => ({
  path: `/webhooks/terminal/${keyId}`,
  headers: [
    'Webhook-Id: wrong',
    `Webhook-Timestamp: ${Math.floor(Date.now() / 1_000)}`,
    `Webhook-Signature: v1,${randomBytes(32).toString('base64')}`,
  ],
});
