// Clients that send the same few requests without a pause, in a process of their own: each connection sends the next one when it has its answer.
import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from './processes.mjs';

serve({ ask, stop });

const LENGTH = /\r\ncontent-length: (\d+)/i;
/** How often connections that the server has closed are opened again; ms. */
const OPEN_EVERY_MS = 4;

let asking;

/**
 * Asks from now on, until `stop`.
 * @param requests of HTTP/1.1, whole; `{counter}` becomes a number of nine digits that is used once
 */
function ask({ url, requests, connections }) {
  const { hostname, port } = new URL(url);
  const all = new Set();
  const counts = {};
  let next = 0;
  const counted = (socket) => {
    const number = String(next++).padStart(9, '0');
    socket.write(requests[next % requests.length].replaceAll('{counter}', number));
  };
  const isCounted = requests.some((text) => text.includes('{counter}'));
  const send = isCounted ? counted : (socket) => socket.write(requests[next++ % requests.length]);
  const open = () => {
    const socket = createConnection({ host: hostname, port: Number(port), noDelay: true });
    all.add(socket);
    let read = '';
    socket.once('connect', () => send(socket));
    socket.on('error', () => {});
    socket.once('close', () => all.delete(socket));
    socket.on('data', (data) => {
      read += data.latin1Slice();
      const end = read.indexOf('\r\n\r\n');
      if (end < 0) return;
      const status = read.slice(9, 12);
      const length = Number(LENGTH.exec(read.slice(0, end))?.[1] ?? 0);
      if (read.length < end + 4 + length) return;
      read = '';
      counts[status] = (counts[status] ?? 0) + 1;
      if (!asking.isOver) send(socket);
    });
  };
  asking = { all, counts, since: performance.now(), isOver: false };
  const keepOpen = async () => {
    for (; !asking.isOver; await delay(OPEN_EVERY_MS)) while (all.size < connections) open();
  };
  void keepOpen();
}

/** @returns the answers a second, by status */
function stop() {
  asking.isOver = true;
  for (const socket of asking.all) socket.destroy();
  const seconds = (performance.now() - asking.since) / 1_000;
  return Object.fromEntries(Object.entries(asking.counts).map(([status, count]) => [status, count / seconds]));
}
