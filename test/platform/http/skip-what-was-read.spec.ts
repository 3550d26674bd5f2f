import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { skipWhatWasRead } from '../../../src/platform/http/body/skip-what-was-read.js';

const POST = 'POST / HTTP/1.1\r\nHost: relay\r\nTransfer-Encoding: chunked\r\n\r\n';

describe('what Node has read of a connection that is being closed (H22, H23)', () => {
  let server: Server;
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** A server, to which a text arrives in one piece. @returns when the connection is closed */
  async function receive(text: string, onRequest: (request: IncomingMessage) => void): Promise<void> {
    server = createServer(onRequest);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    client.end(text);
    client.resume();
    await once(client, 'close');
  }
  const close = ({ socket }: IncomingMessage) => {
    socket.destroy();
    skipWhatWasRead(socket);
  };

  test('begins no further request', async () => {
    let begun = 0;
    await receive('GET / HTTP/1.1\r\nHost: relay\r\n\r\n'.repeat(1_000), (request) => {
      if (++begun === 3) close(request);
    });
    expect(begun).toBe(3);
  });

  test('reads no further chunk of a body', async () => {
    const chunks: unknown[] = [];
    await receive(`${POST}${'1\r\n \r\n'.repeat(5_000)}`, (request) => {
      request.on('data', () => {});
      const push = request.push.bind(request);
      request.push = (chunk) => {
        if (chunks.push(chunk) === 3) close(request);
        return push(chunk);
      };
    });
    expect(chunks).toHaveLength(3);
  });

  test('of other connections is read: Node uses its parsers again', async () => {
    await receive(`${POST}1\r\n \r\n`, close);
    let body = '';
    await receive(`${POST}3\r\nabc\r\n0\r\n\r\n`, (request) => {
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => request.socket.end());
    });
    expect(body).toBe('abc');
  });
});
