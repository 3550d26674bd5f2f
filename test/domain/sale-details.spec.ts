import { withoutFields } from '../../src/domain/hidden-fields.js';
import { detailsOf } from '../../src/domain/sale-details.js';
import { CARD, item, paid, payload } from './builders.js';

const OPTION = { itemCode: 'CH', itemName: 'Cheese', quantity: 2, price: 1.5 };
const SALE = payload({
  ...{ notes: 'table 4\nquick', tipAmount: 2, serviceFeeAmount: 1.2 },
  items: [item(10, 2, { options: [OPTION], notes: 'no onion' }), item('x', null, { itemName: null })],
  payments: [{ ...paid(19, CARD), authorizationCode: '004213', brand: 'VISA', installments: 0 }, paid('x', 1)],
});

describe('what a stored payload says of its sale (M17 to M22)', () => {
  test('lines with options and notes, payments with evidence, tip and service fee', () => {
    expect(detailsOf(SALE)).toEqual({
      items: [
        {
          ...{ code: 'C1', name: 'Coffee', quantity: 2, unitPrice: 10, notes: 'no onion' },
          options: [{ code: 'CH', name: 'Cheese', quantity: 2, unitPrice: 1.5 }],
        },
        { code: 'C1', name: '', quantity: null, unitPrice: null, options: [], notes: null },
      ],
      payments: [
        { tenderType: CARD, amount: 19, evidence: { authorizationCode: '004213', brand: 'VISA' } },
        { tenderType: 1, amount: null, evidence: null },
      ],
      notes: 'table 4 quick',
      tipCents: 200n,
      serviceFeeCents: 120n,
    });
  });

  test('a refund has them below zero', () => {
    expect(detailsOf({ ...SALE, totalAmount: -10, payments: [paid(-10)] })).toMatchObject({ tipCents: -200n });
  });

  test('without the fields, of any payload', () => {
    const none = { notes: null, tipCents: null, serviceFeeCents: null };
    expect(detailsOf({})).toEqual({ items: [], payments: [], ...none });
    expect(detailsOf({ items: 'x', payments: [1], notes: [], tipAmount: {} })).toEqual({
      items: [],
      payments: [],
      ...none,
    });
  });

  test('a text that is hidden says so; other hidden fields are absent (S23)', () => {
    const paths = ['notes', 'tipAmount', 'items.notes', 'items.options', 'payments.brand', 'payments.installments'];
    const hidden = withoutFields(
      SALE,
      paths.map((path) => path.split('.')),
    );
    expect(detailsOf(hidden.payload)).toMatchObject({
      ...{ notes: '[hidden]', tipCents: null, serviceFeeCents: 120n },
      items: [{ options: [], notes: '[hidden]' }, { notes: null }],
      payments: [{ evidence: { authorizationCode: '004213', brand: '[hidden]' } }, { evidence: null }],
    });
  });
});
