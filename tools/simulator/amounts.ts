/** Exact amounts: numbers in currency units -> their decimal text -> bigints in cents. */

/** What of a line counts for its total; options are for one unit of it. */
interface Line {
  readonly quantity: number;
  readonly unit_price: number;
  readonly options?: readonly Line[] | undefined;
}

/**
 * Line total in cents: quantity x (unit_price + its options), rounded half away from zero. It shares no code with the relay, so that the
 * simulator checks the relay's amounts independently.
 */
export function lineCents(line: Line): bigint {
  const [units, scale] = exactTotal(line);
  const cents = roundHalfUp(units < 0n ? -units : units, scale - 2);
  return units < 0n ? -cents : cents;
}

function exactTotal({ quantity, unit_price, options = [] }: Line): [units: bigint, scale: number] {
  const [quantityUnits, quantityScale] = exact(quantity);
  const prices = [exact(unit_price), ...options.map(exactTotal)];
  const scale = Math.max(...prices.map(([, own]) => own));
  const price = add(prices.map(([units, own]) => units * 10n ** BigInt(scale - own)));
  return [quantityUnits * price, quantityScale + scale];
}

/** Currency units -> cents: 12.34 -> 1234n. */
export function centsOf(amount: number): bigint {
  const [units, scale] = exact(amount);
  return roundHalfUp(units, scale - 2);
}

/** Cents -> the text of currency units: 1234n -> "12.34". */
export function money(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Non-negative currency units, added up exactly and rounded once, half up, to cents: [0.005, 0.005] -> 1n. */
export function sumCents(amounts: readonly number[]): bigint {
  const parts = amounts.map(exact);
  const scale = Math.max(0, ...parts.map(([, partScale]) => partScale));
  return roundHalfUp(add(parts.map(([units, partScale]) => units * 10n ** BigInt(scale - partScale))), scale - 2);
}

/** The sum of cents. */
export function add(cents: readonly bigint[]): bigint {
  return cents.reduce((sum, part) => sum + part, 0n);
}

/** value = units / 10^scale, exactly: from its shortest decimal text. */
function exact(value: number): [units: bigint, scale: number] {
  const parts = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  const [, whole = '0', fraction = '', exponent = '0'] = parts ?? [];
  return [BigInt(whole + fraction), fraction.length - Number(exponent)];
}

function roundHalfUp(units: bigint, scale: number): bigint {
  if (scale <= 0) return units * 10n ** BigInt(-scale);
  const one = 10n ** BigInt(scale);
  return (units * 2n + one) / (one * 2n);
}
