import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Config, loadConfig } from '../../../src/platform/config/config.js';
import { type HostAddress, HostResolver } from '../../../src/platform/outbound/host-resolver.js';
import { OutboundTransport } from '../../../src/platform/outbound/outbound-transport.js';
import { ENVIRONMENT, NO_POS } from '../../support/environment.js';
import { until } from '../../support/until.js';

const NOT_PUBLIC = { failure: 'REFUSED', reason: 'the address does not lead to the public internet' };
const LOOPBACK: HostAddress = { address: '127.0.0.1', family: 4 };
const PUBLIC: HostAddress = { address: '203.0.114.1', family: 4 };

const configOf = (allow: string): Config =>
  loadConfig({
    ...ENVIRONMENT,
    ...{ DATABASE_URL: 'postgresql://relay@db.example/relay', POS_BASE_URL: NO_POS, OUTBOUND_ALLOW: allow },
  });

/** A transport for which every name leads to these addresses, one list for each look-up. */
function transportWith(allow: string, ...answers: HostAddress[][]): OutboundTransport {
  const resolve = async () => answers.shift() ?? [];
  return new OutboundTransport(configOf(allow), Object.assign(new HostResolver(), { resolve }));
}

describe('the transport for addresses that people typed', () => {
  let server: Server;
  let answer: RequestListener;
  let port: number;
  let calls: { method?: string; url?: string; headers: NodeJS.Dict<string | string[]>; body: string }[];

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      calls.push({ method: request.method, url: request.url, headers: request.headers, body } as never);
      answer(request, response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    ({ port } = server.address() as AddressInfo);
  });
  beforeEach(() => {
    calls = [];
    answer = (_, response) => response.writeHead(200, { 'x-part': 'one' }).end('taken');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const post = (transport: OutboundTransport, url = `http://hooks.internal:${port}/path?a=b`, timeoutMs?: number) =>
    transport.post(url, { headers: { 'Content-Type': 'application/json' }, body: '{}' }, { timeoutMs });

  test('an answer with too many interim ones is none, and its connection is closed (G28, L168)', async () => {
    const connections: Socket[] = [];
    server.on('connection', (socket: Socket) => connections.push(socket));
    answer = (request, response) => {
      request.socket.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100));
      response.end('taken');
    };
    const transport = transportWith('127.0.0.0/8');
    expect(await post(transport, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
    answer = (request) => {
      const { socket } = request;
      const flood = () => {
        while (!socket.destroyed && socket.write('HTTP/1.1 102 Processing\r\nX: y\r\n\r\n'.repeat(50)));
      };
      socket.on('drain', flood);
      flood();
    };
    const call = post(transport, `http://127.0.0.1:${port}/`);
    await expect(call).rejects.toMatchObject({ failure: 'UNANSWERED', reason: 'no answer (TOO_MANY_INTERIM)' });
    await until(() => connections.every(({ destroyed }) => destroyed));
  });

  test('an exception of OUTBOUND_ALLOW is called, by name and by address (G28)', async () => {
    const sent = await post(transportWith('hooks.internal', [LOOPBACK]));
    expect(sent).toEqual({ status: 200, headers: expect.objectContaining({ 'x-part': 'one' }), body: 'taken' });
    await post(transportWith('127.0.0.0/8'), `http://127.0.0.1:${port}/`);
    expect(calls).toMatchObject([
      { method: 'POST', url: '/path?a=b', body: '{}', headers: { host: `hooks.internal:${port}` } },
      { url: '/' },
    ]);
  });

  test('a network of OUTBOUND_ALLOW allows what a name leads to, and only that (G28)', async () => {
    const url = 'https://hooks.example:8443/';
    // TLS fails: the connection was made
    const reached = post(transportWith('127.0.0.0/8', [LOOPBACK]), url);
    await expect(reached).rejects.toMatchObject({ failure: 'UNANSWERED' });
    await expect(post(transportWith('10.0.0.0/8', [LOOPBACK]), url)).rejects.toMatchObject(NOT_PUBLIC);
  });

  test.each(['127.0.0.1', '10.0.0.1', '::1', '::7f00:1', '::ffff:127.0.0.1', '169.254.169.254', 'fe80::1%eth0'])(
    'a name that leads to %s is not called (G28)',
    async (address) => {
      const transport = transportWith('', [{ address, family: address.includes(':') ? 6 : 4 }]);
      await expect(post(transport, `https://hooks.example/`)).rejects.toMatchObject(NOT_PUBLIC);
      expect(calls).toEqual([]);
    },
  );

  test('a look-up that changes its answer leads nowhere else: each connection is checked (G28)', async () => {
    let found = [PUBLIC];
    const resolve = async () => found;
    const transport = new OutboundTransport(configOf(''), Object.assign(new HostResolver(), { resolve }));
    const url = 'https://hooks.example/';
    expect(transport.refusalOf(url)).toBeUndefined();
    await expect(post(transport, url, 50)).rejects.toMatchObject({ failure: 'UNANSWERED' });
    found = [LOOPBACK];
    await expect(post(transport, url)).rejects.toMatchObject(NOT_PUBLIC);
    // of several addresses only the public one is tried
    found = [PUBLIC, LOOPBACK];
    await expect(post(transport, url, 50)).rejects.toMatchObject({ failure: 'UNANSWERED' });
    expect(calls).toEqual([]);
  });

  test.each([`http://127.0.0.1`, 'https://127.0.0.1', 'https://[::1]', 'https://2130706433', 'https://0x7f.1'])(
    'the literal %s is not called: connectors do not look it up (G28)',
    async (url) => {
      await expect(post(transportWith(''), url)).rejects.toMatchObject({ failure: 'REFUSED' });
    },
  );

  test.each([301, 302, 303, 307, 308, 304])('HTTP %i is a failure: no redirect is followed (G28)', async (status) => {
    answer = (_, response) => response.writeHead(status, { Location: `http://127.0.0.1:${port}/inside` }).end();
    await expect(post(transportWith('hooks.internal', [LOOPBACK]))).rejects.toMatchObject({
      failure: 'REDIRECT',
      reason: `the other side answered HTTP ${status}: redirects are not followed`,
    });
    expect(calls).toHaveLength(1);
  });

  test('an answer without end is read up to 4 KiB (L40)', async () => {
    answer = (_, response) => {
      const write = () => !response.destroyed && response.write('x'.repeat(1_000), write);
      response.writeHead(200);
      write();
    };
    expect((await post(transportWith('hooks.internal', [LOOPBACK]))).body).toBe('x'.repeat(4_096));
  });

  test.each<[string, RequestListener]>([
    ['never answers', () => {}],
    ['begins and never ends', (_, response) => response.writeHead(200).write('x')],
  ])('a server that %s ends with the deadline (L40)', async (_, listener) => {
    answer = listener;
    await expect(post(transportWith('hooks.internal', [LOOPBACK]), undefined, 100)).rejects.toMatchObject({
      failure: 'UNANSWERED',
      reason: 'no answer within 0 s',
    });
  });

  test('a look-up that never answers ends with the deadline (L40)', async () => {
    const resolve = () => new Promise<never>(() => {});
    const transport = new OutboundTransport(configOf(''), Object.assign(new HostResolver(), { resolve }));
    await expect(post(transport, 'https://hooks.example/', 100)).rejects.toMatchObject({ failure: 'UNANSWERED' });
  });

  test('a reason never has the address, which may be a secret (G28)', async () => {
    const url = `http://hooks.internal:1/secret-path`;
    const error = await post(transportWith('hooks.internal', [LOOPBACK]), url).catch((thrown) => thrown);
    expect(error).toMatchObject({ failure: 'UNANSWERED', reason: 'no answer (ECONNREFUSED)' });
    expect(JSON.stringify([error.message, error.reason, error])).not.toContain('secret-path');
  });
});
