import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Counter } from 'prom-client';
import { Metrics } from '../../telemetry/metrics.js';
import { ClientGoneError, clientGone } from '../client-gone.js';
import { beforeListeners } from './before-listeners.js';
import { Connections } from './connections.js';
import { FairSlots } from './fair-slots.js';

/**
 * Paces the requests of connections that have had no request of an authenticated sender (H25, L193). Node accepts one connection in each turn
 * of its event loop: turns full of such requests keep out the senders that connect, and delay those that are connected.
 */
@Injectable()
export class StrangerRequests {
  readonly limits = { intervalMs: 2 };
  /** by network; of each connection at most one request waits, so that L21 bounds them */
  readonly turns = new FairSlots({ total: 1, ofKey: 1, mostWaiting: Number.POSITIVE_INFINITY });
  /** connections that have had a request */
  private readonly used = new WeakSet<Socket>();
  private readonly paced: Counter;

  constructor(
    { registry }: Metrics,
    private readonly connections: Connections,
  ) {
    this.paced = new Counter({
      name: 'relay_stranger_requests_total',
      help: 'Requests after the first one on connections without a request of an authenticated sender',
      registers: [registry],
    });
  }

  /** Must be called after Fastify has added its listener to the server, and before {@link SerialRequests.guard}. */
  guard(app: NestFastifyApplication): void {
    const { server } = app.getHttpAdapter().getInstance();
    beforeListeners(server, 'request', (begin, { socket }: IncomingMessage, response: ServerResponse) => {
      const network = this.connections.networkOfStranger(socket);
      // the first request may be a sender's, and there are no more of them than Node accepts connections
      if (network === undefined || !this.used.has(socket)) {
        this.used.add(socket);
        begin();
      } else void this.turn(network, response, begin);
    });
  }

  private async turn(network: string, response: ServerResponse, begin: () => void): Promise<void> {
    this.paced.inc();
    try {
      const end = await this.turns.take(network, () => clientGone({ raw: response }));
      setTimeout(end, this.limits.intervalMs).unref();
    } catch (error) {
      if (!(error instanceof ClientGoneError)) response.socket?.destroy();
      return;
    }
    begin();
  }
}
