import fc from 'fast-check';
import type { JsonObject } from '../../src/domain/transaction.js';

/** How many values a property is tried with; .ci/run tries 100,000. */
export const RUNS = Number(process.env.PROPERTY_RUNS ?? 10_000);

/** A number together with the decimal it was made from, so that a test can calculate without reading the number back. */
export interface Known {
  readonly value: number;
  /** value = units / 10^scale */
  readonly units: bigint;
  readonly scale: number;
}

export interface Sold {
  /** the fields of its payload */
  readonly parts: JsonObject;
  readonly items: readonly { readonly price: Known; readonly quantity: Known }[];
  /** the payments that count, in their order */
  readonly paid: readonly Known[];
}

/** Half up, in cents: an integer division of the test's own. */
export function centsOf(units: bigint, scale: number): bigint {
  const whole = 10n ** BigInt(scale);
  return (200n * units + whole) / (2n * whole);
}

/** The exact sum of `terms` as units of `scale` decimals. */
export function total(terms: readonly Known[], scale: number): bigint {
  return terms.reduce((units, term) => units + term.units * 10n ** BigInt(scale - term.scale), 0n);
}

function known(units: number, scale: number): Known {
  return { value: Number(`${units}e-${scale}`), units: BigInt(units), scale };
}

/** `from` to `to` units of exactly `scale` decimals (fewer when the last are zeros). */
function decimals(scale: number, from: number, to: number): fc.Arbitrary<Known> {
  return fc.integer({ min: from, max: to }).map((units) => known(units, scale));
}

/** Amounts ending in half a cent meet the rounding rule on its edge. */
const halfCents = fc.integer({ min: 0, max: 20_000 }).map((n) => known(n * 10 + 5, 3));

/** Awkward positive amounts: sub-cent, half cents, up to four decimals, large; every one below 10^8. */
export const amount: fc.Arbitrary<Known> = fc.oneof(
  { weight: 4, arbitrary: decimals(2, 1, 50_000) },
  { weight: 4, arbitrary: decimals(3, 5, 100_000) },
  { weight: 4, arbitrary: decimals(4, 1, 2_000_000) },
  { weight: 4, arbitrary: decimals(4, 1, 300) },
  { weight: 4, arbitrary: halfCents },
  { weight: 2, arbitrary: decimals(0, 1, 500) },
  { weight: 1, arbitrary: decimals(4, 1, 2_000_000_000) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9_999_999_999 }).map((n) => known(n, 2)) },
);

const quantity = fc.oneof(decimals(0, 1, 20), decimals(3, 1, 30_000), decimals(4, 1, 99_999));
const price = fc.oneof(
  { weight: 4, arbitrary: decimals(2, 0, 20_000) },
  { weight: 4, arbitrary: decimals(4, 0, 1_000_000) },
  { weight: 4, arbitrary: halfCents },
  { weight: 1, arbitrary: decimals(3, 0, 99_999_999) },
);

const ignored = fc.constantFrom<unknown>(
  0,
  -1,
  -12.34,
  0.004,
  0.0049,
  Number.NaN,
  Infinity,
  -Infinity,
  '12',
  null,
  undefined,
);
const tenderType = fc.constantFrom<unknown>(1, 16, 28, 50, '1', 77, null);

const payment = fc.tuple(fc.oneof({ weight: 9, arbitrary: amount }, { weight: 1, arbitrary: ignored }), tenderType);

function isKnown(value: unknown): value is Known {
  return typeof value === 'object' && value !== null;
}

/** Mostly as few as guests make, sometimes many. */
function several<T>(one: fc.Arbitrary<T>, few: number, minLength: number, maxLength: number): fc.Arbitrary<T[]> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.array(one, { minLength, maxLength: few, size: 'max' }) },
    { weight: 1, arbitrary: fc.array(one, { minLength, maxLength, size: 'max' }) },
  );
}

type SoldLine = Sold['items'][number];

const line: fc.Arbitrary<SoldLine> = fc.record({ price, quantity });
const negative = ({ value, units, scale }: Known): Known => ({ value: -value, units: -units, scale });
/** Lines that a POS may refuse (M14): a discount, a return, both at once, nothing. */
const oddLine: fc.Arbitrary<SoldLine> = fc.tuple(line, fc.integer({ min: 0, max: 3 })).map(([sold, kind]) => {
  if (kind === 0) return { ...sold, price: negative(sold.price), quantity: sold.quantity };
  if (kind === 1) return { ...sold, quantity: negative(sold.quantity) };
  if (kind === 2) return { price: negative(sold.price), quantity: negative(sold.quantity) };
  return { ...sold, quantity: known(0, 0) };
});

/** Mappable sales of up to 8 items and 20 payments; about one in five is a free order. */
export const sale: fc.Arbitrary<Sold> = soldOf(line);
/** The same with odd lines among the items, perhaps nothing else. */
export const oddSale: fc.Arbitrary<Sold> = soldOf(fc.oneof(line, oddLine));

function soldOf(item: fc.Arbitrary<SoldLine>): fc.Arbitrary<Sold> {
  const parts = fc.record({
    items: several(item, 2, 1, 8),
    payments: several(payment, 4, 0, 20),
    totalAmount: fc.constantFrom(0, 10, 12.34),
  });
  return parts.map(({ items, payments, totalAmount }) => {
    const paid = payments
      .map(([sent]) => sent)
      .filter(isKnown)
      .filter(({ units, scale }) => centsOf(units, scale) >= 1n);
    return {
      items,
      paid,
      parts: {
        totalAmount: paid.length === 0 ? 0 : totalAmount,
        items: items.map((line, i) => ({
          itemCode: `C${i}`,
          itemName: null,
          price: line.price.value,
          quantity: line.quantity.value,
        })),
        payments: payments.map(([sent, tender]) => ({ tenderType: tender, amount: isKnown(sent) ? sent.value : sent })),
      },
    };
  });
}
