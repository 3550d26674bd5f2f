import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestDatabase } from '../support/database.js';

/** What asks for an answer: a Sync at its end, or a simple query. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is a binary protocol
export const STATEMENT = /S\0\0\0\x04$|^Q\0/;

/** The line to a database, on which an answer can get lost while every socket stays open. */
export class LossyLine {
  /** swallows the answer to the next statement that matches, and all that follows on its connection */
  lose: RegExp | undefined;
  /** how many that match are let through before that */
  skip = 0;
  /** how many statements have come */
  statements = 0;
  lost = 0;
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();

  async listen({ url }: TestDatabase): Promise<string> {
    const { hostname, port, pathname, searchParams } = new URL(url);
    const folder = searchParams.get('host');
    const target = folder ? { path: join(folder, '.s.PGSQL.5432') } : { host: hostname, port: Number(port || 5432) };
    this.server = createServer((client) => {
      const upstream = connect(target);
      let deaf = false;
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.sockets.add(from);
        from.on('error', () => {});
        from.on('close', () => to.destroy());
      }
      client.on('data', (bytes) => {
        const text = bytes.toString('latin1');
        if (STATEMENT.test(text)) this.statements++;
        if (this.lose?.test(text) && this.skip-- <= 0) {
          this.lose = undefined;
          this.lost++;
          deaf = true;
        }
        upstream.write(bytes);
      });
      upstream.on('data', (bytes) => {
        if (!deaf) client.write(bytes);
      });
    });
    await new Promise<void>((resolve) => void this.server?.listen(0, '127.0.0.1', resolve));
    return `postgresql://postgres@127.0.0.1:${(this.server.address() as AddressInfo).port}${pathname}`;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server?.close();
  }
}
