import { firstCharacters } from './text.js';
import type { JsonObject } from './transaction.js';
import type { Warning } from './warnings.js';

/**
 * The currencies of ISO 4217 whose minor unit is a hundredth (R46). A table, because `Intl` does not say this: it knows how people write
 * amounts, so it gives the Hungarian forint no decimals, and it lists currencies that no longer exist. Funds, metals and test codes are
 * left out, and the two currencies whose minor unit is a fifth (MGA, MRU).
 */
export const CURRENCIES: ReadonlySet<string> = new Set(
  (
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD ' +
    'EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL ' +
    'MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK ' +
    'SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VES WST XCD XCG YER ZAR ZMW ZWG'
  ).split(' '),
);

/** What is shown of a sale's own currency that is none; characters. */
const SHOWN = 20;

/** The `currency` of a sale as the terminal sent it, in upper case and cut; null without one (W34). */
export function currencyOf({ currency }: JsonObject): string | null {
  if (currency === undefined || currency === null) return null;
  if (typeof currency !== 'string' && typeof currency !== 'number') return 'no text';
  const text = String(currency).trim().toUpperCase();
  return text === '' ? null : firstCharacters(text, SHOWN);
}

/** The warning of a sale whose own currency differs from the one of its restaurant (W34). @param currency as {@link currencyOf} gives it */
export function otherCurrency(currency: string): Warning {
  const text = `currency: is ${currency}, not the currency of the restaurant; its amounts count in the currency of the restaurant`;
  return { kind: 'other_currency', text };
}
