import { orderPlace } from '../../../../console/src/api/order-place.js';
import { plural } from '../../../../console/src/i18n/plural.js';
import { lineCents, readPos, readTerminal } from '../../../../console/src/pages/order/bodies.js';
import { endingOf, takenBackAt } from '../../../../console/src/pages/order/ending.js';
import { currentDay, daysAfter, daysUntil, isDay } from '../../../../console/src/pages/takings/days.js';

describe('the words of the console', () => {
  test('a number has the form that the language gives it, and its digits', () => {
    const orders = plural('en', { one: '# order', other: '# orders' });
    const pedidos = plural('pt-BR', { one: '# pedido', other: '# pedidos' });
    expect([0, 1, 2, 1_234].map(orders)).toEqual(['0 orders', '1 order', '2 orders', '1,234 orders']);
    expect([0, 1, 2, 1_234].map(pedidos)).toEqual(['0 pedido', '1 pedido', '2 pedidos', '1.234 pedidos']);
  });

  test.each([
    ['SALE-1001', '/r/1/orders/SALE-1001'],
    ['a.b~c', '/r/1/orders/a.b~c'],
    ['.', '/r/1/orders/key?key=.'],
    ['..', '/r/1/orders/key?key=..'],
    ['key', '/r/1/orders/key?key=key'],
    ['a/b?c#d%', '/r/1/orders/key?key=a%2Fb%3Fc%23d%25'],
    ['<script>', '/r/1/orders/key?key=%3Cscript%3E'],
  ])('the order %s has the place %s', (key, place) => {
    expect(orderPlace('1', key)).toBe(place);
  });
});

describe('both sides of an order', () => {
  test('all data of the terminal is shown, also invalid data', () => {
    const { items, payments, total } = readTerminal({
      items: [{ itemCode: 7, itemName: null, quantity: 'two', price: 1.5 }, 'nonsense', null],
      payments: { tenderType: 1 },
      totalAmount: '12',
    });
    expect(items).toEqual([{ index: 0, code: '7', name: '', quantity: 'two', price: 1.5, options: [] }]);
    expect([payments, total]).toEqual([[], undefined]);
  });

  test('a known tender type has a name, an unknown one its number', () => {
    const { payments } = readTerminal({
      payments: [
        { tenderType: 1, amount: 5 },
        { tenderType: 'constructor', amount: 1 },
      ],
    });
    expect(payments.map(({ type, name }) => [type, name])).toEqual([
      ['1', 'cash'],
      ['constructor', undefined],
    ]);
  });

  test.each([
    [2, 5.5, 1100],
    [0.355, 49.9, 1771],
    [1, -3, -300],
    [-1, 0.125, -13],
    [1, 0.125, 13],
    [-2, -5, 1000],
    [0, -7, 0],
    ['2', 5, undefined],
    [2, null, undefined],
  ])('a line of %p x %p has the sum %p: rounded as the relay does, below zero too (M2)', (quantity, price, cents) => {
    expect(lineCents({ quantity, price, options: [] })).toBe(cents);
  });

  test('options, notes, evidence, tip and service fee are those that the relay reads (M17 to M22)', () => {
    const bacon = { itemCode: 'B', itemName: 'Bacon', quantity: 2, price: 1.5 };
    const { items, payments, tip, serviceFee, notes } = readTerminal({
      items: [
        { itemCode: 'H', itemName: 'Burger', quantity: 2, price: 10, options: [bacon, 'text'], notes: 'no onions\n' },
      ],
      payments: [{ tenderType: 16, amount: 30, authorizationCode: 'A1', installments: 'many' }],
      notes: 7,
      tipAmount: 3,
      serviceFeeAmount: -1,
    });
    const [burger] = items;
    expect([burger?.options.map(({ name }) => name), burger?.notes]).toEqual([['Bacon'], 'no onions']);
    expect(lineCents(burger as NonNullable<typeof burger>)).toBe(2_600);
    expect([payments[0]?.evidence, tip, serviceFee, notes]).toEqual([
      { authorizationCode: 'A1' },
      300,
      undefined,
      undefined,
    ]);
  });

  test('amounts of the POS are read to the cent', () => {
    const { total, discount, surcharge } = readPos({ total_amount: 68.22, total_discount: 7.58, total_increase: 0 });
    expect([total, discount, surcharge]).toEqual([6822, 758, 0]);
  });
});

describe('the business days of the page', () => {
  test.each([
    ['America/Sao_Paulo', '04:00', '2026-11-21T06:59:59Z', '2026-11-20'],
    ['America/Sao_Paulo', '04:00', '2026-11-21T07:00:00Z', '2026-11-21'],
    ['America/Sao_Paulo', '00:00', '2026-11-21T02:59:59Z', '2026-11-20'],
    ['Asia/Kathmandu', '00:00', '2026-11-20T18:15:00Z', '2026-11-21'],
    ['Pacific/Auckland', '02:30', '2026-12-31T13:29:59Z', '2026-12-31'],
    ['Pacific/Auckland', '02:30', '2026-12-31T13:30:00Z', '2027-01-01'],
  ])('in %s, closing at %s, it is at %s still the day %s (R15)', (zone, closes, now, day) => {
    expect(currentDay(zone, closes, Date.parse(now))).toBe(day);
  });

  test('days follow each other over months, years and changes of the clock', () => {
    expect(daysAfter('2026-03-28', 2)).toBe('2026-03-30');
    expect(daysAfter('2027-01-01', -1)).toBe('2026-12-31');
    expect(daysUntil('2028-03-01', 3)).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
  });

  test.each([null, '', '2026-02-30', '2026-1-1', '0002-01-01', 'today', '2026-11-20T00:00'])('%p is no day', (text) => {
    expect(isDay(text)).toBe(false);
  });
});

const attempt = (httpStatus: number | null, errorCode: string | null = null) =>
  ({ outcome: 'SENT', httpStatus, errorCode }) as never;
const at = '2026-11-22T20:00:00.000Z';

describe('what the POS said by the attempt that settled a job (N12)', () => {
  test.each([
    ['CREATE', 200, null, 'delivered'],
    ['CREATE', 400, '904', 'duplicate'],
    ['CREATE', 200, 'ASKED_FOUND', 'found'],
    ['CANCEL', 200, null, 'cancelDelivered'],
    ['CANCEL', 404, null, 'cancelAbsent'],
    ['CANCEL', 404, 'ASKED_NOT_FOUND', 'cancelAbsent'],
    ['CANCEL', null, 'ASKED_NOT_FOUND', 'cancelAbsent'],
  ] as const)('%s, HTTP %s, %s: %s', (action, status, code, ending) => {
    expect(endingOf(action, attempt(status, code))).toBe(ending);
  });

  test('a cancelled order was taken back by the POS, or the POS never had it', () => {
    const create = { action: 'CREATE', history: [attempt(200)], updatedAt: at } as const;
    const cancel = (...history: never[]) => ({ action: 'CANCEL', history, updatedAt: at }) as const;
    const failed = { outcome: 'FAILED', httpStatus: 503, errorCode: null } as never;
    expect(takenBackAt([create, cancel(failed, attempt(200))])).toBe(at);
    expect(takenBackAt([create, cancel(failed, attempt(404))])).toBeUndefined();
    expect(takenBackAt([create, cancel()])).toBeUndefined();
    expect(takenBackAt([create])).toBeUndefined();
  });
});
