import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const TOKEN = JSON.stringify({ token: 'a-token-of-the-soak', expires_in: 86_400 });
const ACCEPTED = '{"ok":true}';

/** A POS that accepts everything at once and remembers only how much: its own memory does not grow with the run. */
export class AcceptingPos {
  orders = 0;
  private readonly server: Server = createServer((request, response) => {
    const isSignIn = request.url === '/auth';
    if (!isSignIn) this.orders += 1;
    request.resume().once('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(isSignIn ? TOKEN : ACCEPTED);
    });
  });

  /** @returns its base URL */
  async listen(): Promise<string> {
    this.server.keepAliveTimeout = 60_000;
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
