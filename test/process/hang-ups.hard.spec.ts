import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { sale } from '../support/client.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';
import type { RelayProcess } from './relay-process.js';

const MIB = 1_048_576;
const AT_ONCE = 100;
const ROUNDS = 8;
/** Memory may differ by some MiB between two collections; bodies or sockets that are never freed would take 50 MiB or more. */
const MARGIN_BYTES = 16 * MIB;
/** The connections of the database pool stay open. */
const POOL = 15;
/** On SIGUSR2: collects all garbage, and prints the bytes of heap and external buffers, and the open sockets. */
const COLLECTOR = `import { setFlagsFromString } from 'node:v8';
setFlagsFromString('--expose-gc');
const { runInNewContext } = await import('node:vm');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  console.log(JSON.stringify({ event: 'test.memory', bytes: heapUsed + external, sockets }));
});`;

describe('memory returns after hang-ups', () => {
  let scenario: Scenario;
  let relay: RelayProcess;

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses({
      LOG_LEVEL: 'info',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(COLLECTOR)}`,
    });
  });
  afterAll(() => scenario.close());

  /** Bytes in use after a full collection, once every client connection has closed. */
  async function memory(): Promise<number> {
    for (;;) {
      const seen = relay.lines.length;
      relay.signal('SIGUSR2');
      const line = await until(() => relay.lines.slice(seen).find(({ event }) => event === 'test.memory'));
      if (Number(line.sockets) <= POOL) return Number(line.bytes);
    }
  }

  function open(text: string): Socket {
    const { port, hostname } = new URL(relay.url);
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(text);
    return socket;
  }
  const request = (method: string, path: string, bytes: number, ...headers: string[]) =>
    [`${method} ${path} HTTP/1.1`, 'Host: relay', 'Content-Type: application/json', `Content-Length: ${bytes}`]
      .concat(headers, '', '')
      .join('\r\n');
  const terminal = `Authorization: Bearer ${TERMINAL_TOKEN}`;

  /** Sends most of a body, then disconnects. */
  async function inBody(path: string, size: number, ...headers: string[]): Promise<void> {
    const socket = open(request('POST', path, size, ...headers) + '{"email":"'.padEnd(size - 100, 'x'));
    await new Promise<void>((resolve) => socket.once('connect', () => socket.end(resolve)));
    socket.destroy();
  }

  /** Disconnects at the first bytes of a long answer, and before any byte of an answer. */
  async function inAnswer(): Promise<void> {
    const socket = open(request('GET', '/docs-json', 0));
    await once(socket, 'data');
    socket.destroy();
    const sold = JSON.stringify(sale({ storeCode: 'NOBODY' }));
    const selling = open(request('POST', '/webhooks/terminal', Buffer.byteLength(sold), terminal) + sold);
    await once(selling, 'connect');
    selling.destroy();
  }

  async function round(): Promise<void> {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        await inBody('/auth/login', 60_000);
        await inBody('/webhooks/terminal', 200_000, terminal);
        await inAnswer();
      }),
    );
  }

  test(`${AT_ONCE * ROUNDS} in the body of a login and of a sale, and in an answer: memory returns to that after the first`, async () => {
    relay = await scenario.startProcess();
    await relay.createRestaurant();
    // code is compiled, caches and pools are full
    for (let i = 0; i < 3; i++) await round();
    const before = await memory();
    for (let i = 0; i < ROUNDS; i++) await round();
    // sockets of the last round are freed some time later
    await until(async () => (await memory()) < before + MARGIN_BYTES, 60_000);
    await relay.accept(sale());
  }, 240_000);
});
