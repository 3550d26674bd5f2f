// Senders of big bodies: each announces a body, sends a part of it, and holds the connection. Without a credential they are what W43 bounds.
import { connect, type Socket } from 'node:net';

/** What the senders send. */
export interface BodySenders {
  readonly url: string;
  readonly connections: number;
  /** bytes that each announces; undefined: chunked */
  readonly announced?: number;
  /** bytes that each sends at once */
  readonly sent: number;
  readonly path?: string;
  /** default: application/json */
  readonly type?: string;
  readonly headers?: readonly string[];
}

const CHUNK = 65_536;

/** The connections of {@link BodySenders}. */
export class HeldBodies {
  /** the status of the first answer to each; 0: closed without an answer */
  readonly statuses: number[] = [];
  private readonly sockets: Socket[] = [];

  private constructor(private readonly isChunked: boolean) {}

  /** Opens them, and sends. @returns when all of it is written, answered or closed */
  static async open({ url, connections, sent, announced, path, type, headers = [] }: BodySenders): Promise<HeldBodies> {
    const held = new HeldBodies(announced === undefined);
    const length = announced === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${announced}`;
    const lines = [
      `POST ${path ?? '/webhooks/terminal'} HTTP/1.1`,
      'Host: relay',
      `Content-Type: ${type ?? 'application/json'}`,
      length,
    ];
    const head = `${[...lines, ...headers].join('\r\n')}\r\n\r\n`;
    await Promise.all(Array.from({ length: connections }, () => held.add(new URL(url), head, sent)));
    return held;
  }

  /** Sends further bytes by each. */
  async send(bytes: number): Promise<void> {
    await Promise.all(this.sockets.map((socket) => this.write(socket, bytes)));
  }

  /** Connections that are open. */
  get open(): number {
    return this.sockets.filter(({ destroyed }) => !destroyed).length;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private async add({ hostname, port }: URL, head: string, sent: number): Promise<void> {
    const socket = connect(Number(port), hostname);
    this.sockets.push(socket);
    let answer = '';
    const place = this.sockets.length - 1;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (answer.length < 12) answer += data.toString('latin1', 0, 12);
      if (answer.length >= 12) this.statuses[place] ??= Number(answer.slice(9, 12));
    });
    socket.once('close', () => {
      this.statuses[place] ??= 0;
    });
    await written(socket, head);
    await this.write(socket, sent);
  }

  private async write(socket: Socket, bytes: number): Promise<void> {
    for (let left = bytes; left > 0 && !socket.destroyed; left -= CHUNK) {
      const blanks = ' '.repeat(Math.min(left, CHUNK));
      await written(socket, this.isChunked ? `${blanks.length.toString(16)}\r\n${blanks}\r\n` : blanks);
    }
  }
}

/** @returns when it is written, or the connection has closed */
function written(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('close', done);
      resolve();
    };
    socket.once('close', done);
    if (socket.destroyed) done();
    else socket.write(text, done);
  });
}
