import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { answer } from '../../tools/simulator/answer-forms.js';

export const TOKEN = 'token-of-the-hostile-pos-4711';

export const GRANTED = answer(200, JSON.stringify({ token: TOKEN, expires_in: 3_600 }));
export const ACCEPTED = answer(200, '{"ok":true}');

export type Path = '/auth' | '/order' | '/cancel-order' | '/order-state';
/** What the POS does with a complete request, `text`. */
export type Deed = (socket: Socket, text: string) => unknown;

/** A POS that writes any bytes to its connections. */
export class HostilePos {
  /** complete requests, as received */
  readonly requests: string[] = [];
  readonly sockets = new Set<Socket>();
  /** connections so far */
  connections = 0;
  deeds: Partial<Record<Path, Deed>> = {};
  private server: Server;

  /** @param tls its certificate; undefined: plain HTTP */
  constructor(private readonly tls?: TlsOptions) {
    const serve = (socket: Socket) => this.serve(socket);
    this.server = tls ? createTlsServer(tls, serve) : createServer(serve);
    // a client that ends the handshake is expected
    this.server.on('tlsClientError', () => {});
    this.server.on('connection', () => this.connections++);
  }

  /** @returns its base URL */
  async listen(port = 0): Promise<string> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    return `${this.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The number of requests of this path. */
  count = (path: Path) => this.requests.filter((request) => request.startsWith(`POST ${path} `)).length;

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }

  /** Writes without end, as fast as the client reads, until the connection is closed. */
  flood(socket: Socket, head: string | Buffer, more: Buffer): void {
    socket.write(head);
    const pour = () => {
      while (!socket.destroyed && socket.write(more));
    };
    socket.on('drain', pour);
    pour();
  }

  /** Writes `drop` every 20 ms. */
  drip(socket: Socket, head: string | Buffer, drop: string): void {
    socket.write(head);
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(drop)), 20);
    socket.once('close', () => clearInterval(timer));
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (data) => {
      text += data;
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        const length = end + 4 + Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
        if (end < 0 || text.length < length) return;
        const request = text.slice(0, length);
        text = text.slice(length);
        this.requests.push(request);
        const path = request.split(/[ ?]/)[1] as Path;
        const deed = this.deeds[path];
        if (deed) deed(socket, request);
        else socket.write(path === '/auth' ? GRANTED : ACCEPTED);
      }
    });
  }
}
