import { orderPlace } from '../../../console/src/api/order-place.js';
import { plural } from '../../../console/src/i18n/plural.js';
import { lineCents, readPos, readTerminal } from '../../../console/src/pages/order/bodies.js';

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
  test('whatever the terminal sent is shown, also what no order can be made of', () => {
    const { items, payments, total } = readTerminal({
      items: [{ itemCode: 7, itemName: null, quantity: 'two', price: 1.5 }, 'nonsense', null],
      payments: { tenderType: 1 },
      totalAmount: '12',
    });
    expect(items).toEqual([{ index: 0, code: '7', name: '', quantity: 'two', price: 1.5 }]);
    expect([payments, total]).toEqual([[], undefined]);
  });

  test('a tender type has its name, and one that nobody knows its number', () => {
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
    expect(lineCents({ quantity, price })).toBe(cents);
  });

  test('amounts of the POS are read to the cent', () => {
    const { total, discount, surcharge } = readPos({ total_amount: 68.22, total_discount: 7.58, total_increase: 0 });
    expect([total, discount, surcharge]).toEqual([6822, 758, 0]);
  });
});
