import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { parseJson } from '../request-body.js';
import type { PosEvent } from './wire.js';

/** The server of a POS that gets events: a relay posts them to `/v1/newEvent`, signed with the client secret. */
export class EventReceiver {
  private readonly server = createServer((request, response) => {
    this.statusOf(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    );
  });

  /** @param store keeps an event before it is answered */
  constructor(
    private readonly clientSecret: string,
    private readonly store: (event: PosEvent) => void,
  ) {}

  /** @param port 0: any @returns the address for `posBaseUrl` */
  async listen(port: number): Promise<string> {
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async statusOf(request: IncomingMessage): Promise<number> {
    if (request.method !== 'POST' || request.url !== '/v1/newEvent') return 404;
    const body = await buffer(request);
    // over the bytes as they came: another order of the fields would have another signature
    const expected = Buffer.from(createHmac('sha256', this.clientSecret).update(body).digest('hex'));
    const given = Buffer.from(String(request.headers['x-app-signature']), 'latin1');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 401;
    const event = parseJson(body.toString()) as Partial<PosEvent> | null | undefined;
    if (!event?.eventId || !event.eventType || !event.orderId) return 400;
    this.store(event as PosEvent);
    return 204;
  }
}
