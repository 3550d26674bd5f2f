import type { Sighting } from '../../src/domain/lookup.js';
import { readAnswer, sightingOf } from '../../src/pos/answer.js';
import type { HttpExchange } from '../../src/pos/http-exchange.js';
import type { WireLookup } from '../../src/pos/vendor.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';

const ORDER = { id: 'T-1', store: '0042' };
const VENDOR = partner({ lookupPath: '/order/{order_id}', temporaryErrorCodes: new Set([950]) });

function sighting(status: number, body: string | object, broken = false, order = ORDER): Sighting {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const exchange: HttpExchange = { kind: 'answered', status, retryAfter: undefined, body: text, broken };
  return sightingOf(exchange, readAnswer(exchange, VENDOR, 0, []), VENDOR.lookup as WireLookup, order);
}

describe('looking up an order (D20)', () => {
  test('without POS_ORDER_LOOKUP_PATH there is no look-up', () => {
    expect(partner({}).lookup).toBeUndefined();
  });

  test.each([
    ['/order/{order_id}', 'T-1', '/order/T-1'],
    ['/order/{order_id}', 'a/b ä?&#%', '/order/a%2Fb%20%C3%A4%3F%26%23%25'],
    ['/orders?id={order_id}&store={cod_store}', 'T&1', '/orders?id=T%261&store=0042'],
    ['/stores/{cod_store}/orders/{order_id}/{order_id}', '$&', '/stores/0042/orders/%24%26/%24%26'],
  ])('%s of %s is %s', (lookupPath, id, path) => {
    expect(partner({ lookupPath }).lookup?.path({ ...ORDER, id })).toBe(path);
  });

  test.each([
    ['/order/{order_id}', '.', '0042', '/order/%2E'],
    ['/order/{order_id}', '..', '0042', '/order/%2E%2E'],
    ['/stores/{cod_store}/orders/{order_id}', 'T-1', '..', '/stores/%2E%2E/orders/T-1'],
    ['/order/{order_id}', '...', '0042', '/order/...'],
    ['/order/{order_id}', '../auth', '0042', '/order/..%2Fauth'],
    ['/order/{order_id}', '%2e%2e', '0042', '/order/%252e%252e'],
  ])('a key or code never leads to another path: %s of %j and %j is %s (D22)', (lookupPath, id, store, path) => {
    expect(partner({ lookupPath }).lookup?.path({ id, store })).toBe(path);
  });

  test.each<[string, unknown]>([
    ['an object', { toString: 1 }],
    ['an object that converts to nothing', { toString: null, valueOf: null }],
    ['a list of the very key', ['T-1']],
    ['true', true],
  ])('unclear: an order_id or a cod_store that is %s', (_, value) => {
    expect(sighting(200, { order_id: value })).toBe('unclear');
    expect(sighting(200, { order_id: 'T-1', cod_store: value })).toBe('unclear');
    expect(sighting(200, { data: { orderId: value, status: value } })).toBe('unclear');
    expect(sighting(200, { order_id: 'T-1', status: value })).toBe('found');
  });

  test.each<[string, number, string | object]>([
    ['an object', 200, {}],
    ['201', 201, { status: 'ACCEPTED' }],
    ['the order', 200, { order_id: 'T-1', cod_store: '0042', status: 'ACCEPTED' }],
    ['the order under data, its store a number', 200, { data: { orderId: 'T-1', cod_store: '0042' } }],
    ['a cancelled order', 200, { order_id: 'T-1', status: 'CANCELLED' }],
    ['the order and more', 200, '{"order_id":"T-1","note":"a\nb"};<html>'],
  ])('found: %s', (_, status, body) => {
    expect(sighting(status, body)).toBe('found');
  });

  test.each<[string, string | object]>([
    ['the error body', { errorCode: 404, message: 'unknown order' }],
    ['an empty body', ''],
    ['an object', {}],
  ])('not found: 404 with %s', (_, body) => {
    expect(sighting(404, body)).toBe('not-found');
  });

  test.each<[string, number, object]>([
    ['status IN_PROGRESS', 200, { status: 'IN_PROGRESS' }],
    ['status PROCESSING under data', 200, { data: { order_id: 'T-1', status: 'PROCESSING' } }],
    ['202', 202, { order_id: 'T-1' }],
  ])('in progress: %s', (_, status, body) => {
    expect(sighting(status, body)).toBe('in-progress');
  });

  test.each<[string, number, string | object]>([
    ['another order', 200, { order_id: 'T-2' }],
    ['the same key of another store', 200, { order_id: 'T-1', cod_store: '0043' }],
    ['an error code with a 200', 200, { errorCode: 12 }],
    ['a refused token with a 200', 200, { errorCode: 902 }],
    ['a refused token with a 404', 404, { errorCode: 901 }],
    ['a temporary error code with a 404', 404, { errorCode: 950 }],
    ['an empty 200', 200, ''],
    ['204', 204, ''],
    ['a list', 200, '[]'],
    ['a list of the order', 200, '[{"order_id":"T-1"}]'],
    ['a page with a script', 200, '<html><script>{}; x = {"order_id":"T-1"}'],
    ['a page with a script and a 404', 404, '<html><script>{}; x = {"order_id":"T-1"}'],
    ['an order that is cut', 200, '{"order_id":"T-1","status":"ACC'],
    ['an order that is faulty', 404, '{"order_id":"T-1",oops}'],
    ['an order and an error', 200, '{"order_id":"T-1"}{"errorCode":12}'],
    ['a page with a 200', 200, '<html>'],
    ['a page with a 404', 404, '<html>'],
    ['301', 301, {}],
    ...[400, 401, 403, 408, 409, 410, 429, 500].map(
      (status) => [String(status), status, {}] as [string, number, object],
    ),
    ['503', 503, ''],
  ])('unclear: %s', (_, status, body) => {
    expect(sighting(status, body)).toBe('unclear');
  });

  test.each([200, 404])('unclear: a %d whose body breaks off', (status) => {
    expect(sighting(status, '{}', true)).toBe('unclear');
  });

  test.each(['.', '..'])('unclear: any answer for the key %j, which is another path', (id) => {
    for (const status of [200, 404]) expect(sighting(status, {}, false, { ...ORDER, id })).toBe('unclear');
  });

  test('unclear: no answer', () => {
    const exchange = { kind: 'unanswered', reach: 'UNKNOWN', code: 'TIMEOUT', message: 'late' } as const;
    const answer = readAnswer(exchange, VENDOR, 0, []);
    expect(sightingOf(exchange, answer, VENDOR.lookup as WireLookup, ORDER)).toBe('unclear');
  });
});
