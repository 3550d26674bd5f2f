import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Counter } from 'prom-client';
import { Log } from '../../telemetry/log.js';
import { LogThrottle } from '../../telemetry/log-throttle.js';
import { Metrics } from '../../telemetry/metrics.js';
import { skipWhatWasRead } from '../body/skip-what-was-read.js';
import { beforeListeners } from './before-listeners.js';

/** The most requests of a connection that wait behind another one (L159). */
const OF_CONNECTION = 16;

/**
 * Begins the requests of a connection one after the other, and bounds those that wait (H22, L159). Node reads a thousand short requests of a
 * connection at once, and would begin all of them before it looks at other connections.
 */
@Injectable()
export class SerialRequests {
  readonly limits = { waiting: 1_000 };
  /** those that wait behind another request, by connection */
  private readonly waiting = new Map<Socket, Set<ServerResponse>>();
  private waitingCount = 0;
  private readonly closed: Counter;
  private readonly lines = new LogThrottle();

  constructor(
    { registry }: Metrics,
    private readonly log: Log,
  ) {
    this.closed = new Counter({
      name: 'relay_pipelined_connections_closed_total',
      help: 'Connections that were closed because they sent too many requests without waiting for answers',
      registers: [registry],
    });
  }

  /** Must be called after Fastify has added its listener to the server. */
  guard(app: NestFastifyApplication): void {
    const { server } = app.getHttpAdapter().getInstance();
    beforeListeners(server, 'request', (begin, { socket }: IncomingMessage, response: ServerResponse) => {
      // Node gives an answer its connection when the one before is written
      if (response.socket) begin();
      else this.wait(socket, response, begin);
    });
  }

  private wait(socket: Socket, response: ServerResponse, begin: () => void): void {
    if (socket.destroyed) return;
    const waiting = this.waiting.get(socket) ?? this.follow(socket);
    waiting.add(response);
    this.waitingCount++;
    response.once('socket', () => {
      if (waiting.delete(response)) this.waitingCount--;
      // other connections have their turn between two requests of one
      setImmediate(begin);
    });
    if (waiting.size > OF_CONNECTION) this.close(socket, waiting);
    else if (this.waitingCount > this.limits.waiting)
      this.close(...[...this.waiting].reduce((one, other) => (other[1].size > one[1].size ? other : one)));
  }

  private follow(socket: Socket): Set<ServerResponse> {
    const waiting = new Set<ServerResponse>();
    this.waiting.set(socket, waiting);
    socket.once('close', () => this.release(socket, waiting));
    return waiting;
  }

  private close(socket: Socket, waiting: Set<ServerResponse>): void {
    this.closed.inc();
    if (this.lines.admits()) this.log.warn({ event: 'http.pipelined', waiting: waiting.size });
    socket.destroy();
    skipWhatWasRead(socket);
    this.release(socket, waiting);
  }

  private release(socket: Socket, waiting: Set<ServerResponse>): void {
    this.waiting.delete(socket);
    this.waitingCount -= waiting.size;
    waiting.clear();
  }
}
