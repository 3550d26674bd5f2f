import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Connections } from '../../../src/platform/http/limits/connections.js';
import { Metrics } from '../../../src/platform/telemetry/metrics.js';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { until } from '../../support/until.js';

/** The most connections in these tests, in place of L21. */
const MOST = 5;
const METRICS_TOKEN = marked('token-of-the-metrics');
/** Loopback addresses besides 127.0.0.1 exist on Linux only. */
const onLinux = process.platform === 'linux' ? test : test.skip;

describe('connections beyond the limit (H24)', () => {
  const scenario = Scenario.ofSuite({ METRICS_TOKEN, REQUEST_TIMEOUT_MS: '600000' });
  let connections: Connections;
  let most: number;
  let jwt: string;
  /** the path of a printer */
  let printer: string;
  let sockets: Socket[] = [];

  beforeAll(async () => {
    connections = scenario.relay.get(Connections);
    most = connections.limits.connections;
    const id = await scenario.relay.createRestaurant();
    jwt = await scenario.relay.login();
    const { body } = await scenario.api.post(`/restaurants/${id}/printers`, jwt, { name: 'Bar' }).expect(201);
    printer = new URL(body.data.address, scenario.relay.url).pathname;
  });
  beforeEach(async () => {
    await until(async () => (await openNow()) === 0);
    connections.limits.connections = MOST;
  });
  afterEach(() => {
    for (const each of sockets) each.destroy();
    sockets = [];
    connections.limits.connections = most;
  });

  const openNow = () =>
    new Promise<number>((resolve) =>
      scenario.relay.app.getHttpServer().getConnections((_: unknown, count: number) => resolve(count)),
    );
  const displaced = async (result: string) => {
    const metric = scenario.relay.get(Metrics).registry.getSingleMetric('relay_connections_displaced_total');
    return (await metric?.get())?.values.find(({ labels }) => labels.result === result)?.value as number;
  };

  /** A connection from this address that the relay has accepted. */
  async function open(localAddress = '127.0.0.1') {
    const { hostname, port } = new URL(scenario.relay.url);
    const accepted = once(scenario.relay.app.getHttpServer(), 'connection');
    const socket = connect({ port: Number(port), host: hostname, localAddress });
    sockets.push(socket);
    const client = { socket, text: '', isClosed: false };
    socket.on('error', () => {});
    socket.on('close', () => {
      client.isClosed = true;
    });
    socket.on('data', (data) => {
      client.text += data.toString('latin1');
    });
    await accepted;
    return client;
  }
  type Client = Awaited<ReturnType<typeof open>>;

  /** Connections that send the beginning of a request without credentials. */
  async function strangers(count: number, localAddress?: string): Promise<Client[]> {
    const clients: Client[] = [];
    for (let n = 0; n < count; n++) {
      const client = await open(localAddress);
      client.socket.write(request('POST /webhooks/terminal', ['Content-Length: 1000000'], '{'));
      clients.push(client);
    }
    return clients;
  }
  const request = (line: string, headers: string[], body = '') =>
    [`${line} HTTP/1.1`, 'Host: relay', 'Content-Type: application/json', ...headers, '', body].join('\r\n');
  const signed = (token: string) => `Authorization: Bearer ${token}`;
  const saleOf = (token: string) => {
    const body = JSON.stringify(sale());
    return request('POST /webhooks/terminal', [signed(token), `Content-Length: ${Buffer.byteLength(body)}`], body);
  };

  async function answered(client: Client, text: string, status: number): Promise<void> {
    client.text = '';
    client.socket.write(text);
    await until(() => client.text.startsWith(`HTTP/1.1 ${status} `));
  }
  /** Others take all connections twice, and this one is still open. */
  async function isKept(client: Client): Promise<void> {
    const clients = await strangers(2 * MOST);
    expect(await closedOf(clients, MOST + 1)).toEqual(Array.from({ length: MOST + 1 }, (_, index) => index));
    expect(client.isClosed).toBe(false);
  }
  /** Which of them are closed, once as many are as are to be. */
  async function closedOf(clients: Client[], count: number): Promise<number[]> {
    await until(() => clients.filter(({ isClosed }) => isClosed).length >= count);
    return clients.flatMap(({ isClosed }, index) => (isClosed ? [index] : []));
  }

  test('the limit of a relay is that of its open files, and Node has none of its own (L21)', () => {
    expect(most).toBe(2_000);
    expect(scenario.relay.app.getHttpServer().maxConnections ?? 0).toBe(0);
  });

  test('strangers who hold all connections do not keep out a sender: their oldest one is closed (H24)', async () => {
    const before = await displaced('unauthenticated');
    const clients = await strangers(MOST);
    const sender = await open();
    await answered(sender, saleOf(TERMINAL_TOKEN), 200);
    expect(await closedOf(clients, 1)).toEqual([0]);
    expect(await displaced('unauthenticated')).toBe(before + 1);
    expect(scenario.relay.logged).toContainEqual(
      expect.objectContaining({ event: 'http.connection_displaced', connections: MOST + 1 }),
    );
  });

  test('never more than the limit are open (H24, L21)', async () => {
    for (let n = 0; n < 3 * MOST; n++) {
      await strangers(1);
      expect(await openNow()).toBe(Math.min(n + 1, MOST));
    }
    // those that have closed make room again
    for (const each of sockets) each.destroy();
    await until(async () => (await openNow()) === 0);
    const before = await displaced('unauthenticated');
    await strangers(MOST);
    expect(await displaced('unauthenticated')).toBe(before);
  });

  test.each<[string, () => string]>([
    ['a sale', () => saleOf(TERMINAL_TOKEN)],
    ['a question for receipts', () => request('GET /webhooks/terminal/receipts', [signed(TERMINAL_TOKEN)])],
    ['a read of the metrics', () => request('GET /admin/metrics/prometheus', [signed(METRICS_TOKEN)])],
    ['a request with a JWT', () => request('GET /restaurants', [signed(jwt)])],
    ["a printer's poll", () => request(`POST ${printer}`, ['Content-Length: 2'], '{}')],
  ])('a connection that has had %s is not closed for others (H24)', async (_, text) => {
    const sender = await open();
    await answered(sender, text(), 200);
    await isKept(sender);
  });

  test('a connection is kept from the credentials of a sale on, also while its body arrives (H24)', async () => {
    const requested = once(scenario.relay.app.getHttpServer(), 'request');
    const sender = await open();
    sender.socket.write(request('POST /webhooks/terminal', [signed(TERMINAL_TOKEN), 'Content-Length: 1000000'], '{'));
    await requested;
    await isKept(sender);
  });

  test('a connection is kept for requests without credentials that follow those of a sender (H24)', async () => {
    const sender = await open();
    await answered(sender, saleOf(TERMINAL_TOKEN), 200);
    await answered(sender, request('GET /webhooks/terminal/receipts', [signed('wrong')]), 401);
    await isKept(sender);
  });

  test('a refused request is none of an authenticated sender (H24)', async () => {
    const refused = await open();
    await answered(refused, request('GET /webhooks/terminal/receipts', [signed('wrong')]), 401);
    await answered(refused, request('GET /health/live', []), 200);
    await strangers(MOST);
    await until(() => refused.isClosed);
  });

  onLinux('the network with most connections gives way, however old the others are (H24)', async () => {
    const [first, few] = [await strangers(1, '127.0.0.2'), await strangers(2, '127.0.0.3')];
    const many = await strangers(2, '127.0.0.4');
    // with the new one its network has the most
    many.push(...(await strangers(1, '127.0.0.4')));
    expect(await closedOf(many, 1)).toEqual([0]);
    many.push(...(await strangers(1, '127.0.0.4')));
    expect(await closedOf(many, 2)).toEqual([0, 1]);
    expect([...first, ...few].map(({ isClosed }) => isClosed)).toEqual([false, false, false]);
  });

  test('a sender that holds all connections does not keep out others: it loses the one that it has not used for the longest time (H24)', async () => {
    const before = await displaced('largest sender');
    const [{ token }, { token: ofOther }] = [await scenario.restaurant(), await scenario.restaurant()];
    await until(async () => (await openNow()) === 0);
    const mine: Client[] = [];
    for (let n = 0; n < MOST - 1; n++) {
      const client = await open();
      await answered(client, request('GET /auth/me', [signed(token)]), 200);
      mine.push(client);
    }
    const other = await open();
    await answered(other, request('GET /auth/me', [signed(ofOther)]), 200);
    const newcomer = await open();
    await answered(newcomer, saleOf(TERMINAL_TOKEN), 200);
    expect(await closedOf(mine, 1)).toEqual([0]);
    await answered(await open(), request('GET /health/live', []), 200);
    expect(await closedOf(mine, 2)).toEqual([0, 1]);
    expect([other.isClosed, newcomer.isClosed]).toEqual([false, false]);
    expect(await displaced('largest sender')).toBe(before + 2);
  });

  test('a sender that holds more than its part loses its own, and not the connection of one who begins (H24, L253)', async () => {
    const [{ token }, { token: ofOther }] = [await scenario.restaurant(), await scenario.restaurant()];
    await until(async () => (await openNow()) === 0);
    const mine: Client[] = [];
    const more = async () => {
      const client = await open();
      mine.push(client);
      await answered(client, request('GET /auth/me', [signed(token)]), 200);
    };
    for (let n = 0; n < MOST - 1; n++) await more();
    // it has sent nothing yet, and is of the same network as the others
    const beginner = await open();
    for (let n = 0; n < MOST; n++) await more();
    expect(await closedOf(mine, MOST)).toEqual(Array.from({ length: MOST }, (_, index) => index));
    expect(beginner.isClosed).toBe(false);
    await answered(beginner, request('GET /auth/me', [signed(ofOther)]), 200);
  });

  onLinux(
    'networks that hold few are alike: the oldest connection of all is closed, not one of a network with two (H24, L254)',
    async () => {
      const { connections: limit } = connections.limits;
      connections.limits.connections = 200;
      const many: Client[] = [];
      for (let n = 2; n <= 199; n++) many.push(...(await strangers(1, `127.0.1.${n}`)));
      const two = await strangers(2, '127.0.2.1');
      const next: Client[] = [];
      for (let n = 1; n <= 5; n++) next.push(...(await strangers(1, `127.0.3.${n}`)));
      expect(await closedOf(many, 5)).toEqual([0, 1, 2, 3, 4]);
      expect([...two, ...next].map(({ isClosed }) => isClosed)).toEqual(Array.from({ length: 7 }, () => false));
      connections.limits.connections = limit;
    },
  );

  test('the connections of the people, keys, POSs and printers of one founder count together (H24, O44)', async () => {
    const { id, token, owner } = await scenario.restaurant();
    const { body } = await scenario.api.post(`/restaurants/${id}/printers`, owner.token, { name: 'Bar' }).expect(201);
    const address = new URL(body.data.address, scenario.relay.url).pathname;
    await until(async () => (await openNow()) === 0);
    const mine: Client[] = [];
    for (const text of [
      request('GET /auth/me', [signed(token)]),
      request(`POST ${address}`, ['Content-Length: 2'], '{}'),
      request('GET /auth/me', [signed(owner.token)]),
    ]) {
      const client = await open();
      await answered(client, text, 200);
      mine.push(client);
    }
    const { connections: limit } = connections.limits;
    connections.limits.connections = 3;
    const newcomer = await open();
    await answered(newcomer, saleOf(TERMINAL_TOKEN), 200);
    expect(await closedOf(mine, 1)).toEqual([0]);
    connections.limits.connections = limit;
  });

  test('the connections of the platform, and the only one of a sender, are not closed: the new one is (H24)', async () => {
    const before = await displaced('new');
    const senders: Client[] = [];
    for (let n = 0; n < MOST; n++) {
      const sender = await open();
      await answered(sender, saleOf(TERMINAL_TOKEN), 200);
      senders.push(sender);
    }
    const [newcomer] = await strangers(1);
    await until(() => newcomer?.isClosed);
    expect(senders.map(({ isClosed }) => isClosed)).toEqual(senders.map(() => false));
    expect(await displaced('new')).toBe(before + 1);
  });
});
