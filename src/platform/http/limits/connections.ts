import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Counter } from 'prom-client';
import { Log } from '../../telemetry/log.js';
import { LogThrottle } from '../../telemetry/log-throttle.js';
import { Metrics } from '../../telemetry/metrics.js';
import { networkOf } from './network.js';
import { SetsBySize } from './sets-by-size.js';

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections;
  }
}

/** What is closed at the limit: one without a request of an authenticated sender; the new one, when all others have had such a request. */
const CLOSED = ['unauthenticated', 'new'] as const;

/**
 * Bounds the connections that are open at once (L21). Beyond the limit the new connection is kept, and a connection that has had no request of
 * an authenticated sender is closed (H24): Node would close the new one, and a client that holds all connections would keep out all others.
 */
@Injectable()
export class Connections {
  readonly limits = { connections: Number.POSITIVE_INFINITY };
  /** all that are open, with their network; undefined: it has had a request of an authenticated sender */
  private readonly open = new Map<Socket, string | undefined>();
  /** those without such a request, by network; the oldest first */
  private readonly unproven = new SetsBySize<string, Socket>();
  private readonly displaced: Counter<'result'>;
  private readonly lines = new LogThrottle();

  constructor(
    { registry }: Metrics,
    private readonly log: Log,
  ) {
    this.displaced = new Counter({
      name: 'relay_connections_displaced_total',
      help: 'Connections that were closed because the limit was reached, by which one was closed',
      labelNames: ['result'],
      registers: [registry],
    });
    for (const result of CLOSED) this.displaced.inc({ result }, 0);
  }

  /** Must be called before the server listens. @param most the most connections at once (L21) */
  guard(app: NestFastifyApplication, most: number): void {
    this.limits.connections = most;
    const fastify = app.getHttpAdapter().getInstance();
    fastify.decorate<Connections>('connections', this);
    fastify.server.on('connection', (socket: Socket) => this.add(socket));
  }

  /** Notes that a request of this connection is of an authenticated sender: it is no longer closed for others. */
  prove(socket: Socket): void {
    const network = this.open.get(socket);
    if (network === undefined) return;
    this.open.set(socket, undefined);
    this.unproven.delete(network, socket);
  }

  private add(socket: Socket): void {
    // a connection that was reset already has no address
    const network = networkOf(socket.remoteAddress ?? '');
    this.open.set(socket, network);
    this.unproven.add(network, socket);
    socket.once('close', () => this.remove(socket));
    if (this.open.size > this.limits.connections) this.displace(socket);
  }

  private remove(socket: Socket): void {
    const network = this.open.get(socket);
    if (network !== undefined) this.unproven.delete(network, socket);
    this.open.delete(socket);
  }

  /** Closes one connection at once, so that its file is free again. The new one counts for its network, and may be the only candidate. */
  private displace(newest: Socket): void {
    const largest = this.unproven.largest();
    const [oldest = newest] = largest ?? [];
    const connection = oldest === newest ? 'new' : 'unauthenticated';
    this.displaced.inc({ result: connection });
    if (this.lines.admits())
      this.log.warn({ event: 'http.connection_displaced', connection, connections: largest?.size });
    this.remove(oldest);
    // a reset, since the kernel would keep answers that the client does not read; Node cannot reset one whose end is being sent
    if (oldest.writableEnded) oldest.destroy();
    else oldest.resetAndDestroy();
  }
}
