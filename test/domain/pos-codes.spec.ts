import type { Order } from '../../src/domain/order.js';
import { itemCodesOf, NO_CODES, type PosCodes, rulesWith, tenderKeys, withCodes } from '../../src/domain/pos-codes.js';
import { readSale } from '../../src/domain/sale.js';
import { compute, computed, item, paid, payload, RULES } from './builders.js';

const codes = (parts: Partial<PosCodes>): PosCodes => ({ ...NO_CODES, ...parts });
const named = (pairs: Record<string, string>) =>
  new Map(Object.entries(pairs).map(([key, code]) => [key, { code, name: null }] as const));
const linesOf = ({ items }: Order) => items.map(({ code, name }) => [code, name]);

describe('the codes of a restaurant in an order', () => {
  test('without codes the order is the same object (I1)', () => {
    const order = compute();
    expect(withCodes(order, NO_CODES)).toBe(order);
  });

  test('each line of a code has the code of the POS, others keep theirs; nothing else changes (I2)', () => {
    const order = compute({ items: [item(4), item(3, 2), item(0, 1, { itemCode: 'T9' })] });
    const changed = withCodes(order, codes({ items: named({ C1: 'P-1' }) }));
    expect(linesOf(changed)).toEqual([
      ['P-1', 'Coffee'],
      ['P-1', 'Coffee'],
      ['T9', 'Coffee'],
    ]);
    expect({ ...changed, items: [] }).toEqual({ ...order, items: [] });
    expect(changed.items.map(({ quantity, unitPrice }) => [quantity, unitPrice])).toEqual([
      [1, 4],
      [2, 3],
      [1, 0],
    ]);
  });

  test('options have the codes of the restaurant, too (I2)', () => {
    const options = [
      { itemCode: 'O', itemName: 'Milk', price: 1 },
      { itemCode: ' ', itemName: 'No sugar' },
    ];
    const order = compute({ items: [item(10, 1, { options })] });
    const [changed] = withCodes(order, codes({ items: named({ C1: 'P-1', O: 'P-2' }), defaultItem: 'MISC' })).items;
    expect(changed?.options?.map(({ code, name }) => [code, name])).toEqual([
      ['P-2', 'Milk'],
      ['MISC', 'No sugar'],
    ]);
  });

  test('codes that change places do so: no code is looked up twice (I2)', () => {
    const order = compute({ items: [item(5), item(5, 1, { itemCode: 'C2' })] });
    expect(linesOf(withCodes(order, codes({ items: named({ C1: 'C2', C2: 'C1' }) })))).toEqual([
      ['C2', 'Coffee'],
      ['C1', 'Coffee'],
    ]);
  });

  test('a code may be that of the POS itself; its name is sent if there is one (I2)', () => {
    const order = compute();
    expect(withCodes(order, codes({ items: named({ C1: 'C1' }) })).items).toEqual(order.items);
    const items = new Map([['C1', { code: 'C1', name: 'Espresso' }]]);
    expect(linesOf(withCodes(order, codes({ items })))).toEqual([['C1', 'Espresso']]);
  });

  test.each([null, '', ' \t'])(
    'an item with the code %j has the default, with the name of the terminal; one with a code keeps it (I3)',
    (itemCode) => {
      const order = compute({ items: [item(6, 1, { itemCode }), item(4)] });
      expect(linesOf(withCodes(order, codes({ defaultItem: 'MISC' })))).toEqual([
        ['MISC', 'Coffee'],
        ['C1', 'Coffee'],
      ]);
      expect(linesOf(withCodes(order, codes({ items: named({ '': 'X', ' \t': 'X' }) })))[0]).toEqual([
        itemCode ?? '',
        'Coffee',
      ]);
    },
  );

  test('a tender with its brand comes before the tender alone (I6)', () => {
    const payments = [{ ...paid(4, 16), brand: 'VISA' }, { ...paid(3, 16), brand: 'ELO' }, paid(3)];
    const { payments: found } = withCodes(
      compute({ payments }),
      codes({ tenders: named({ '16|VISA': 'V', '16': 'C' }) }),
    );
    expect(found.map(({ code }) => code)).toEqual(['V', 'C', undefined]);
  });

  test.each([
    [16, undefined, ['16']],
    ['16', 'VISA', ['16|VISA', '16']],
    [16, '', ['16']],
    [16, 7, ['16']],
    [null, 'VISA', []],
    ['', 'VISA', []],
    [{}, undefined, []],
  ])('the keys of the tender %j of the brand %j (I6)', (type, brand, keys) => {
    expect(tenderKeys(type, brand)).toEqual(keys);
  });

  test('a tender that only the restaurant knows makes an order of a sale that had none (I6)', () => {
    const rules = {
      ...RULES,
      acceptsTender: (type: unknown) => type === 1,
      knowsTender: (type: unknown) => type === 1,
    };
    const sold = { payments: [paid(6), { ...paid(4, '99'), brand: 'X' }] };
    expect(computed(sold, rules)).toEqual({ unmappable: expect.stringContaining('"99" is not in the tender table') });
    for (const key of ['99', '99|X']) {
      const sale = readSale(payload(sold), rulesWith(rules, codes({ tenders: named({ [key]: 'V' }) })));
      expect(sale.order).toMatchObject({ payments: [{ tenderType: 1 }, { tenderType: '99' }] });
      expect(sale.warnings).toEqual([]);
    }
    const other = readSale(payload(sold), rulesWith(rules, codes({ tenders: named({ '98': 'V' }) })));
    expect(other.order).toEqual({ unmappable: expect.any(String) });
  });

  test('the codes of the items of a sale, and of what stands within them, each once (I8)', () => {
    const items = [
      { itemCode: 'A', options: [{ itemCode: 7 }, 'x', null] },
      { itemCode: 'A' },
      { itemCode: '' },
      { itemCode: ' ' },
      3,
    ];
    expect([...itemCodesOf(items)]).toEqual(['A', '7']);
    expect([...itemCodesOf('no list')]).toEqual([]);
  });
});
