import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Random } from './random.js';

const HOST = '127.0.0.1';
/** What asks for an answer: a Sync at its end, or a simple query. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is a binary protocol
const STATEMENT = /S\0\0\0\x04$|^Q\0/;
/** A server does not learn at once that its client has gone when the line between them is dead, in ms. */
const SERVER_LEARNS_AFTER_MS = 5_000;

/** The line from an instance to the database, which stands behind one address. It loses answers, and dies without a word. */
export class Line {
  /** each statement's answer is lost with this probability, with all that follows on its connection */
  dropChance = 0;
  lost = 0;
  private dead = false;
  private readonly kills = new Set<() => void>();
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.join(client));

  constructor(
    /** port of the server that new connections lead to */
    private readonly target: () => number,
    private readonly random: Random,
  ) {}

  async listen(): Promise<number> {
    this.server.listen(0, HOST);
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Nothing passes any more on the connections there are, nor on new ones until {@link revive}; every socket stays open. */
  die(): void {
    this.dead = true;
    for (const kill of this.kills) kill();
  }

  /** New connections lead to the server again; dead ones stay dead. */
  revive(): void {
    this.dead = false;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(client: Socket): void {
    this.keep(client);
    if (this.dead) return;
    const upstream = connect(this.target(), HOST);
    this.keep(upstream);
    upstream.setNoDelay();
    client.setNoDelay();
    let deaf = false;
    let isDead = false;
    const kill = () => {
      isDead = true;
    };
    this.kills.add(kill);
    client.on('close', () => {
      this.kills.delete(kill);
      setTimeout(() => upstream.destroy(), isDead ? SERVER_LEARNS_AFTER_MS : 0).unref();
    });
    upstream.on('close', () => {
      if (!isDead) client.destroy();
    });
    client.on('data', (bytes) => {
      if (isDead) return;
      if (
        !deaf &&
        this.dropChance > 0 &&
        STATEMENT.test(bytes.toString('latin1')) &&
        this.random.chance(this.dropChance)
      ) {
        deaf = true;
        this.lost += 1;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!deaf && !isDead) client.write(bytes);
    });
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
  }
}
