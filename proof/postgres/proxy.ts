import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

const HOST = '127.0.0.1';
/** What asks for an answer: a Sync at its end, or a simple query. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is a binary protocol
export const STATEMENT = /S\0\0\0\x04$|^Q\0/;
/** A server does not learn at once that its client has gone when the connection between them is dead, in ms. */
const SERVER_LEARNS_AFTER_MS = 5_000;

/** A TCP proxy in front of a Postgres server. It loses answers, and goes silent while every socket stays open. */
export class DatabaseProxy {
  /** Whether the answer to what a client sent is lost, with all that follows on its connection; undefined: never. */
  loses: ((sent: string) => boolean) | undefined;
  /** answers that were lost */
  lost = 0;
  private silent = false;
  private readonly silences = new Set<() => void>();
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.join(client));

  /** @param target the server that new connections lead to */
  constructor(private readonly target: () => NetConnectOpts) {}

  /** @returns its port */
  async listen(): Promise<number> {
    this.server.listen(0, HOST);
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Nothing passes any more on the connections there are, nor on new ones until {@link resume}; every socket stays open. */
  silence(): void {
    this.silent = true;
    for (const silence of this.silences) silence();
  }

  /** New connections lead to the server again; silent ones stay silent. */
  resume(): void {
    this.silent = false;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(client: Socket): void {
    this.keep(client);
    if (this.silent) return;
    const upstream = connect(this.target());
    this.keep(upstream);
    upstream.setNoDelay();
    client.setNoDelay();
    let hasLost = false;
    let isSilent = false;
    const silence = () => {
      isSilent = true;
    };
    this.silences.add(silence);
    client.on('close', () => {
      this.silences.delete(silence);
      setTimeout(() => upstream.destroy(), isSilent ? SERVER_LEARNS_AFTER_MS : 0).unref();
    });
    upstream.on('close', () => {
      if (!isSilent) client.destroy();
    });
    client.on('data', (bytes) => {
      if (isSilent) return;
      if (!hasLost && this.loses?.(bytes.toString('latin1'))) {
        hasLost = true;
        this.lost += 1;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!hasLost && !isSilent) client.write(bytes);
    });
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
  }
}
