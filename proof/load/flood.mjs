// Senders of wrong keys, in a process of their own. An open loop: the rate does not depend on the answers.
import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { keyOf, saleWriter } from './payload.mjs';
import { serve } from './processes.mjs';
import { now } from './statistics.mjs';

/** How often requests are written; ms. */
const TICK_MS = 4;
/** Different requests; the connections send them in turns. An instance remembers fewer key ids (L63). */
const REQUESTS = 20_000;
const ANSWER = Buffer.from('HTTP/1.1 ');
const STATUS = Buffer.from('HTTP/1.1 401');

serve({ flood });

/**
 * Sends wrong keys for `seconds`, `perSecond` in all, by `connections`. A connection whose peer does not read is passed over: its share
 * is not sent, so that the flood ends in time. A connection that the server closes is opened again.
 * @param keyIds ids of keys that work: their tokens and signatures are wrong
 * @returns how many requests were `due`, `sent`, and answered with 401 (`refused`) or otherwise (`others`), a second
 */
async function flood({ url, perSecond, seconds, connections, store, keyIds }) {
  const target = new URL(url);
  const requests = wrongRequests(target.host, store, keyIds);
  const counts = { sent: 0, refused: 0, others: 0, opened: 0 };
  const sockets = Array.from({ length: connections }, () => undefined);
  const begin = now();
  const end = begin + seconds * 1_000;
  let due = 0;
  for (let at = begin; at < end; at = now()) {
    const wanted = Math.floor(((at - begin) / 1_000) * perSecond);
    for (; due < wanted; due++) {
      const slot = due % connections;
      let socket = sockets[slot];
      if (!socket || socket.destroyed) socket = sockets[slot] = open(target, counts);
      if (socket.writableNeedDrain || socket.connecting) continue;
      socket.write(requests[due % requests.length]);
      counts.sent++;
    }
    await delay(TICK_MS);
  }
  const lasted = (now() - begin) / 1_000;
  for (const socket of sockets) socket?.destroy();
  const { sent, refused, others, opened } = counts;
  return { due: due / lasted, sent: sent / lasted, refused: refused / lasted, others: others / lasted, opened };
}

function open({ hostname, port }, counts) {
  const socket = createConnection({ host: hostname, port: Number(port), noDelay: true });
  counts.opened++;
  socket.on('error', () => {});
  socket.on('data', (data) => {
    // an answer that is split over two reads is not counted: few are
    for (let at = data.indexOf(ANSWER); at >= 0; at = data.indexOf(ANSWER, at + ANSWER.length)) {
      if (data.compare(STATUS, 0, STATUS.length, at, at + STATUS.length) === 0) counts.refused++;
      else counts.others++;
    }
  });
  return socket;
}

/** Requests with a whole sale, of each wrong kind in turns. */
function wrongRequests(host, store, keyIds) {
  const write = saleWriter(store);
  const kinds = [
    () => bearer('a-terminal-token-that-is-wrong'),
    () => bearer(token(base62(8))),
    (n) => bearer(token(keyIds[n % keyIds.length])),
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

/** A token with a right checksum. */
function token(keyId) {
  const text = `rly_${keyId}_${base62(30)}`;
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = DIGITS[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return text + digits;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base62 = (length) => Array.from(randomBytes(length), (byte) => DIGITS[byte % 62]).join('');
