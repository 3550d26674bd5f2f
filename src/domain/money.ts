/**
 * An exact decimal number (M2 to M7): value = units / 10^scale. A JSON number is converted by its shortest decimal text, as the
 * terminal wrote it; further arithmetic uses bigints, never floats.
 */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** An amount in whole cents. */
export type Cents = bigint;

/** The limit of amounts, in currency units, exclusive (M10, L9). */
export const AMOUNT_LIMIT = 10_000_000_000;

/**
 * Converts a JSON number exactly.
 * @throws RangeError when `value` is not finite; callers check first, so that their error names the field
 */
export function decimal(value: number): Decimal {
  if (!Number.isFinite(value)) throw new RangeError('not a finite number');
  if (Number.isSafeInteger(value)) return { units: BigInt(value), scale: 0 };
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

/** Rounds to cents, half away from zero. */
export function toCents(value: Decimal): Cents {
  const negative = value.units < 0n;
  const cents = roundHalfUp(negative ? -value.units : value.units, value.scale);
  return negative ? -cents : cents;
}

/** Converts cents to currency units for a JSON body: 1234n -> 12.34. Exact for every amount below AMOUNT_LIMIT. */
export function fromCents(cents: Cents): number {
  return Number(cents) / 100;
}

/** Cents as currency units with two decimals, for people: 1230n -> `12.30`. @param cents not negative */
export function centsText(cents: Cents): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * Rounds non-negative parts to cents by the largest remainder method, so that they add up to their exact sum rounded
 * once (M4, M5): every part is rounded down, and the cents left over go to the largest remainders, earlier parts first.
 * Each result differs from its part by less than a cent.
 */
export function allocateCents(parts: readonly Decimal[]): Cents[] {
  // the usual case: no part has more than two decimals
  if (parts.every((part) => part.scale <= 2)) return parts.map((part) => atScale(part, 2));
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
