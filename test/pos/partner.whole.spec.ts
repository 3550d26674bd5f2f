import type { JsonObject } from '../../src/domain/transaction.js';
import type { PosWireSettings } from '../../src/platform/config/pos-config.js';
import { ITEM_FIELDS, ORDER_FIELDS, PAYMENT_FIELDS } from '../../src/platform/config/pos-fields.js';
import { partner } from '../../src/pos/vendors/partner/partner.js';
import type { PosOrder } from '../../src/pos/vendors/partner/wire.js';
import { lineCents } from '../../tools/simulator/amounts.js';
import { compute, item, paid } from '../domain/builders.js';

function bodyOf(parts: JsonObject = {}, settings: PosWireSettings = {}): PosOrder {
  const vendor = partner(settings);
  return vendor.createOrder(compute(parts, vendor)).body as PosOrder;
}

const CHEESE = { itemCode: 'CH', itemName: 'Cheese', quantity: 2, price: 2.5 };
const NO_ONION = { itemCode: 'NO', itemName: 'No onion' };
const PIZZA = item(10, 3, { options: [CHEESE, NO_ONION], notes: 'well done 🔥' });

describe('options in the body (M19)', () => {
  test('an option is a line of its own directly after its item: quantity of item x option, name with "+ "', () => {
    const body = bodyOf({ items: [PIZZA, item(1)], payments: [paid(46)] });
    expect(body.items).toEqual([
      { integration_code: 'C1', desc_item: 'Coffee', quantity: 3, unit_price: 10 },
      { integration_code: 'CH', desc_item: '+ Cheese', quantity: 6, unit_price: 2.5 },
      { integration_code: 'NO', desc_item: '+ No onion', quantity: 3, unit_price: 0 },
      { integration_code: 'C1', desc_item: 'Coffee', quantity: 1, unit_price: 1 },
    ]);
    expect(body).toMatchObject({ total_amount: 46, total_discount: 0, total_increase: 0 });
  });

  test('the quantity is the exact product, not that of floats', () => {
    const lines = bodyOf({ items: [item(10, 0.1, { options: [{ ...CHEESE, quantity: 3 }] })] }).items;
    expect(lines[1]?.quantity).toBe(0.3);
    const huge = bodyOf({ items: [item(0, 1 / 3, { options: [{ ...CHEESE, quantity: 1 / 3 }] })] }).items;
    expect(huge[1]?.quantity).toBeCloseTo(1 / 9, 15);
  });

  test.each<[string, JsonObject, number, number]>([
    ['more cents than the line total: a discount', { price: 0.005, other: 0.005, amount: 0.01 }, 0.01, 0],
    ['fewer cents: an increase', { price: 0.004, other: 0.004, amount: 0.01 }, 0, 0.01],
    ['fewer, and a discount: it is less', { price: 0.004, other: 0.004, amount: 0.01, more: 1 }, 0.99, 0],
    ['more, and another surcharge: it is less', { price: 0.005, other: 0.005, amount: 2.01 }, 0, 1.99],
    ['more, and a tip: the tip stays', { price: 0.005, other: 0.005, amount: 2.01, tip: 2 }, 0.01, 2],
  ])('lines that the POS rounds to %s (M7)', (_, { price, other, amount, more, tip }, discount, increase) => {
    const items = [item(price, 1, { options: [{ ...NO_ONION, price: other }] }), ...(more ? [item(more)] : [])];
    const body = bodyOf({ items, payments: [paid(amount)], tipAmount: tip });
    expect(body).toMatchObject({ total_amount: amount, total_discount: discount, total_increase: increase });
    const lines = body.items.reduce((sum, line) => sum + Number(lineCents(line)), 0);
    expect(lines + Math.round(increase * 100) - Math.round(discount * 100)).toBe(Math.round((amount as number) * 100));
  });

  test('POS_OPTIONS_FIELD: they are a list in that field of their item', () => {
    const items = [item(0.004, 1, { options: [{ ...CHEESE, price: 0.003 }] }), item(1)];
    const body = bodyOf({ items, payments: [paid(1.01)] }, { optionsField: 'additions' });
    expect(body.items).toEqual([
      {
        ...{ integration_code: 'C1', desc_item: 'Coffee', quantity: 1, unit_price: 0.004 },
        additions: [{ integration_code: 'CH', desc_item: 'Cheese', quantity: 2, unit_price: 0.003 }],
      },
      { integration_code: 'C1', desc_item: 'Coffee', quantity: 1, unit_price: 1 },
    ]);
    expect(body).toMatchObject({ total_discount: 0, total_increase: 0 });
  });

  test('odd options are sent as lines, or folded (M23)', () => {
    const items = [item(10, 2, { options: [{ ...NO_ONION, price: -1.5 }] })];
    const lines = ({ items }: PosOrder) => items.map(({ quantity, unit_price }) => [quantity, unit_price]);
    const sent = bodyOf({ items, payments: [paid(17)] });
    expect(lines(sent)).toEqual([
      [2, 10],
      [2, -1.5],
    ]);
    expect(sent).toMatchObject({ total_discount: 0, total_increase: 0 });
    const folded = bodyOf({ items, payments: [paid(17)] }, { oddLines: 'fold' });
    expect(lines(folded)).toEqual([[2, 10]]);
    expect(folded).toMatchObject({ total_discount: 3, total_increase: 0 });
  });
});

test('total_increase has tip, service fee and other surcharge (M20)', () => {
  const body = bodyOf({ tipAmount: 2, serviceFeeAmount: 1.2, payments: [paid(14)] });
  expect(body).toMatchObject({ total_amount: 14, total_discount: 0, total_increase: 4 });
});

describe('fields that some POS have (M21, M22)', () => {
  const evidence = { authorizationCode: '004213', brand: 'VISA', installments: 2 };
  const parts = { notes: 'table 4', items: [PIZZA], payments: [{ ...paid(45), ...evidence }] };

  test('notes and evidence are not sent unless their field is set', () => {
    const text = JSON.stringify(bodyOf(parts));
    for (const sent of ['table 4', 'well done', '004213', 'VISA']) expect(text).not.toContain(sent);
    expect(Object.keys(bodyOf(parts))).toEqual([...ORDER_FIELDS]);
    expect(Object.keys(bodyOf(parts).items[0] ?? {})).toEqual([...ITEM_FIELDS]);
    expect(Object.keys(bodyOf(parts).payment_types[0] ?? {})).toEqual([...PAYMENT_FIELDS]);
  });

  test('notes are in their fields, after the fields of the relay', () => {
    const body = bodyOf(parts, { itemNotesField: 'remark', orderNotesField: 'observation' });
    expect(body).toMatchObject({ observation: 'table 4' });
    expect(Object.keys(body)).toEqual([...ORDER_FIELDS, 'observation']);
    expect(body.items.map((line) => ({ remark: undefined, ...line }).remark)).toEqual([
      'well done 🔥',
      undefined,
      undefined,
    ]);
  });

  test('an order and an item without notes do not have the field', () => {
    const settings = { itemNotesField: 'remark', orderNotesField: 'observation', optionsField: 'additions' };
    expect(bodyOf({}, settings)).toEqual(bodyOf());
  });

  test('evidence is in the fields that POS_PAYMENT_FIELDS names, and replaces what the tender has there', () => {
    const paymentFields = { authorizationCode: 'auth', brand: 'network', terminalId: 'tid' };
    const tenderTypes = { 1: { code: 'DIN', network: 'none', kind: 'x' } };
    expect(bodyOf(parts, { paymentFields, tenderTypes }).payment_types).toEqual([
      { code: 'DIN', network: 'VISA', kind: 'x', amount: 45, auth: '004213' },
    ]);
    expect(bodyOf({}, { paymentFields, tenderTypes }).payment_types).toEqual([
      { code: 'DIN', network: 'none', kind: 'x', amount: 10 },
    ]);
  });
});
