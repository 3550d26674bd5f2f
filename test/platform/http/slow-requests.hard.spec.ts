import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';

const TIMEOUT_MS = 300;

describe('REQUEST_TIMEOUT_MS (L7)', () => {
  const scenario = Scenario.ofSuite({ REQUEST_TIMEOUT_MS: String(TIMEOUT_MS) });
  let relay: TestRelay;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    ({ relay } = scenario);
    await relay.createRestaurant();
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  function open(url = relay.url): Socket {
    const { port, hostname } = new URL(url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    return socket.setEncoding('utf8').on('error', () => {});
  }

  /** Sends only this. @returns all that is received until the connection closes */
  async function stall(head: string, url?: string): Promise<string> {
    const socket = open(url);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write(head);
    await once(socket, 'close');
    return text;
  }
  const post = (path: string, headers: string[], body = '{"email":') =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: relay',
      'Content-Type: application/json',
      'Content-Length: 60000',
      ...headers,
      '',
      body,
    ].join('\r\n');
  const bodyOf = (text: string) => JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));

  test.each([
    ['no byte at all', ''],
    ['half of its headers', 'POST /auth/login HTTP/1.1\r\nHost: re'],
    ['half of a login', post('/auth/login', ['X-Request-Id: mine'])],
    ['half of a sale', post('/webhooks/terminal', [`Authorization: Bearer ${TERMINAL_TOKEN}`, 'X-Request-Id: mine'])],
    ['half of a sale with credentials in it', post('/webhooks/terminal', ['X-Request-Id: mine'])],
  ])('%s: 408 in the shape of every error, and the connection is closed', async (name, head) => {
    const text = await stall(head);
    expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    const requestId = name.startsWith('half of a ') ? 'mine' : expect.any(String);
    expect(bodyOf(text)).toEqual({
      statusCode: 408,
      error: 'Request Timeout',
      message: expect.any(String),
      code: 'REQUEST_TIMEOUT',
      requestId,
    });
    const loud = relay.logged.filter(
      ({ event, level }) => Number(level) >= 40 && !String(event).startsWith('database.'),
    );
    expect(loud).toEqual([]);
  });

  test('a wrong Authorization is a 401 before the body has arrived', async () => {
    const patient = await scenario.start({ REQUEST_TIMEOUT_MS: '50000' });
    for (const head of [
      post('/webhooks/terminal', ['Authorization: Bearer wrong']),
      post('/webhooks/terminal', ['Authorization: Bearer a.b.c']),
      post('/restaurants', ['Authorization: Bearer a.b.c']),
      post('/restaurants', []),
    ]) {
      const socket = open(patient.url);
      socket.write(head);
      const [text] = await once(socket, 'data');
      expect(text).toMatch(/^HTTP\/1\.1 401 /);
      socket.destroy();
    }
    await patient.close();
  });

  test('a request that was answered before its body arrived gets no 408', async () => {
    const text = await stall(post('/restaurants', []));
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test('an aborted upload is one log line at level debug', async () => {
    const other = await scenario.start();
    const socket = open(other.url);
    socket.write(post('/webhooks/terminal', [`Authorization: Bearer ${TERMINAL_TOKEN}`, 'X-Request-Id: aborted']));
    await once(other.app.getHttpServer(), 'request');
    socket.destroy();
    await other.hasLogged('http.client_gone');
    const lines = other.logged.filter(({ requestId }) => requestId === 'aborted');
    expect(lines).toEqual([expect.objectContaining({ level: 20, event: 'http.client_gone' })]);
    await other.close();
  });

  test('a stalled body does not delay the stop', async () => {
    const other = await scenario.start();
    open(other.url).write(post('/auth/login', []));
    await once(other.app.getHttpServer(), 'request');
    await other.close();
  });

  test('300 stalled bodies time out, and a sale is accepted meanwhile', async () => {
    const stalled = Array.from({ length: 300 }, () =>
      stall(post('/auth/login', [], `{"email":"${'x'.repeat(50_000)}`)),
    );
    await relay.accept(sale());
    const answers = await Promise.all(stalled);
    expect(answers.every((text) => text === '' || text.startsWith('HTTP/1.1 408'))).toBe(true);
    const connections = () =>
      new Promise<number>((resolve) =>
        relay.app.getHttpServer().getConnections((_: unknown, count: number) => resolve(count)),
      );
    expect(await connections()).toBeLessThan(20);
  });
});
