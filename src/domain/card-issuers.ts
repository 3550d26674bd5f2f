import type { Hint } from './card-names.js';

/** The lengths of the card numbers that begin with a prefix of this range, both ends included (W39). */
interface Issuer {
  readonly from: string;
  readonly to: string;
  readonly lengths: readonly number[];
}

const FROM_16 = [16, 17, 18, 19];
const issuer = (from: string, to: string, lengths: readonly number[]): Issuer => ({ from, to, lengths });
const ISSUERS: readonly Issuer[] = [
  // Visa
  issuer('4', '4', [13, 16, 19]),
  // Mastercard, and Mir
  issuer('51', '55', [16]),
  issuer('2221', '2720', [16]),
  issuer('2200', '2204', FROM_16),
  // American Express
  issuer('34', '34', [15]),
  issuer('37', '37', [15]),
  // Diners Club, and Hipercard
  issuer('300', '305', [14, ...FROM_16]),
  issuer('3095', '3095', [14, ...FROM_16]),
  issuer('36', '36', [14, ...FROM_16]),
  issuer('38', '39', [14, ...FROM_16]),
  // JCB
  issuer('3528', '3589', FROM_16),
  // Maestro, Elo, Aura; Discover, UnionPay, Hipercard, RuPay
  issuer('50', '50', FROM_16),
  issuer('56', '58', FROM_16),
  issuer('60', '69', FROM_16),
];

/** The shortest and the longest card number (W38). */
export const [SHORTEST, LONGEST] = [13, 19];

/** By the first four digits of a number: the lengths that an issuer gives it, bit n for n digits. */
const LENGTHS = new Uint32Array(10_000);
for (const { from, to, lengths } of ISSUERS)
  for (let prefix = Number(from.padEnd(4, '0')); prefix <= Number(to.padEnd(4, '9')); prefix++)
    for (const length of lengths) LENGTHS[prefix] = (LENGTHS[prefix] as number) | (1 << length);

/**
 * A row of digits. Each part of it is tested in constant time, because a body may consist of digits only. The check digit is that of Luhn:
 * from the right, every second digit counts twice, less 9 above 9.
 */
export class Digits {
  /** `sums[parity][n]`: of the first n digits, where those at places of this parity count twice; made when a long row is tested */
  private sums: readonly [Uint32Array, Uint32Array] | undefined;

  /** @param values 0 to 9 each */
  constructor(private readonly values: Uint8Array) {}

  static of(text: string): Digits {
    return new Digits(Uint8Array.from(text, Number));
  }

  get length(): number {
    return this.values.length;
  }

  /** The digits from this place to before that one. */
  text(from: number, to: number): string {
    return this.values.subarray(from, to).join('');
  }

  /**
   * Whether the digits from this place to before that one look like a card number: a prefix and length of an issuer, and the check digit
   * (W39). A barcode of 13 digits, and a CNPJ, has a check digit of its own, and is none unless the field says so.
   */
  isCard(from: number, to: number, hint: Hint): boolean {
    const length = to - from;
    if (hint === 'other' || length < SHORTEST || length > LONGEST) return false;
    if (((LENGTHS[this.prefixAt(from)] as number) & (1 << length)) === 0 || !this.isLuhn(from, to)) return false;
    if (hint === 'card' || length > 14) return true;
    const digits = this.text(from, to);
    return length === 13 ? !isBarcode(digits) : !isCnpj(digits);
  }

  /** The number of the four digits from this place on. */
  private prefixAt(from: number): number {
    let prefix = 0;
    for (let i = from; i < from + 4; i++) prefix = prefix * 10 + (this.values[i] as number);
    return prefix;
  }

  private isLuhn(from: number, to: number): boolean {
    // few parts of a short row are tested: sums would cost more
    if (this.length <= LONGEST) {
      let sum = 0;
      for (let i = from; i < to; i++) sum += worth(this.values[i] as number, (to - i) % 2 === 0);
      return sum % 10 === 0;
    }
    this.sums ??= this.summed();
    const sums = this.sums[to % 2 === 0 ? 0 : 1];
    return ((sums[to] as number) - (sums[from] as number)) % 10 === 0;
  }

  private summed(): [Uint32Array, Uint32Array] {
    const [even, odd] = [new Uint32Array(this.length + 1), new Uint32Array(this.length + 1)];
    for (let i = 0; i < this.length; i++) {
      const digit = this.values[i] as number;
      even[i + 1] = (even[i] as number) + worth(digit, i % 2 === 0);
      odd[i + 1] = (odd[i] as number) + worth(digit, i % 2 === 1);
    }
    return [even, odd];
  }
}

/** What a digit adds to the sum of Luhn. */
function worth(digit: number, isTwice: boolean): number {
  return isTwice ? digit * 2 - (digit > 4 ? 9 : 0) : digit;
}

/** Whether all of these digits look like a card number, see {@link Digits.isCard}. */
export function isCard(digits: string, hint: Hint): boolean {
  return Digits.of(digits).isCard(0, digits.length, hint);
}

/** The number as it is stored: its first six and last four digits. */
export function shown(digits: string): string {
  return `${digits.slice(0, 6)}${'*'.repeat(digits.length - 10)}${digits.slice(-4)}`;
}

function isBarcode(digits: string): boolean {
  return weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0;
}

function isCnpj(digits: string): boolean {
  const weights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  const check = (sum: number) => (sum % 11 < 2 ? 0 : 11 - (sum % 11));
  const first = check(weighted(digits.slice(0, 12), weights.slice(1)));
  const second = check(weighted(digits.slice(0, 13), weights));
  return Number(digits[12]) === first && Number(digits[13]) === second;
}

function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, i) => sum + weight * Number(digits[i]), 0);
}
