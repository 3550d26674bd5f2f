import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestDatabase } from '../../support/database.js';

/** Postgres' answer to a connection when all of its connections are taken. */
const FULL = fatal('53300', 'sorry, too many clients already');

function fatal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0', 'latin1');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** A TCP proxy in front of the database that can cut, freeze, slow and restore the connections of a relay. */
export class DatabaseSwitch {
  private readonly sockets = new Set<Socket>();
  /** the number of connections to accept, and then the number to refuse as a full server does */
  readonly room = { taken: Number.POSITIVE_INFINITY, refused: 0 };
  private frozen = false;
  /** how long what the database sends is under way, in ms */
  delayMs = 0;
  private port = 0;
  private readonly server = createServer((client) => {
    if (this.isFull()) return void client.on('error', () => {}).once('data', () => client.end(FULL));
    const upstream = connect(this.target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.on('data', (bytes) => {
        if (from === upstream && this.delayMs > 0) setTimeout(() => to.write(bytes), this.delayMs);
        else to.write(bytes);
      });
      if (this.frozen) from.pause();
    }
  });

  private constructor(
    private readonly target: { path: string } | { host: string; port: number },
    private readonly database: string,
  ) {}

  static async before({ url }: TestDatabase): Promise<DatabaseSwitch> {
    const { hostname, port, pathname, searchParams } = new URL(url);
    const folder = searchParams.get('host');
    const target = folder ? { path: join(folder, '.s.PGSQL.5432') } : { host: hostname, port: Number(port || 5432) };
    const line = new DatabaseSwitch(target, pathname);
    await line.restore();
    return line;
  }

  private isFull(): boolean {
    if (this.room.taken > 0) this.room.taken--;
    else if (this.room.refused > 0) return this.room.refused-- > 0;
    return false;
  }

  get url(): string {
    return `postgresql://postgres@127.0.0.1:${this.port}${this.database}`;
  }

  /** Closes open connections and refuses new ones. */
  async cut(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  async restore(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Keeps the connections and forwards nothing. */
  freeze(): void {
    this.frozen = true;
    for (const socket of this.sockets) socket.pause();
  }

  thaw(): void {
    this.frozen = false;
    for (const socket of this.sockets) socket.resume();
  }

  async close(): Promise<void> {
    if (this.server.listening) await this.cut();
  }
}
