/**
 * An exact decimal number (M2 to M7): value = units / 10^scale. A JSON number is converted by its shortest decimal text, as the
 * terminal wrote it; further arithmetic uses bigints.
 */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

/** An amount in whole cents. */
export type Cents = bigint;

/** The limit of amounts, in currency units, exclusive (M10, L9). */
export const AMOUNT_LIMIT = 10_000_000_000;
const LIMIT_CENTS = BigInt(AMOUNT_LIMIT) * 100n;
/** The rules for amounts beyond the limit, in error texts. */
export const TOO_LARGE = `must be below ${AMOUNT_LIMIT}`;
export const TOO_SMALL = `must be above -${AMOUNT_LIMIT}`;

/** Whether the value is a finite number whose magnitude is below AMOUNT_LIMIT currency units. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < AMOUNT_LIMIT;
}

/** Whether the magnitude is below AMOUNT_LIMIT currency units. */
export function isWithinLimit(cents: Cents): boolean {
  return cents < LIMIT_CENTS && cents > -LIMIT_CENTS;
}

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

/** Below this number an integer stays exact when it is divided by 1000 and rounded; a double below it keeps 15 decimal digits. */
const EXACT = 1e15;

/**
 * value x perUnit if this is a whole number below {@link EXACT}, else NaN. The division gives the double nearest to the decimal
 * units / perUnit, and no two decimals of at most 15 digits have the same nearest double: so the check holds for this decimal only.
 */
function whole(value: number, perUnit: 100 | 1000): number {
  const units = Math.round(value * perUnit);
  return units / perUnit === value && Math.abs(units) < EXACT ? units : Number.NaN;
}

/** An amount of currency units in cents, rounded half away from zero. @throws RangeError when it is not finite */
export function amountCents(amount: number): Cents {
  const cents = whole(amount, 100);
  return Number.isNaN(cents) ? toCents(decimal(amount)) : BigInt(cents);
}

/** price x quantity in cents, rounded half away from zero (M2). @throws RangeError when one of them is not finite */
export function lineCents(price: number, quantity: number): Cents {
  // the usual case: a price of two decimals and a quantity of three at most
  const thousandths = whole(price, 100) * whole(quantity, 1000);
  if (!(Math.abs(thousandths) < EXACT)) return toCents(multiply(decimal(price), decimal(quantity)));
  return BigInt(Math.sign(thousandths) * Math.round(Math.abs(thousandths) / 1000));
}

/**
 * quantity x (price + Σ option price x option quantity) in cents, rounded half away from zero, once (M18).
 * @throws RangeError when a number is not finite
 */
export function lineWithOptionsCents(
  price: number,
  quantity: number,
  options: readonly { readonly unitPrice: number; readonly quantity: number }[],
): Cents {
  const ofOptions = options.map((option) => multiply(decimal(option.unitPrice), decimal(option.quantity)));
  return toCents(multiply(decimal(quantity), sum([decimal(price), ...ofOptions])));
}

/** a x b as the double nearest to the exact product of the two decimals: 0.1 x 3 = 0.3. Infinite when it is beyond the range of numbers. */
export function product(a: number, b: number): number {
  const plain = a * b;
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b) && Number.isSafeInteger(plain)) return plain + 0; // no -0
  const { units, scale } = multiply(decimal(a), decimal(b));
  return Number(`${units}e${-scale}`);
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
 * Rounds amounts of currency units to cents by the largest remainder method, so that they add up to their exact sum rounded once (M4,
 * M5): every amount is rounded down, and the cents left over go to the largest remainders, earlier amounts first. Each result differs
 * from its amount by less than a cent.
 * @param amounts finite, not negative
 */
export function allocateCents(amounts: readonly number[]): Cents[] {
  // the usual case: no amount has more than two decimals
  const wholeCents = amounts.map((amount) => whole(amount, 100));
  if (!wholeCents.some(Number.isNaN)) return wholeCents.map(BigInt);
  const parts = amounts.map(decimal);
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
