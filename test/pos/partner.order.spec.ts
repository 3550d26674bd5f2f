import type { JsonObject } from '../../src/domain/transaction.js';
import type { PosWireSettings } from '../../src/platform/config/pos-config.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';
import type { PosOrder } from '../../src/pos/vendors/partner/wire.js';
import { compute, INSTANT, item, paid } from '../domain/builders.js';

/** The body of the order of a sale, with these settings of the vendor. */
function bodyOf(parts: JsonObject = {}, settings: PosWireSettings = {}, id = 'sale-1'): PosOrder {
  const vendor = partner(settings);
  return vendor.createOrder(compute(parts, vendor, id)).body as PosOrder;
}

describe('the body of an order (M12)', () => {
  test('a cash sale, field by field', () => {
    expect(bodyOf()).toEqual({
      order_id: 'sale-1',
      cod_store: 'POS-7',
      created_at: '2026-03-01T12:30:00.000Z',
      total_amount: 10,
      total_discount: 0,
      total_increase: 0,
      items: [{ integration_code: 'C1', desc_item: 'Coffee', quantity: 1, unit_price: 10 }],
      payment_types: [{ code: 'DIN', amount: 10 }],
    });
  });

  test('order_id is the stored key (M1), created_at in UTC', () => {
    expect(bodyOf({ transactionDate: '2026-03-01T12:30:00+02:00' }, {}, 'sale-1-1772368200000')).toMatchObject({
      order_id: 'sale-1-1772368200000',
      created_at: '2026-03-01T10:30:00.000Z',
    });
  });

  test('an odd line is written as sent, or folded with POS_ODD_LINES=fold (M14)', () => {
    const odd = { items: [item(10), item(-2), item(3, -1), item(9, 0)], payments: [paid(6)] };
    const lines = (body: PosOrder) => body.items.map(({ quantity, unit_price }) => [quantity, unit_price]);
    const asSent = bodyOf(odd);
    expect(lines(asSent)).toEqual([
      [1, 10],
      [1, -2],
      [-1, 3],
      [0, 9],
    ]);
    expect(asSent).toMatchObject({ total_amount: 6, total_discount: 0, total_increase: 1 });
    const folded = bodyOf(odd, { oddLines: 'fold' });
    expect(lines(folded)).toEqual([[1, 10]]);
    expect(folded).toMatchObject({ total_amount: 6, total_discount: 5, total_increase: 1 });
  });
});

test.each<[string, JsonObject, string]>([
  [
    'a discount',
    { items: [item(10)], payments: [paid(8.5)] },
    '"total_amount":8.5,"total_discount":1.5,"total_increase":0',
  ],
  [
    'a surcharge',
    { items: [item(0.3)], payments: [paid(0.1), paid(0.33)] },
    '"total_amount":0.43,"total_discount":0,"total_increase":0.13',
  ],
  [
    'the largest amount',
    { items: [item(9_999_999_999.99)], payments: [paid(9_999_999_999.99)] },
    '"total_amount":9999999999.99,"total_discount":0,"total_increase":0',
  ],
  [
    'a free order',
    { totalAmount: 0, items: [item(10, 2)], payments: [] },
    '"total_amount":0,"total_discount":20,"total_increase":0',
  ],
])('amounts are the shortest decimals of their cents: %s', (_, parts, amounts) => {
  expect(JSON.stringify(bodyOf(parts))).toContain(amounts);
});

test('the order of the fields', () => {
  expect(JSON.stringify(bodyOf({}, { orderExtra: { order_method: 'TICKET' } }))).toBe(
    '{"order_method":"TICKET","order_id":"sale-1","cod_store":"POS-7","created_at":"2026-03-01T12:30:00.000Z",' +
      '"total_amount":10,"total_discount":0,"total_increase":0,' +
      '"items":[{"integration_code":"C1","desc_item":"Coffee","quantity":1,"unit_price":10}],' +
      '"payment_types":[{"code":"DIN","amount":10}]}',
  );
});

describe('payments', () => {
  test('the further fields of a POS_TENDER_TYPES entry are copied into the payment', () => {
    const tenderTypes = { 50: { code: 'PARTNER_PAYMENT', complement: 'pix' } };
    expect(bodyOf({ payments: [paid(10, INSTANT)] }, { tenderTypes, unknownTender: 'reject' }).payment_types).toEqual([
      { code: 'PARTNER_PAYMENT', complement: 'pix', amount: 10 },
    ]);
  });

  test('an entry cannot replace the amount', () => {
    const tenderTypes = { 1: { code: 'DIN', amount: 999 } };
    expect(bodyOf({}, { tenderTypes }).payment_types).toEqual([{ code: 'DIN', amount: 10 }]);
  });

  test('an entry replaces the built-in one, and the others stay', () => {
    const payments = [paid(5, 50), paid(5, 99), paid(5, 1)];
    const tenderTypes = { 50: { code: 'PIX' }, 99: { code: 'VAL' } };
    expect(bodyOf({ payments }, { tenderTypes }).payment_types.map(({ code }) => code)).toEqual(['PIX', 'VAL', 'DIN']);
  });

  test.each([
    ['the code of POS_UNKNOWN_TENDER', { unknownTender: 'OUT' }, 'OUT'],
    ['PARTNER_PAYMENT when that is not set', {}, 'PARTNER_PAYMENT'],
  ])('an unknown tender type gets %s', (_, settings, code) => {
    expect(bodyOf({ payments: [paid(10, 77)] }, settings).payment_types).toEqual([{ code, amount: 10 }]);
  });

  test('with POS_UNKNOWN_TENDER=reject no tender type outside the table is accepted', () => {
    const vendor = partner({ unknownTender: 'reject' });
    expect([1, 16, 28, 50, 77, null].map((tender) => vendor.acceptsTender(tender))).toEqual([
      ...Array(4).fill(true),
      ...Array(2).fill(false),
    ]);
  });
});

describe('POS_ORDER_EXTRA (M12)', () => {
  test('is merged under the body', () => {
    const orderExtra = { order_method: { mode: 'TICKET' } };
    expect(bodyOf({}, { orderExtra })).toEqual({ ...bodyOf(), order_method: { mode: 'TICKET' } });
  });

  test('the body wins over it, field by field', () => {
    const order = bodyOf();
    const orderExtra = Object.fromEntries(Object.keys(order).map((field) => [field, 'from extra']));
    expect(bodyOf({}, { orderExtra })).toEqual(order);
  });
});

describe('the other requests', () => {
  const credentials = { partnerId: 'p-1', secret: 's-1' };

  test('the sign-in is POST /auth with the two headers and no body (T1)', () => {
    expect(partner({}).signIn.request(credentials)).toEqual({
      path: '/auth',
      headers: { 'id-partner': 'p-1', secret: 's-1' },
      body: undefined,
    });
  });

  test('an order goes to /order, a cancel to POS_CANCEL_PATH with order_id and cod_store (D1)', () => {
    const reference = { id: 'sale-1', store: 'POS-7' };
    const body = { order_id: 'sale-1', cod_store: 'POS-7' };
    expect(partner({}).createOrder(compute()).path).toBe('/order');
    expect(partner({}).cancelOrder(reference)).toEqual({ path: '/cancel-order', body });
    expect(partner({ cancelPath: '/order/cancel' }).cancelOrder(reference)).toEqual({ path: '/order/cancel', body });
  });

  test.each([
    ['Bearer when POS_TOKEN_SCHEME is not set', {}, 'Bearer t-1'],
    ['the word of POS_TOKEN_SCHEME', { tokenScheme: 'Token' }, 'Token t-1'],
    ['nothing when it is empty', { tokenScheme: '' }, 't-1'],
  ])('the token has before it %s (T5)', (_, settings, Authorization) => {
    const request = { method: 'POST', path: '/order', body: '{}' } as const;
    expect(partner(settings).headers(credentials, 't-1', request)).toEqual({
      'id-partner': 'p-1',
      secret: 's-1',
      Authorization,
    });
  });
});
