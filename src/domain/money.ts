/**
 * Exact decimal arithmetic (DECISIONS 5: no floats). A float is read through its shortest decimal text, which is what the
 * terminal wrote; from there on everything is a bigint.
 */
export interface Decimal {
  /** value = units / 10^scale */
  readonly units: bigint;
  readonly scale: number;
}

/** Whole cents. */
export type Cents = bigint;

/** Amounts at or above this many currency units are no amounts (DECISIONS 5). */
export const AMOUNT_LIMIT = 10_000_000_000;

/** @throws RangeError when `value` is not finite: callers check first and name the field. */
export function decimal(value: number): Decimal {
  if (!Number.isFinite(value)) throw new RangeError('not a finite number');
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const scale = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

export function multiply(a: Decimal, b: Decimal): Decimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

export function sum(terms: readonly Decimal[]): Decimal {
  const scale = Math.max(0, ...terms.map((term) => term.scale));
  return { units: terms.reduce((total, term) => total + atScale(term, scale), 0n), scale };
}

/** Rounds half up (away from zero for negatives) to cents. */
export function toCents(value: Decimal): Cents {
  const negative = value.units < 0n;
  const cents = roundHalfUp(negative ? -value.units : value.units, value.scale);
  return negative ? -cents : cents;
}

/** The currency-unit number of a JSON body: 1234n -> 12.34. Exact for every amount below AMOUNT_LIMIT. */
export function fromCents(cents: Cents): number {
  return Number(cents) / 100;
}

/**
 * Rounds non-negative parts to cents so that they add up to the rounded exact sum: every part is cut to whole cents, and
 * the cents left over go to the largest remainders, earlier parts first. No part is a whole cent away from its amount.
 */
export function shareOut(parts: readonly Decimal[]): Cents[] {
  const scale = Math.max(2, ...parts.map((part) => part.scale));
  const perCent = 10n ** BigInt(scale - 2);
  const scaled = parts.map((part) => atScale(part, scale));
  const cents = scaled.map((units) => units / perCent);
  let left = Number(toCents(sum(parts)) - cents.reduce((total, part) => total + part, 0n));
  const byRemainder = scaled
    .map((units, index) => ({ index, remainder: units % perCent }))
    .sort((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1));
  for (const { index } of byRemainder) {
    if (left-- <= 0) break;
    cents[index] = (cents[index] as Cents) + 1n;
  }
  return cents;
}

function atScale(value: Decimal, scale: number): bigint {
  return value.units * 10n ** BigInt(scale - value.scale);
}

function roundHalfUp(units: bigint, scale: number): bigint {
  if (scale <= 2) return units * 10n ** BigInt(2 - scale);
  const perCent = 10n ** BigInt(scale - 2);
  return (units * 2n + perCent) / (perCent * 2n);
}
