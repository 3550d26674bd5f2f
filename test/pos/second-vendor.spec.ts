import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Order } from '../../src/domain/order.js';
import { outcomeOf } from '../../src/domain/outcome.js';
import { OrderMapper } from '../../src/outbox/order-mapper.js';
import { PosClient } from '../../src/pos/client.js';
import { PosHttp } from '../../src/pos/http-transport.js';
import { OrderTransport } from '../../src/pos/order-transport.js';
import { PosSignIn } from '../../src/pos/sign-in.js';
import type { PosTarget } from '../../src/pos/target.js';
import type { PosToken } from '../../src/pos/tokens.js';
import type { PosVendor } from '../../src/pos/vendor.js';

/**
 * A minimal second vendor, as its folder below src/pos/vendors would have it: other field names, whole cents, a sign-in with a
 * body, a session header, a path for each sale, error codes in words.
 */
const bistro: PosVendor = {
  needs: 'codeStorePos',
  acceptsTender: (tenderType) => tenderType === 1 || tenderType === 16,
  tenderName: (tenderType) => (tenderType === '1' ? 'cash' : null),
  tenderCode: () => null,
  knowsTender: (tenderType) => tenderType === 1 || tenderType === 16,
  signIn: {
    request: ({ partnerId, secret }) => ({
      path: '/v2/sessions',
      headers: {},
      body: { client: partnerId, key: secret },
    }),
    readToken: (body) => {
      const { session, seconds } = JSON.parse(body);
      return session ? { token: session, expiresInMs: seconds * 1_000 } : undefined;
    },
  },
  headers: (_, token) => ({ 'X-Session': token }),
  createOrder: (order) => ({ path: '/v2/sales', body: saleOf(order) }),
  cancelOrder: ({ id, store }) => ({ path: `/v2/stores/${store}/sales/${id}/void`, body: undefined }),
  readError: ({ status, body }) => {
    if (status < 400) return { errorCode: null, message: null, meaning: null };
    const { problem, text } = JSON.parse(body).error;
    const meanings = { EXPIRED: 'authentication', BUSY: 'temporary', KNOWN: 'duplicate' } as const;
    return { errorCode: problem, message: text, meaning: meanings[problem as keyof typeof meanings] ?? null };
  },
};

function saleOf({ id, store, createdAt, total, discount, surcharge, items, payments }: Order) {
  return {
    ref: id,
    shop: store,
    at: createdAt.getTime(),
    cents: { total: Number(total), off: Number(discount), extra: Number(surcharge) },
    lines: items.map(({ code, quantity, unitPrice }) => ({ sku: code, n: quantity, each: unitPrice })),
    paid: payments.map(({ tenderType, amount }) => [tenderType === 1 ? 'cash' : 'card', Number(amount)]),
  };
}

interface Request {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

const SALE = {
  eventKey: 'sale-1',
  receivedAt: new Date('2026-03-01T12:31:00.000Z'),
  codeStorePos: 'B-7',
  payload: {
    transactionKey: 'sale-1',
    items: [{ itemCode: 'C1', itemName: 'Coffee', quantity: 3, price: 3.5 }],
    payments: [
      { tenderType: 1, amount: 4.995 },
      { tenderType: 16, amount: 5 },
    ],
  },
};

describe('client, sign-in and mapping use the wire format of a second vendor', () => {
  const http = new PosHttp();
  const transport = new OrderTransport({ connections: 2, timeoutMs: 2_000 });
  let server: Server;
  let target: PosTarget;
  let requests: Request[];
  /** errors that answer the next orders; when empty: 200 and a new session */
  let answers: { status: number; problem: string; text: string }[];
  let client: PosClient;
  const orders = new OrderMapper(bistro);

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      requests.push({ path: request.url ?? '', headers: request.headers, body: text && JSON.parse(text) });
      const signsIn = request.url === '/v2/sessions';
      const error = signsIn ? undefined : answers.shift();
      response.writeHead(error?.status ?? 200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(error ? { error } : { session: `session-${requests.length}`, seconds: 60 }));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    target = { vendor: bistro, baseUrl, credentials: { partnerId: 'bistro-1', secret: 'bistro-secret' } };
  });
  afterAll(async () => {
    http.close();
    await transport.close();
    await new Promise((closed) => server.close(closed));
  });
  beforeEach(() => {
    requests = [];
    answers = [];
    client = new PosClient(transport, signInEachTime());
  });

  /** Signs in for each call: sharing a token needs the database. */
  function signInEachTime() {
    const signIn = new PosSignIn(http, 2_000);
    return {
      get: async (to: PosTarget, failed?: PosToken) => {
        const result = await signIn.signIn(to, []);
        if ('refused' in result) return result;
        return { token: result.granted.token, generation: (failed?.generation ?? 0) + 1 };
      },
    };
  }

  async function send(event = SALE) {
    const mapped = orders.mapCreate(event);
    if (!('request' in mapped)) throw new Error('the sale is mappable');
    const result = await client.send(target, mapped.request, () => true);
    if (result.step !== 'request') throw new Error('the sign-in succeeds');
    return outcomeOf(result.answer, false);
  }

  test('an order: sign-in, header, field names, whole cents', async () => {
    expect(await send()).toMatchObject({ settling: 'deliver', httpStatus: 200 });
    expect(requests.map(({ path, body }) => ({ path, body }))).toEqual([
      { path: '/v2/sessions', body: { client: 'bistro-1', key: 'bistro-secret' } },
      {
        path: '/v2/sales',
        body: {
          ref: 'sale-1',
          shop: 'B-7',
          at: SALE.receivedAt.getTime(),
          cents: { total: 1000, off: 50, extra: 0 },
          lines: [{ sku: 'C1', n: 3, each: 3.5 }],
          paid: [
            ['cash', 500],
            ['card', 500],
          ],
        },
      },
    ]);
    expect(requests[1]?.headers).toMatchObject({ 'x-session': 'session-1' });
    expect(requests[1]?.headers).not.toHaveProperty('secret');
  });

  test('the sale that was read from the body gives the same order as the stored payload', () => {
    const sale = orders.parse(SALE.payload);
    if ('problems' in sale) throw new Error(sale.problems.join());
    expect(orders.mapCreate({ ...SALE, payload: {}, sale })).toEqual(orders.mapCreate(SALE));
  });

  test('another vendor gets options, notes, tip, fee and evidence nested (M17 to M22)', () => {
    let seen: Order | undefined;
    const createOrder = (order: Order) => {
      seen = order;
      return bistro.createOrder(order);
    };
    const vendor = { ...bistro, createOrder };
    const mapper = new OrderMapper(vendor);
    const options = [{ itemCode: 'M', itemName: 'Oat milk', price: 0.5 }];
    const payments = [{ tenderType: 16, amount: 13, brand: 'VISA', installments: 2 }];
    const items = [{ ...SALE.payload.items[0], options, notes: 'hot' }];
    const payload = { ...SALE.payload, items, payments, notes: 'to go', tipAmount: 0.75, serviceFeeAmount: 0.2 };
    expect(mapper.mapCreate({ ...SALE, payload })).toHaveProperty('request');
    expect(seen).toMatchObject({
      ...{ total: 1300n, discount: 0n, surcharge: 100n, tip: 75n, serviceFee: 20n, notes: 'to go' },
      items: [{ notes: 'hot', options: [{ code: 'M', name: 'Oat milk', quantity: 1, unitPrice: 0.5 }] }],
      payments: [{ amount: 1300n, evidence: { brand: 'VISA', installments: 2 } }],
    });
  });

  test('a cancel: another path, no body', async () => {
    await client.send(target, bistro.cancelOrder({ id: SALE.eventKey, store: SALE.codeStorePos }), () => true);
    expect(requests[1]).toMatchObject({ path: '/v2/stores/B-7/sales/sale-1/void', body: '' });
  });

  test.each([
    [409, 'CLOSED', 'park', 'HTTP 409, POS error CLOSED: of [secret]'],
    [409, 'BUSY', 'retry', 'HTTP 409, POS error BUSY: of [secret]'],
    [409, 'KNOWN', 'park', 'HTTP 409, POS error KNOWN: of [secret]'],
    [503, 'CLOSED', 'retry', 'HTTP 503, POS error CLOSED: of [secret]'],
  ])('its error codes are classified: %i %s: %s', async (status, problem, settling, error) => {
    answers = [{ status, problem, text: 'of bistro-secret' }];
    expect(await send()).toMatchObject({ settling, error, errorCode: problem, httpStatus: status });
  });

  test('an expired session is replaced, and the order sent again', async () => {
    answers = [{ status: 410, problem: 'EXPIRED', text: 'sign in' }];
    expect(await send()).toMatchObject({ settling: 'deliver' });
    expect(requests.map(({ path, headers }) => [path, headers['x-session']])).toEqual([
      ['/v2/sessions', undefined],
      ['/v2/sales', 'session-1'],
      ['/v2/sessions', undefined],
      ['/v2/sales', 'session-3'],
    ]);
  });

  test('a tender type without a code is unmappable', () => {
    const payload = { ...SALE.payload, payments: [{ tenderType: 50, amount: 10.5 }] };
    expect(orders.mapCreate({ ...SALE, payload })).toEqual({
      unmappable: 'payments[0].tenderType: 50 is not in the tender table (POS_TENDER_TYPES)',
    });
  });
});
