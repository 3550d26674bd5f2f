import type { OrderPayment } from '../../../domain/order.js';

/** The means of payment of the standard. */
const METHODS: ReadonlySet<string> = new Set([
  'CREDIT',
  'DEBIT',
  'MEAL_VOUCHER',
  'FOOD_VOUCHER',
  'DIGITAL_WALLET',
  'PIX',
  'CASH',
  'CREDIT_DEBIT',
  'COUPON',
  'REDEEM',
  'PREPAID_REDEEM',
  'OTHER',
]);

/** The means of payment of the known tender types (R18). */
const OF_TENDER: ReadonlyMap<unknown, string> = new Map([
  ['1', 'CASH'],
  ['50', 'PIX'],
  ['16', 'CREDIT'],
  ['28', 'CREDIT'],
]);

const BRANDS: ReadonlySet<string> = new Set([
  'VISA',
  'MASTERCARD',
  'DINERS',
  'AMEX',
  'HIPERCARD',
  'ELO',
  'AURA',
  'DISCOVER',
  'VR_BENEFICIOS',
  'SODEXO',
  'TICKET',
  'GOOD_CARD',
  'BANESCARD',
  'SOROCARD',
  'POLICARD',
  'VALECARD',
  'AGICARD',
  'JCB',
  'CREDSYSTEM',
  'CABAL',
  'GREEN_CARD',
  'VEROCHEQUE',
  'AVISTA',
]);

/** The means of payment (Q9): the restaurant's code for the tender if it is one, else that of the tender type, else OTHER. */
export function methodOf({ tenderType, code }: OrderPayment): string {
  if (code !== undefined) return METHODS.has(code) ? code : 'OTHER';
  return OF_TENDER.get(String(tenderType)) ?? 'OTHER';
}

/** Whether the standard has a means of payment for the tender type. */
export function isKnownTender(tenderType: unknown): boolean {
  return (typeof tenderType === 'string' || typeof tenderType === 'number') && OF_TENDER.has(String(tenderType));
}

/** The brand of a card in the words of the standard. */
export function brandOf(brand: string): string {
  const name = brand.toUpperCase().replaceAll(/[\s-]+/g, '_');
  if (name === 'AMERICAN_EXPRESS') return 'AMEX';
  return BRANDS.has(name) ? name : 'OTHER';
}
