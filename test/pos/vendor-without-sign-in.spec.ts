import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { outcomeOf } from '../../src/domain/outcome.js';
import { OrderMapper } from '../../src/outbox/order-mapper.js';
import { PosClient } from '../../src/pos/client.js';
import { OrderTransport } from '../../src/pos/order-transport.js';
import type { PosTarget } from '../../src/pos/target.js';
import type { PosVendor } from '../../src/pos/vendor.js';

const CREDENTIALS = { partnerId: 'kiosk-1', secret: 'kiosk-secret' };
const signatureOf = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

/** A vendor that differs from `partner` in each point: no sign-in, other methods, a signature over the request, an order id of its own. */
const kiosk: PosVendor = {
  needs: 'codeStorePos',
  acceptsTender: () => true,
  knowsTender: () => true,
  tenderName: () => null,
  tenderCode: () => null,
  headers: ({ partnerId, secret }, token, { method, path, body = '' }) => ({
    'X-Kiosk': partnerId,
    'X-Signature': signatureOf(secret, `${method} ${path}\n${body}${token}`),
  }),
  createOrder: ({ id, store, total }) => ({
    method: 'PUT',
    path: `/stores/${store}/tickets/${ticketOf(id)}`,
    body: { cents: Number(total) },
  }),
  cancelOrder: ({ id, store }) => ({
    method: 'DELETE',
    path: `/stores/${store}/tickets/${ticketOf(id)}`,
    body: undefined,
  }),
  readError: ({ status, body }) => ({ errorCode: status < 400 ? null : body, message: null, meaning: null }),
};

function ticketOf(id: string): string {
  return Buffer.from(id).toString('hex');
}

interface Request {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('a vendor that differs in each point (Q1)', () => {
  const transport = new OrderTransport({ connections: 2, timeoutMs: 2_000 });
  const client = new PosClient(transport, {
    get: () => Promise.reject(new Error('a vendor without a sign-in asks for no token')),
  });
  let server: Server;
  let target: PosTarget;
  let requests: Request[];
  let status: number;

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      response.writeHead(status).end(status < 400 ? '' : 'NO');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    target = { vendor: kiosk, baseUrl, credentials: CREDENTIALS };
  });
  afterAll(async () => {
    await transport.close();
    await new Promise((closed) => server.close(closed));
  });
  beforeEach(() => {
    requests = [];
    status = 200;
  });

  const payload = { items: [{ itemCode: 'C1', quantity: 1, price: 5 }], payments: [{ tenderType: 99, amount: 5 }] };
  const event = { eventKey: 'sale-1', receivedAt: new Date(), codeStorePos: 'B-7', payload };
  async function create() {
    const mapped = new OrderMapper(kiosk).mapCreate(event);
    if (!('request' in mapped)) throw new Error('the sale is mappable');
    const result = await client.send(target, mapped.request, () => true);
    if (result.step !== 'request') throw new Error('there is no sign-in');
    return outcomeOf(result.answer, false);
  }

  test('an order: its method and path, signed as it is sent', async () => {
    expect(await create()).toMatchObject({ settling: 'deliver' });
    const line = `PUT /stores/B-7/tickets/${ticketOf('sale-1')}`;
    expect(requests).toMatchObject([
      {
        line,
        body: '{"cents":500}',
        headers: { 'x-kiosk': 'kiosk-1', 'x-signature': signatureOf('kiosk-secret', `${line}\n{"cents":500}`) },
      },
    ]);
  });

  test('a cancel: a method without a body', async () => {
    await client.send(target, kiosk.cancelOrder({ id: 'sale-1', store: 'B-7' }), () => true);
    expect(requests).toMatchObject([{ line: `DELETE /stores/B-7/tickets/${ticketOf('sale-1')}`, body: '' }]);
  });

  test('a refused signature is not repeated: no sign-in could mend it; the order waits for other credentials', async () => {
    status = 401;
    expect(await create()).toMatchObject({ settling: 'retry', cause: 'sign_in', httpStatus: 401 });
    expect(requests).toHaveLength(1);
  });
});
