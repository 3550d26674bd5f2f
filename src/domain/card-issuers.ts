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

/**
 * Whether digits look like a card number: a prefix and length of an issuer, and the check digit (W39). A barcode of 13 digits, and a
 * CNPJ, has a check digit of its own, and is none unless the field says so.
 */
export function isCard(digits: string, hint: Hint): boolean {
  if (hint === 'other' || digits.length < SHORTEST || digits.length > LONGEST) return false;
  if (!ISSUERS.some((range) => isOf(range, digits)) || !isLuhn(digits)) return false;
  if (hint === 'card') return true;
  if (digits.length === 13) return !isBarcode(digits);
  return digits.length !== 14 || !isCnpj(digits);
}

/** The number as it is stored: its first six and last four digits. */
export function shown(digits: string): string {
  return `${digits.slice(0, 6)}${'*'.repeat(digits.length - 10)}${digits.slice(-4)}`;
}

function isOf({ from, to, lengths }: Issuer, digits: string): boolean {
  const prefix = digits.slice(0, from.length);
  return prefix >= from && prefix <= to && lengths.includes(digits.length);
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
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
