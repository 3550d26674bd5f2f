// A POS that accepts everything, as a process: it accepts every sign-in and answers every order at once. It notes when
// each expected order arrived, by the number at the end of its key.
import { createServer } from 'node:http';
import { serve, tell } from './processes.mjs';
import { now } from './statistics.mjs';

const KEY = /"(?:order_id|transactionKey)":"([^"]*)-(\d+)"/;
const STORE = /"cod_store":"([^"]*)"/;
const TOKEN = JSON.stringify({ token: 'token-of-the-benchmark', expires_in: 86_400 });

/** A store of `turning` answers every second order late: within the usual POS_TIMEOUT_MS, ms. */
const LATE_MS = 9_500;

let expected = { prefix: '', count: 0, hole: undefined, turning: [] };
/** orders of each store of `turning` */
const turns = new Map();
/** when each order arrived first, in ms; 0: not yet */
let arrivals = new Float64Array(0);
let distinct = 0;
let requests = 0;
/** orders since the start, expected or not */
let total = 0;
let first = 0;
let last = 0;

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url === '/auth') return answer(response, TOKEN);
    // spans: it is the collector too
    if (request.url === '/v1/traces') return answer(response, '{}');
    const body = chunks.length === 1 ? chunks[0].toString() : Buffer.concat(chunks).toString();
    if (expected.hole !== undefined && STORE.exec(body)?.[1] === expected.hole) return undefined;
    note(KEY.exec(body));
    if (isLate(body)) return setTimeout(() => answer(response, '{}'), LATE_MS);
    return answer(response, '{}');
  });
});
// a client chooses when to close; the receiver never closes first
server.keepAliveTimeout = 600_000;

function answer(response, text) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  response.end(text);
}

function isLate(body) {
  if (expected.turning.length === 0) return false;
  const store = STORE.exec(body)?.[1];
  if (!expected.turning.includes(store)) return false;
  turns.set(store, (turns.get(store) ?? 0) + 1);
  return turns.get(store) % 2 === 0;
}

function note(key) {
  total++;
  if (key?.[1] !== expected.prefix) return;
  requests++;
  const number = Number(key[2]);
  if (number >= arrivals.length || arrivals[number] > 0) return;
  last = now();
  arrivals[number] = last;
  distinct++;
  if (distinct === 1) {
    first = last;
    tell('first', first);
  }
  if (distinct === expected.count) tell('full', last);
}

serve({
  /** @returns its URL */
  listen: () =>
    new Promise((done) => server.listen(0, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}`))),

  /**
   * Forgets what arrived, and expects `count` orders whose keys begin with `prefix`: sends the events `first` and `full`.
   * @param hole the store whose orders are never answered
   * @param turning the stores that answer every second order late
   */
  expect({ prefix, count, hole, turning = [] }) {
    expected = { prefix, count, hole, turning };
    arrivals = new Float64Array(count);
    distinct = 0;
    requests = 0;
    first = 0;
    last = 0;
  },

  /**
   * @param from a time: the rate is of what arrived after it; default: the first arrival
   * @returns `perSecond` since then; `warm`: of the last nine tenths; `doubled`: requests that repeated an order
   */
  summary(from = first) {
    const sorted = arrivals.filter((at) => at > 0).sort();
    const tenth = Math.floor(sorted.length / 10);
    return {
      orders: distinct,
      doubled: requests - distinct,
      first,
      last,
      perSecond: rateAfter(sorted, Math.max(from, first)),
      warm: sorted.length > 10 ? rateAfter(sorted, sorted[tenth]) : Number.NaN,
    };
  },

  /** How many orders came since the start, expected or not: its memory does not grow with them. */
  total: () => total,

  /** How many of the expected orders have arrived. */
  distinct: () => distinct,

  /** When each order arrived, by number; 0: it has not. */
  arrivals: () => [...arrivals],
});

function rateAfter(sorted, from) {
  const count = sorted.filter((at) => at > from).length;
  return (count / (last - from)) * 1_000;
}
