import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Counter } from 'prom-client';
import { Metrics } from '../../telemetry/metrics.js';
import { ClientGoneError, clientGone } from '../client-gone.js';
import { beforeListeners } from './before-listeners.js';
import { Connections } from './connections.js';
import { FairSlots } from './fair-slots.js';

/**
 * Paces the requests that follow one of no authenticated sender on their connection (H25, L193). Node accepts one connection in each turn of its event
 * loop: turns full of such requests keep out the senders that connect, and delay those that are connected.
 */
@Injectable()
export class StrangerRequests {
  readonly limits = { intervalMs: 2 };
  /** by network; of each connection at most one request waits, so that L21 bounds them */
  readonly turns = new FairSlots({ total: 1, ofKey: 1, mostWaiting: Number.POSITIVE_INFINITY });
  private readonly paced: Counter;

  constructor(
    { registry }: Metrics,
    private readonly connections: Connections,
  ) {
    this.paced = new Counter({
      name: 'relay_stranger_requests_total',
      help: 'Requests that waited for a turn, since the one before on their connection was of no authenticated sender',
      registers: [registry],
    });
  }

  /** Must be called after Fastify has added its listener to the server, and before {@link SerialRequests.guard}. */
  guard(app: NestFastifyApplication): void {
    const { server } = app.getHttpAdapter().getInstance();
    beforeListeners(server, 'request', (begin, { socket }: IncomingMessage, response: ServerResponse) => {
      const network = this.connections.begin(socket);
      // the first request may be a sender's, and there are no more of them than Node accepts connections
      if (network === undefined) begin();
      else void this.turn(network, response, begin);
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
