import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { PosHttp } from '../../src/pos/http-transport.js';
import { OrderTransport } from '../../src/pos/order-transport.js';
import { Quietness } from '../../src/pos/quiet-connections.js';
import { until } from '../support/until.js';

const TIMEOUT_MS = 300;
/** No call takes so long, on any machine. */
const NO_TIMEOUT_MS = 20_000;
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

describe('the transport of orders (D4 to D6, D17)', () => {
  let server: Server;
  let transport: OrderTransport;
  let sockets: Socket[];
  let requests: string[];
  let url: string;
  /** answers a request; `n` counts from 0 */
  let answer: (socket: Socket, n: number) => void;

  beforeEach(async () => {
    sockets = [];
    requests = [];
    // a packet is sent at once, not when the one before is acknowledged
    server = createServer({ noDelay: true }, (socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.on('data', (data) => {
        requests.push(String(data));
        answer(socket, requests.length - 1);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    transport = new OrderTransport({ connections: 4, timeoutMs: TIMEOUT_MS });
  });

  /** The second call uses the connection of the first. */
  const withOneConnection = () => {
    transport = new OrderTransport({ connections: 1, timeoutMs: NO_TIMEOUT_MS });
  };
  afterEach(async () => {
    await transport.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const post = (path = '/order') => transport.request('POST', url, path, { secret: 'a-secret' }, '{"order_id":"1"}');
  const answering = (...chunks: (string | Buffer)[]) => {
    answer = (socket) => {
      for (const chunk of chunks) socket.write(chunk);
    };
    return post();
  };
  /** Writes the head, then `drop` every 20 ms until the connection is closed. */
  const dripping = (head: string, drop: string) => {
    answer = (socket) => {
      socket.write(head);
      const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(drop)), 20);
    };
    return post();
  };
  const late = { kind: 'unanswered', reach: 'UNKNOWN', code: 'TIMEOUT' };

  test('a request has the path below the base URL, the headers and the body, and ignores a proxy', async () => {
    process.env.http_proxy = 'http://127.0.0.1:9';
    answer = (socket) => socket.write(OK);
    const exchange = await transport.request('POST', `${url}/api`, '/order', { secret: 'a-secret' }, '{"a":1}');
    process.env.http_proxy = undefined;
    expect(exchange).toEqual({ kind: 'answered', status: 200, retryAfter: undefined, body: '{}', broken: false });
    const [head, body] = (requests[0] as string).split('\r\n\r\n') as [string, string];
    expect(head).toMatch(/^POST \/api\/order HTTP\/1\.1\r\n/);
    for (const line of ['Content-Type: application/json', 'secret: a-secret', 'content-length: 7'])
      expect(head.split('\r\n')).toContain(line);
    expect(body).toBe('{"a":1}');
  });

  describe('an answer that nobody asked for (D26)', () => {
    /** Answers with the path of the request, and with a surplus answer `afterMs` later; undefined: together with the answer. */
    const surplus = (afterMs?: number, bytes = answerOf('surplus')) => {
      answer = (socket, n) => {
        const own = answerOf(requests[n]?.split(' ')[1]);
        if (afterMs === undefined) socket.write(own + bytes);
        else {
          socket.write(own);
          setTimeout(() => socket.write(bytes), afterMs);
        }
      };
    };
    const answerOf = (text: unknown) => `HTTP/1.1 200 OK\r\nContent-Length: ${String(text).length}\r\n\r\n${text}`;
    const bodies = (exchanges: readonly unknown[]) => exchanges.map((exchange) => (exchange as { body: string }).body);

    test.each([undefined, 10, 40])(
      'is never the answer to the next request: %s ms after the first',
      async (afterMs) => {
        withOneConnection();
        surplus(afterMs);
        const paths = ['/order/1', '/order/2', '/order/3'];
        expect(bodies(await Promise.all(paths.map(post)))).toEqual(paths);
        expect(sockets).toHaveLength(3);
      },
    );

    test('a sign-in has a connection of its own: no other one gets its token', async () => {
      surplus(5);
      const http = new PosHttp();
      const tokens = [];
      // the first call of a process takes long on a busy machine, and is not what is tried here
      for (const path of ['/a', '/b', '/c', '/d']) tokens.push(await http.post(url + path, {}, undefined, 10_000));
      expect(bodies(tokens)).toEqual(['/a', '/b', '/c', '/d']);
      expect(sockets).toHaveLength(4);
      http.close();
    });

    test('makes each further request have a connection of its own, and is reported', async () => {
      const origins: string[] = [];
      transport = new OrderTransport({ connections: 1, timeoutMs: NO_TIMEOUT_MS }, (origin) => origins.push(origin));
      surplus(10);
      expect(bodies(await Promise.all([post('/0'), post('/1')]))).toEqual(['/0', '/1']);
      surplus(0, '');
      for (const path of ['/2', '/3', '/4']) expect(await post(path)).toMatchObject({ body: path });
      expect(sockets).toHaveLength(5);
      expect(requests.map((text) => /connection: close/i.test(text))).toEqual([false, true, true, true, true]);
      expect(origins).toEqual([url]);
    });

    test('a connection that the POS closes while a request waits for silence has sent nothing: another one has the request', async () => {
      withOneConnection();
      answer = (socket, n) => {
        socket.write(answerOf(n));
        if (n === 0) setTimeout(() => socket.end(), 20);
      };
      expect(bodies(await Promise.all([post(), post()]))).toEqual(['0', '1']);
      expect(requests).toHaveLength(2);
    });

    test('an empty line after a body is none: the connection is used again', async () => {
      withOneConnection();
      surplus(10, '\r\n');
      expect(bodies(await Promise.all([post('/0'), post('/1')]))).toEqual(['/0', '/1']);
      expect(sockets).toHaveLength(1);
    });

    test('a POS that was silent 20 times is known to be quiet: its connections are used again at once, but for once in 10 s (L212, L213)', () => {
      let clock = 0;
      const quietness = new Quietness(undefined, () => clock);
      for (let n = 0; n < 20; n++) {
        expect([quietness.holdMs(0, 0), quietness.holdMs(70, 0), quietness.holdMs(200, 0)]).toEqual([100, 30, 0]);
        quietness.silent();
      }
      expect([quietness.holdMs(0, 9_999), quietness.allowsReuse]).toEqual([0, true]);
      // its connection may have been busy since the first surplus answer
      expect(quietness.holdMs(0, 10_000)).toBe(100);
      quietness.surplus();
      clock = 599_999;
      expect(quietness.allowsReuse).toBe(false);
      clock = 600_000;
      expect([quietness.holdMs(0, 0), quietness.allowsReuse]).toEqual([100, true]);
    });
  });

  test('without a body none is sent', async () => {
    answer = (socket) => socket.write(OK);
    await transport.request('POST', url, '/cancel-order', {});
    expect(requests[0]).toMatch(/content-length: 0\r\n\r\n$/);
  });

  test('a GET has no body, and the same headers and limits', async () => {
    const get = () => transport.request('GET', `${url}/api`, '/order/T-1?cod_store=7', { secret: 'a-secret' });
    answer = (socket) => socket.write(OK);
    expect(await get()).toMatchObject({ kind: 'answered', status: 200, body: '{}' });
    expect(requests[0]).toMatch(/^GET \/api\/order\/T-1\?cod_store=7 HTTP\/1\.1\r\n/);
    expect(requests[0]).toMatch(/secret: a-secret\r\n/);
    expect(requests[0]).toMatch(/\r\n\r\n$/);
    answer = () => {};
    expect(await get()).toMatchObject(late);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['no answer', () => answering()],
    ['a status line that never ends', () => dripping('HTTP/1.1 200 ', 'O')],
    ['headers without end', () => dripping('HTTP/1.1 200 OK\r\n', 'X: 1\r\n')],
    ['only interim answers', () => dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('one deadline for the whole call: %s', async (_, call) => {
    expect(await call()).toMatchObject(late);
    await until(() => sockets[0]?.destroyed === true);
  });

  test('one deadline for the whole call: a slow body is broken, its status is known', async () => {
    const exchange = await dripping('HTTP/1.1 400 Bad Request\r\nContent-Length: 1000\r\n\r\n', 'x');
    expect(exchange).toMatchObject({ kind: 'answered', status: 400, broken: true });
    await until(() => sockets[0]?.destroyed === true);
  });

  test('an answer that arrived in time counts, although the process was too busy to read it before the deadline (D4)', async () => {
    answer = (socket) => {
      socket.write(OK);
      const busyUntil = performance.now() + TIMEOUT_MS + 10;
      while (performance.now() < busyUntil);
    };
    expect(await post()).toMatchObject({ kind: 'answered', status: 200, body: '{}', broken: false });
  });

  test('each call has its own deadline', async () => {
    answer = (socket, n) => n % 2 === 0 && socket.write(OK);
    const exchanges = await Promise.all([post(), post(), post(), post()]);
    expect(exchanges.map(({ kind }) => kind).sort()).toEqual(['answered', 'answered', 'unanswered', 'unanswered']);
    expect(await post()).toMatchObject({ kind: 'answered' });
  });

  test('a call that waits for a connection until its deadline is never sent', async () => {
    answer = () => {};
    const exchanges = await Promise.all([post(), post(), post(), post(), post()]);
    for (const exchange of exchanges) expect(exchange).toMatchObject(late);
    answer = (socket) => socket.write(OK);
    await post();
    expect(requests).toHaveLength(5);
  });

  test('any status is an answer, and a redirect is not followed', async () => {
    const head = 'HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n';
    expect(await answering(head)).toEqual({ kind: 'answered', status: 302, retryAfter: '7', body: '', broken: false });
    expect(requests).toHaveLength(1);
  });

  test('a body is cut at 64 KiB, and the connection with it', async () => {
    const exchange = await answering('HTTP/1.1 422 No\r\nContent-Length: 5000000\r\n\r\n', Buffer.alloc(200_000, 'x'));
    expect(exchange).toMatchObject({ kind: 'answered', status: 422, broken: false, body: 'x'.repeat(65_536) });
    await until(() => sockets[0]?.destroyed === true);
  });

  test.each<[string, string]>([
    ['a body that breaks off', 'HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\n{"errorCode'],
    ['a chunk that breaks off', 'HTTP/1.1 400 Bad Request\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"errorCode'],
  ])('%s: the status is known, the body broken', async (_, text) => {
    answer = (socket) => socket.end(text);
    expect(await post()).toMatchObject({ kind: 'answered', status: 400, broken: true });
  });

  test.each<[string, string[]]>([
    ['100 Continue', [`HTTP/1.1 100 Continue\r\n\r\n${OK}`]],
    ['100 Continue in a packet of its own', ['HTTP/1.1 100 Continue\r\n\r\n', OK]],
    ['100, 102 and 103', [`HTTP/1.1 100 A\r\n\r\nHTTP/1.1 102 B\r\n\r\nHTTP/1.1 103 C\r\n\r\n${OK}`]],
    ['100 Continue three times', [...Array(3).fill('HTTP/1.1 100 Continue\r\n\r\n'), OK]],
    ['100 Continue with a header', [`HTTP/1.1 100 Continue\r\nVia: a\r\n\r\n${OK}`]],
    ['103 Early Hints', [`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}`]],
  ])('interim answers are skipped: %s', async (_, packets) => {
    withOneConnection();
    answer = async (socket) => {
      for (const packet of packets) {
        socket.write(packet);
        await new Promise((sent) => setImmediate(() => setImmediate(sent)));
      }
    };
    expect(await post()).toMatchObject({ kind: 'answered', status: 200, body: '{}' });
    expect(await post()).toMatchObject({ kind: 'answered', status: 200, body: '{}' });
    expect(sockets.length).toBe(1);
  });

  test.each<[string, string]>([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
    ['103 with headers', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n\r\n'],
    ['two interim answers', 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\nVia: a\r\n\r\n'],
    ['no interim answer', ''],
  ])('an answer that is cut anywhere into two packets is one answer: after %s (D6)', async (_, interim) => {
    withOneConnection();
    const text = `${interim}${OK}`;
    // the rest is written when the connection has had time to read the beginning
    answer = async (socket, n) => {
      socket.write(text.slice(0, n));
      await new Promise((read) => setImmediate(() => setImmediate(() => setImmediate(read))));
      socket.write(text.slice(n));
    };
    for (let n = 0; n <= text.length; n++)
      expect([n, await post()]).toMatchObject([n, { kind: 'answered', status: 200, body: '{}', broken: false }]);
    expect([requests.length, sockets.length]).toEqual([text.length + 1, 1]);
  });

  test('every byte of interim answers and of an answer in a packet of its own is one answer (D6)', async () => {
    answer = async (socket) => {
      for (const byte of `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 A\r\nLink: </a>\r\n\r\n${OK}`) {
        socket.write(byte);
        await new Promise((sent) => setImmediate(() => setImmediate(sent)));
      }
    };
    expect(await post()).toMatchObject({ kind: 'answered', status: 200, body: '{}' });
  });

  test.each<[string, string, string]>([
    ['a status line', 'HTTP/1.1 1', ''],
    ['a status line without end', 'HTTP/1.1 103 ', 'x'],
    ['headers without end', 'HTTP/1.1 100 Continue\r\n', 'X: 1\r\n'],
  ])(
    'the beginning of an interim answer that never goes on ends with the deadline: %s (D4, D6)',
    async (_, head, drop) => {
      expect(await dripping(head, drop)).toMatchObject(late);
      await until(() => sockets[0]?.destroyed === true);
    },
  );

  test.each<[string, string]>([
    ['100', `HTTP/1.1 100 Continue\r\nX: ${'x'.repeat(17_000)}`],
    ['103', `HTTP/1.1 103 Early Hints\r\nX: ${'x'.repeat(17_000)}`],
  ])('of an incomplete %s no more than 16 KiB are kept: it is no answer (L176)', async (_, text) => {
    expect(await answering(text)).toMatchObject({
      kind: 'unanswered',
      reach: 'UNKNOWN',
      code: expect.not.stringMatching('TIMEOUT'),
    });
    await until(() => sockets[0]?.destroyed === true);
  });

  test('a connection that is closed within an interim answer: the order may have arrived (D6, D17)', async () => {
    answer = (socket) => socket.end('HTTP/1.1 100 Cont');
    expect(await post()).toMatchObject({ kind: 'unanswered', reach: 'UNKNOWN', code: 'ECONNRESET' });
  });

  test('in a body nothing is taken for an interim answer (D6)', async () => {
    withOneConnection();
    const packets = ['{"a":"', 'HTTP/1.1 100 Continue\r\n\r\n', '"} HTTP/1.1 1', 'HTTP/1.1 1'];
    const body = packets.join('');
    answer = async (socket) => {
      for (const packet of [`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`, ...packets]) {
        socket.write(packet);
        await new Promise((sent) => setImmediate(() => setImmediate(() => setImmediate(sent))));
      }
    };
    for (let n = 0; n < 2; n++) expect(await post()).toMatchObject({ kind: 'answered', body, broken: false });
    expect(sockets.length).toBe(1);
  });

  const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
  test.each<[string, string[]]>([
    ['in one packet', [HINTS.repeat(101)]],
    ['in a packet each', Array(101).fill(HINTS)],
    ['in packets that end within one', [HINTS.slice(0, 20), `${HINTS.slice(20)}${HINTS.repeat(100)}`]],
  ])(
    'after too many interim answers, %s, the connection is closed, and the order may have arrived (D6, L168)',
    async (_, packets) => {
      withOneConnection();
      const write = (few: string[]) => async (socket: Socket) => {
        for (const packet of few) {
          socket.write(packet);
          await new Promise((sent) => setImmediate(() => setImmediate(sent)));
        }
      };
      answer = write(packets);
      expect(await post()).toMatchObject({ kind: 'unanswered', reach: 'UNKNOWN', code: 'TOO_MANY_INTERIM' });
      await until(() => sockets[0]?.destroyed === true);
      // each request has its own number
      answer = write([HINTS.repeat(100), OK]);
      for (let n = 0; n < 2; n++) expect(await post()).toMatchObject({ kind: 'answered', status: 200 });
      expect(sockets.length).toBe(2);
    },
  );

  test.each<[string, string]>([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'],
    ['headers of 100 kB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['an upgrade', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('%s: not an answer, and the order may have arrived', async (_, text) => {
    expect(await answering(text)).toMatchObject({ kind: 'unanswered', reach: 'UNKNOWN' });
  });

  test('connections are kept, and never more than the limit', async () => {
    answer = (socket) => setImmediate(() => socket.write(OK));
    for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 9 }, () => post()));
    expect(requests).toHaveLength(27);
    expect(sockets.length).toBeLessThanOrEqual(4);
  });

  test.each<[string, string, (socket: Socket) => void]>([
    ['reset', 'ECONNRESET', (socket) => socket.resetAndDestroy()],
    ['closed', 'ECONNRESET', (socket) => socket.end()],
  ])('a kept connection that is %s during a request: UNKNOWN, and it is not sent again', async (_, code, end) => {
    withOneConnection();
    answer = (socket, n) => (n === 0 ? socket.write(OK) : end(socket));
    await post();
    expect(await post()).toMatchObject({ kind: 'unanswered', reach: 'UNKNOWN', code });
    expect(requests).toHaveLength(2);
    expect(sockets.length).toBe(1);
  });

  test.each<[string, string]>([
    ['without notice', OK],
    ['after a promise to keep it', OK.replace('\r\n', '\r\nConnection: keep-alive\r\nKeep-Alive: timeout=600\r\n')],
    ['as announced', OK.replace('\r\n', '\r\nConnection: close\r\n')],
  ])('a connection that the POS closed while idle, %s, is not used again', async (_, text) => {
    answer = (socket) => socket.end(text);
    await post();
    await until(() => sockets[0]?.destroyed === true);
    expect(await post()).toMatchObject({ kind: 'answered', status: 200 });
    expect(sockets.length).toBe(2);
  });

  test('bytes after an answer are not the answer to the next request', async () => {
    withOneConnection();
    answer = (socket, n) => socket.write(n === 0 ? `${OK}HTTP/1.1 422 No\r\nContent-Length: 0\r\n\r\n` : OK);
    expect(await post()).toMatchObject({ status: 200 });
    expect(await post()).toMatchObject({ status: 200 });
    expect(sockets.length).toBe(2);
  });

  test('connection refused: the order was not sent', async () => {
    const away = new OrderTransport({ connections: 1, timeoutMs: TIMEOUT_MS });
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await new Promise((done) => closed.close(done));
    const exchange = await away.request('POST', `http://127.0.0.1:${port}`, '/order', {}, '{}');
    expect(exchange).toMatchObject({ kind: 'unanswered', reach: 'NOT_SENT', code: 'ECONNREFUSED' });
    await away.close();
  });

  test('TLS that fails: the order was not sent', async () => {
    answer = (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    const exchange = await transport.request('POST', url.replace('http', 'https'), '/order', {}, '{}');
    expect(exchange).toMatchObject({ kind: 'unanswered' });
    expect(requests.join()).not.toContain('/order');
  });

  test('an invalid header: nothing is sent, and the error does not contain it', async () => {
    const exchange = await transport.request('POST', url, '/order', { secret: 'a\r\nsecret' }, '{}');
    expect(exchange).toMatchObject({ kind: 'unanswered', reach: 'NOT_SENT' });
    expect(JSON.stringify(exchange)).not.toContain('a\\r');
    expect(sockets.length).toBe(0);
  });
});
