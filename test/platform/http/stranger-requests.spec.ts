import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { StrangerRequests } from '../../../src/platform/http/limits/stranger-requests.js';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';

/** No test lasts as long, ms. */
const NEVER = 600_000;
/** Loopback addresses besides 127.0.0.1 exist on Linux only. */
const onLinux = process.platform === 'linux' ? test : test.skip;
const LIVE = 'GET /health/live HTTP/1.1\r\nHost: relay\r\n\r\n';

describe('requests of strangers (H25)', () => {
  const scenario = Scenario.ofSuite();
  let strangers: StrangerRequests;
  let intervalMs: number;
  let sockets: Socket[] = [];

  beforeAll(async () => {
    await scenario.restaurant('STORE-1');
    strangers = scenario.relay.get(StrangerRequests);
    intervalMs = strangers.limits.intervalMs;
  });
  afterEach(() => {
    for (const each of sockets) each.destroy();
    sockets = [];
    strangers.limits.intervalMs = intervalMs;
  });

  /** A connection, and how many answers it has had. */
  function open(localAddress = '127.0.0.1') {
    const { hostname, port } = new URL(scenario.relay.url);
    const socket = connect({ port: Number(port), host: hostname, localAddress });
    sockets.push(socket);
    const client = { socket, text: '', answers: () => client.text.split('HTTP/1.1 200 ').length - 1 };
    socket.on('error', () => {});
    socket.on('data', (data) => {
      client.text += data.toString('latin1');
    });
    return client;
  }
  type Client = ReturnType<typeof open>;

  async function answered(client: Client, text: string): Promise<void> {
    const before = client.answers();
    client.socket.write(text);
    await until(() => client.answers() === before + 1);
  }
  const saleText = () => {
    const body = JSON.stringify(sale());
    const head = `POST /webhooks/terminal HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer ${TERMINAL_TOKEN}\r\n`;
    return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  const waiting = (network = '127.0.0.1') => strangers.turns.of(network).waiting;
  /** A connection that has had its first request. */
  async function used(localAddress?: string): Promise<Client> {
    const client = open(localAddress);
    await answered(client, LIVE);
    return client;
  }
  /** Takes the turn of all strangers. @returns ends it */
  const takeTurn = () => strangers.turns.take('another', () => new AbortController().signal);

  test('after the first one they wait for their turn; those of senders and of new connections do not (H25)', async () => {
    const [stranger, sender] = [await used(), await used()];
    await answered(sender, saleText());
    const end = await takeTurn();
    stranger.socket.write(LIVE);
    await until(() => waiting() === 1);
    await answered(sender, saleText());
    await answered(open(), saleText());
    await answered(open(), LIVE);
    expect([stranger.answers(), waiting()]).toEqual([1, 1]);
    end();
    await until(() => stranger.answers() === 2);
  });

  test('a request of a sender lets one of nobody begin at once, and no more on its connection (H25)', async () => {
    const sender = open();
    await answered(sender, saleText());
    const end = await takeTurn();
    await answered(sender, LIVE);
    sender.socket.write(LIVE);
    await until(() => waiting() === 1);
    expect(sender.answers()).toBe(2);
    end();
    await until(() => sender.answers() === 3);
    await answered(sender, saleText());
    await answered(sender, saleText());
  });

  onLinux('networks take turns (H25)', async () => {
    const [first, second, other] = [await used(), await used(), await used('127.0.0.2')];
    const order: string[] = [];
    const clients: [string, Client][] = [
      ['first', first],
      ['second', second],
      ['of another network', other],
    ];
    const end = await takeTurn();
    for (const [name, { socket }] of clients) {
      const before = waiting() + waiting('127.0.0.2');
      socket.once('data', () => order.push(name));
      socket.write(LIVE);
      await until(() => waiting() + waiting('127.0.0.2') === before + 1);
    }
    end();
    await until(() => order.length === 3);
    expect(order).toEqual(['first', 'of another network', 'second']);
  });

  test('one whose client has gone does not begin (H25)', async () => {
    const [gone, left] = [await used(), await used()];
    const end = await takeTurn();
    gone.socket.write('GET /nowhere HTTP/1.1\r\nHost: relay\r\n\r\n');
    await until(() => waiting() === 1);
    left.socket.write(LIVE);
    await until(() => waiting() === 2);
    gone.socket.destroy();
    await until(() => waiting() === 1);
    end();
    await until(() => left.answers() === 2);
    expect(scenario.relay.logged.filter(({ path }) => path === '/nowhere')).toEqual([]);
  });

  // the last test: its interval does not end
  test('one begins in an interval, and the others after it (H25, L193)', async () => {
    expect(intervalMs).toBe(2);
    const clients = [await used(), await used(), await used()];
    await until(() => strangers.turns.of('127.0.0.1').underWay === 0);
    strangers.limits.intervalMs = NEVER;
    for (const { socket } of clients) socket.write(LIVE);
    await until(() => waiting() === 2);
    await answered(open(), LIVE);
    expect(clients.map((client) => client.answers()).sort()).toEqual([1, 1, 2]);
  });
});

describe('connections that were reset before they were accepted (H26)', () => {
  const scenario = Scenario.ofSuite();

  test('Node reads nothing from them (H26)', async () => {
    const server = scenario.relay.app.getHttpServer();
    const accepted = once(server, 'connection') as Promise<[Socket & { parser?: unknown }]>;
    const reset = `const s = require('node:net').connect(${new URL(scenario.relay.url).port}, '127.0.0.1', () => s.resetAndDestroy())`;
    // this process, and so the relay, stands until the client has ended
    expect(spawnSync(process.execPath, ['-e', reset]).status).toBe(0);
    const [socket] = await accepted;
    expect([socket.destroyed, socket.parser]).toEqual([true, undefined]);
  });
});
