import { once } from 'node:events';
import { connect } from 'node:net';
import { TERMINAL_TOKEN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';

const SIZE = 1_200_000;
const PIECE = Buffer.alloc(65_536, ' ');

describe('a client that writes all of a refused body before it reads the answer', () => {
  const scenario = Scenario.ofSuite();

  /** @returns the statuses of the answers to the body, and to a request after it on the same connection */
  async function statuses(path: string, headers: readonly string[]): Promise<number[]> {
    const { port, hostname } = new URL(scenario.relay.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8').pause();
    await once(socket, 'connect');
    const write = (text: string | Buffer) =>
      new Promise<void>((resolve, reject) => socket.write(text, (error) => (error ? reject(error) : resolve())));
    await write([`POST ${path} HTTP/1.1`, 'Host: relay', ...headers, `Content-Length: ${SIZE}`, '', ''].join('\r\n'));
    for (let left = SIZE; left > 0; left -= PIECE.length) await write(PIECE.subarray(0, Math.min(left, PIECE.length)));
    await write('GET /health/live HTTP/1.1\r\nHost: relay\r\nConnection: close\r\n\r\n');
    let text = '';
    for await (const piece of socket.resume()) text += piece;
    return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  }

  const TOKEN = `Authorization: Bearer ${TERMINAL_TOKEN}`;
  const JSON_BODY = 'Content-Type: application/json';
  test.each<[string, string, readonly string[], number]>([
    ['that is too long', '/auth/login', [JSON_BODY], 413],
    ['of a sale that is too long', '/webhooks/terminal', [JSON_BODY, TOKEN], 413],
    ['of another media type', '/auth/login', ['Content-Type: text/plain'], 415],
    ['that is compressed', '/webhooks/terminal', [JSON_BODY, TOKEN, 'Content-Encoding: gzip'], 415],
    ['of an unknown sender', '/webhooks/terminal', [JSON_BODY], 401],
  ])('%s reads the refusal, and may use the connection again (H30)', async (_, path, headers, status) => {
    expect(await statuses(path, headers)).toEqual([status, 200]);
  });

  test('a body that announces more than is read of it: the connection is closed (H30, L109)', async () => {
    const { port, hostname } = new URL(scenario.relay.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let text = '';
    socket.on('data', (piece) => {
      text += piece;
    });
    const closed = new Promise((resolve) => socket.once('error', () => undefined).once('close', resolve));
    socket.write(
      ['POST /auth/login HTTP/1.1', 'Host: relay', JSON_BODY, 'Content-Length: 100000000', '', ''].join('\r\n'),
    );
    let sent = 0;
    for (; sent < 100_000_000 && !socket.destroyed; sent += PIECE.length)
      await new Promise((resolve) => socket.write(PIECE, resolve));
    await closed;
    expect([/^HTTP\/1\.1 413 /.test(text), sent < 40_000_000]).toEqual([true, true]);
  });
});
