import fc from 'fast-check';
import {
  allocateCents,
  amountCents,
  decimal,
  fromCents,
  lineCents,
  multiply,
  sum,
  toCents,
} from '../../src/domain/money.js';
import { amount, centsOf, RUNS, total } from './arbitraries.js';

/** Any double of a magnitude below 10^10, tiny ones included. */
const double = fc.double({ min: -1e10, max: 1e10, minExcluded: true, maxExcluded: true, noNaN: true });

/** A number of few decimals, of up to 17 digits, and the doubles next to it. */
const near = fc
  .tuple(
    fc.maxSafeInteger(),
    fc.integer({ min: 0, max: 8 }),
    fc.integer({ min: 0, max: 15 }),
    fc.constantFrom(-1, 0, 1),
  )
  .map(([units, scale, cut, step]) => {
    const value = Number(`${Math.trunc(units / 10 ** cut)}e-${scale}`);
    return value + step * Math.abs(value) * Number.EPSILON;
  });
const any = fc.oneof(
  near,
  double,
  amount.map(({ value }) => value),
  fc.constantFrom(0, -0, 0.005, -0.005, 0.0049999999, 1.005, 1e-7, 1e-300, 1e15, -1e15, 1e15 + 0.125, 1e21, 1e300),
);

/**
 * Half up by hand, on the digits of the shortest exponential notation: cut after the second decimal, and add a cent when
 * the next digit is 5 or more.
 */
function centsByDigits(value: number): bigint {
  const [mantissa = '', exponent = ''] = Math.abs(value).toExponential().split('e');
  const digits = mantissa.replace('.', '');
  const beforeCut = Number(exponent) + 3;
  const padded = (beforeCut < 0 ? '0'.repeat(-beforeCut) + digits : digits).padEnd(beforeCut + 1, '0');
  const cut = Math.max(beforeCut, 0);
  const roundsUp = beforeCut >= 0 && Number(padded[cut]) >= 5;
  const cents = BigInt(padded.slice(0, cut) || '0') + (roundsUp ? 1n : 0n);
  return value < 0 ? -cents : cents;
}

/** A property that is checked on RUNS random values. */
function holds<Value>(name: string, values: fc.Arbitrary<Value>, property: (value: Value) => boolean): void {
  test(name, () => fc.assert(fc.property(values, property), { numRuns: RUNS }));
}

describe('for any amount', () => {
  holds('the decimal of a double reads back as the same double', double, (value) => {
    const { units, scale } = decimal(value);
    return Number(`${units}e-${scale}`) === value;
  });

  holds('a double is rounded to cents half up', double, (value) => amountCents(value) === centsByDigits(value));

  holds('the cents are those of the exact decimal', any, (value) => amountCents(value) === toCents(decimal(value)));

  holds('price x quantity is rounded once, from the exact product', fc.tuple(any, any), ([price, quantity]) => {
    return lineCents(price, quantity) === toCents(multiply(decimal(price), decimal(quantity)));
  });

  holds('an amount of few decimals is rounded to cents half up', amount, ({ value, units, scale }) => {
    return amountCents(value) === centsOf(units, scale);
  });

  const cents = fc.bigInt({ min: -999_999_999_999n, max: 999_999_999_999n });
  holds('cents become currency units and come back', cents, (each) => amountCents(fromCents(each)) === each);

  holds('a product is exact', fc.tuple(amount, amount), ([a, b]) => {
    const { units, scale } = multiply(decimal(a.value), decimal(b.value));
    return units * 10n ** BigInt(a.scale + b.scale - scale) === a.units * b.units;
  });

  holds('a sum is exact', fc.array(amount, { maxLength: 20 }), (amounts) => {
    const { units, scale } = sum(amounts.map(({ value }) => decimal(value)));
    return units * 10n ** BigInt(4 - scale) === total(amounts, 4);
  });
});

describe('for any parts, allocation', () => {
  const parts = fc.array(amount, { maxLength: 20, size: 'max' });
  const share = (amounts: readonly { value: number }[]) => allocateCents(amounts.map(({ value }) => value));

  holds('adds up to their exact sum, rounded once', parts, (amounts) => {
    return share(amounts).reduce((a, b) => a + b, 0n) === centsOf(total(amounts, 4), 4);
  });

  const doubles = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { maxLength: 20 });
  holds('adds up for doubles of any length too', doubles, (values) => {
    return allocateCents(values).reduce((a, b) => a + b, 0n) === toCents(sum(values.map(decimal)));
  });

  holds('changes no part by a whole cent, and none that is in whole cents', parts, (amounts) => {
    return share(amounts).every((cents, i) => {
      const exact = total(amounts.slice(i, i + 1), 4);
      const moved = cents * 100n - exact;
      return exact % 100n === 0n ? moved === 0n : -100n < moved && moved < 100n;
    });
  });

  holds('gives no cent to a smaller remainder than one that gets none', parts, (amounts) => {
    const remainders = amounts.map((part) => total([part], 4) % 100n);
    const gotOne = share(amounts).map((cents, i) => cents * 100n > total(amounts.slice(i, i + 1), 4));
    return remainders.every(
      (without, i) => gotOne[i] || remainders.every((withOne, j) => !gotOne[j] || without <= withOne),
    );
  });
});
