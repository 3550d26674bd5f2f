import { connect, type Socket } from 'node:net';
import { sale } from '../../support/client.js';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';

/** The chunks that every body may have (L161). */
const FREE_CHUNKS = 512;

describe('bodies in chunks (H23)', () => {
  const scenario = Scenario.ofSuite();
  const sockets: Socket[] = [];

  beforeAll(() => scenario.restaurant('STORE-1'));
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  const chunked = (text: string, size: number) =>
    (text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])
      .map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`)
      .join('');
  const head = (line: string, token: string) =>
    `${line} HTTP/1.1\r\nHost: relay\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nTransfer-Encoding: chunked\r\n\r\n`;

  /** Sends a text on a connection of its own. */
  function send(text: string) {
    const { hostname, port } = new URL(scenario.relay.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    const client = { socket, text: '', isClosed: false };
    socket
      .on('error', () => {})
      .on('data', (data) => {
        client.text += data;
      })
      .on('close', () => {
        client.isClosed = true;
      });
    socket.write(text);
    return client;
  }
  const post = (body: string, size: number, token = TERMINAL_TOKEN) =>
    send(`${head('POST /webhooks/terminal', token)}${chunked(body, size)}0\r\n\r\n`);

  test.each([
    ['of a sale', 'POST /webhooks/terminal', TERMINAL_TOKEN],
    ['of somebody unknown', 'POST /auth/login', 'unknown'],
    ['that no route reads', 'GET /health/live', 'unknown'],
  ])('a body %s in more chunks is a 413, and its connection is closed (L161)', async (_, line, token) => {
    const client = send(head(line, token));
    await until(() => client.socket.bytesWritten > 0);
    client.socket.write('1\r\n \r\n'.repeat(50_000));
    await until(() => client.isClosed);
    // what is answered before its body has arrived gets no second answer
    if (line.startsWith('GET')) expect(client.text).toMatch(/^HTTP\/1.1 200 /);
    else expect(client.text).toMatch(/^HTTP\/1.1 413 .*"code":"PAYLOAD_TOO_LARGE"/s);
  });

  test('a request that is refused before its body is read: its connection is closed too (L161)', async () => {
    const client = send(head('POST /webhooks/terminal', 'unknown'));
    await until(() => client.text.startsWith('HTTP/1.1 401 '));
    client.socket.write('1\r\n \r\n'.repeat(FREE_CHUNKS));
    expect(client.isClosed).toBe(false);
    client.socket.write('1\r\n \r\n'.repeat(100));
    await until(() => client.isClosed);
    expect(client.text).not.toContain('HTTP/1.1 413');
  });

  test('small chunks of a small sale, and many chunks of a large one, are accepted (L161)', async () => {
    const small = post(JSON.stringify(sale()), 1);
    const large = post(JSON.stringify(sale({ note: 'x'.repeat(900_000) })), 140);
    for (const client of [small, large]) {
      await until(() => client.text.includes('}'));
      expect(client.text).toMatch(/^HTTP\/1.1 200 .*"jobId"/s);
    }
  });

  test('after a refusal, bodies of other connections arrive whole: Node uses its parsers again', async () => {
    for (let i = 0; i < 20; i++) {
      const refused = post(' '.repeat(5_000), 1);
      await until(() => refused.isClosed);
      const accepted = post(JSON.stringify(sale({ transactionKey: `AFTER-${i}` })), 100);
      await until(() => accepted.text.includes('}'));
      expect(accepted.text).toMatch(/^HTTP\/1.1 200 /);
      await scenario.relay.accept(sale());
    }
    const kept = await scenario.database.query(`SELECT 1 FROM terminal_events WHERE transaction_key LIKE 'AFTER-%'`);
    expect(kept).toHaveLength(20);
  });
});
