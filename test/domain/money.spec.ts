import {
  allocateCents,
  amountCents,
  type Decimal,
  decimal,
  fromCents,
  isAmount,
  lineCents,
  multiply,
  sum,
} from '../../src/domain/money.js';

const decimals = (...values: number[]): Decimal[] => values.map(decimal);

describe('a number is converted by its shortest decimal text', () => {
  test.each([
    [0, 0n, 0],
    [7, 7n, 0],
    [49.9, 499n, 1],
    [0.355, 355n, 3],
    [-1.25, -125n, 2],
    [0.1 + 0.2, 30000000000000004n, 17],
    [1e-7, 1n, 7],
    [1.5e-7, 15n, 8],
    [1e21, 1_000_000_000_000_000_000_000n, 0],
    [1.25e21, 1_250_000_000_000_000_000_000n, 0],
    [9_999_999_999.99, 999_999_999_999n, 2],
  ])('%d is %d / 10^%i', (value, units, scale) => {
    expect(decimal(value)).toEqual({ units, scale });
  });

  test('a negative zero is zero', () => {
    expect(decimal(-0).units).toBe(0n);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%d is refused', (value) => {
    expect(() => decimal(value)).toThrow(RangeError);
  });
});

describe('cents are rounded half up', () => {
  test.each([
    [0, 0n],
    [3, 300n],
    [0.5, 50n],
    [12.34, 1234n],
    [0.004, 0n],
    [0.0049999999, 0n],
    [0.005, 1n],
    [0.01499999999, 1n],
    [0.015, 2n],
    [2.675, 268n], // toFixed says 2.67
    [1.005, 101n], // toFixed says 1.00
    [1.004, 100n],
    [1.0049, 100n],
    [-0.005, -1n],
    [-0.004, 0n],
    [-2.675, -268n],
    [9_999_999_999.99, 999_999_999_999n],
  ])('%d is %d cents', (value, cents) => {
    expect(amountCents(value)).toBe(cents);
  });

  test('a tie that a float product would miss is still a tie', () => {
    // as floats: 1.15 x 0.1 = 0.11499999999999999
    expect(lineCents(1.15, 0.1)).toBe(12n);
  });
});

test('sums and products are exact', () => {
  expect(sum(decimals(0.1, 0.2))).toEqual(decimal(0.3));
  expect(sum(decimals(1, 0.5, 0.25, 0.0001))).toEqual(decimal(1.7501));
  expect(sum([])).toEqual({ units: 0n, scale: 0 });
  expect(multiply(decimal(0.355), decimal(49.9))).toEqual({ units: 177145n, scale: 4 });
});

describe('cents become currency units', () => {
  test.each([
    [0n, 0],
    [1n, 0.01],
    [1234n, 12.34],
    [-5n, -0.05],
    [999_999_999_999n, 9_999_999_999.99],
  ])('%d is %d', (cents, units) => {
    expect(fromCents(cents)).toBe(units);
  });
});

describe('allocation of cents', () => {
  test.each<[string, number[], bigint[]]>([
    ['whole cents stay as they are', [12.34, 5], [1234n, 500n]],
    ['no parts, no cents', [], []],
    ['one part is rounded half up', [1.005], [101n]],
    ['one part below half a cent is cut', [1.004], [100n]],
    ['the cent left over goes to the largest remainder', [1.001, 1.007, 1.002], [100n, 101n, 100n]],
    ['among equal remainders the earlier part gets the cent', [3.335, 3.335], [334n, 333n]],
    ['several cents go to several parts', [0.999, 0.999, 0.999], [100n, 100n, 100n]],
    ['thirds add up to the whole', [3.3333, 3.3333, 3.3334], [333n, 333n, 334n]],
    ['a part in whole cents gets none of the rest', [1, 0.0049, 0.0049], [100n, 1n, 0n]],
    ['remainders of different scales are compared by value', [1.005, 1.0049999], [101n, 100n]],
  ])('%s', (_, parts, cents) => {
    expect(allocateCents(parts)).toEqual(cents);
  });

  test('the parts are not changed', () => {
    const parts = [1.005, 1.005];
    allocateCents(parts);
    expect(parts).toEqual([1.005, 1.005]);
  });
});

test.each<[unknown, boolean]>([
  [0, true],
  [9_999_999_999.99, true],
  [-9_999_999_999.99, true],
  [1e10, false],
  [-1e10, false],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
  ['5', false],
  [null, false],
])('an amount is a finite number below 10^10: %p %p (L9)', (value, is) => {
  expect(isAmount(value)).toBe(is);
});
