import { namedItems, namesCode } from '../../src/domain/named-items.js';

describe('the product that a POS names (I11)', () => {
  test.each([
    ['HTTP 422, POS error 310: unknown product A-7', 'A-7', true],
    ['HTTP 422, POS error 310: unknown product A-7', 'A', false],
    ['HTTP 422, POS error 310: unknown product A-70', 'A-7', false],
    ['HTTP 422, POS error 310: unknown product', '310', false],
    ['HTTP 422, POS error 310: unknown product', '422', false],
    ['HTTP 422: unknown product 422', '422', true],
    ['code "10042" is unknown', '10042', true],
    ['code 100421 or 10042', '10042', true],
    ['produto não cadastrado: ção', 'ção', true],
    ['produto não cadastrado: cação', 'ção', false],
    ['unknown product 🍕', '🍕', true],
    ['anything', '', false],
  ])('%j names %j: %j (I11)', (error, code, named) => {
    expect(namesCode(error, code)).toBe(named);
  });

  test('are counted once for each order, those of most orders first (I11)', () => {
    const item = (code: string, posCode = code) => ({ code, name: null, posCode });
    const refusals = [
      { lastError: 'unknown X', items: [item('A', 'X'), item('A', 'X'), item('B')] },
      { lastError: 'unknown B and X', items: [item('A', 'X'), item('B')] },
      { lastError: 'unknown', items: [item('C')] },
    ];
    expect(namedItems(refusals, 5)).toEqual([
      { ...item('A', 'X'), orders: 2 },
      { ...item('B'), orders: 1 },
    ]);
    expect(namedItems(refusals, 1)).toHaveLength(1);
  });
});
