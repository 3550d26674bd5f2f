import { createContext, useContext } from 'react';
import { type Language, useLanguage } from './language.js';

type Instant = string | number | Date;

/** How a language writes times, days, amounts and durations. Times are in the given zone, never in the browser's. */
export interface Formats {
  /** `19:42` */
  time(instant: Instant, timezone: string): string;
  /** `19:42:05` */
  timeWithSeconds(instant: Instant, timezone: string): string;
  /** `Sat, 21 Nov, 19:42` */
  dateTime(instant: Instant, timezone: string): string;
  /** `Saturday, 21 November 2026`, of a calendar date `YYYY-MM-DD` */
  day(day: string): string;
  /** `Sat 21 Nov`, of a calendar date `YYYY-MM-DD` */
  shortDay(day: string): string;
  /** `21 Nov`, of a calendar date `YYYY-MM-DD` */
  dayOfMonth(day: string): string;
  /** `November 2026`, of the month of a calendar date `YYYY-MM-DD` */
  monthOfYear(day: string): string;
  /** `R$ 1.234,50`, of cents, in the currency of the restaurant; `1,234.50` without one */
  amount(cents: number): string;
  /** `1,234.50`, of cents: for a field that somebody types into */
  decimal(cents: number): string;
  number(value: number): string;
  /** `35 %`, of 0.35 */
  percent(share: number): string;
  /** `350 ms`, `20 s`, `3 min`, `1 h 20 min`, `2 d 3 h` */
  duration(ms: number): string;
  /** `São Paulo Time`, `Horário Padrão de Brasília`, of an IANA zone */
  zone(timezone: string): string;
  /** `3 minutes ago`, `in 20 seconds` */
  relative(instant: Instant, now: Instant): string;
}

const made = new Map<string, Formats>();

/** @param currency of the amounts, ISO 4217; null: amounts without a name */
export function formatsOf(language: Language, currency: string | null = null): Formats {
  const key = `${language} ${currency}`;
  const known = made.get(key) ?? formats(language, currency);
  made.set(key, known);
  return known;
}

/** The currency of the restaurant whose page this is; null: it has none, or the page is of no restaurant. */
export const Currency = createContext<string | null>(null);

export function useFormats(): Formats {
  return formatsOf(useLanguage(), useContext(Currency));
}

/** The calendar date, `YYYY-MM-DD`, that a zone's clock shows at an instant. */
export function dateIn(timezone: string, instant: Instant): string {
  return new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(new Date(instant));
}

function formats(language: Language, currency: string | null): Formats {
  // English with 24 hours, and the day before the month
  const locale = language === 'en' ? 'en-GB' : language;
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  // amounts are hundredths, also where people write a currency without them
  const hundredths = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
  const decimals = new Intl.NumberFormat(locale, hundredths);
  const amounts = currency === null ? decimals : inCurrency(locale, currency, hundredths);
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const relatives = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
  const dates = new Map<string, Intl.DateTimeFormat>();
  // created once each: a format is slow to create
  const write = (instant: Instant, options: Intl.DateTimeFormatOptions) => {
    const key = JSON.stringify(options);
    const format = dates.get(key) ?? new Intl.DateTimeFormat(locale, options);
    dates.set(key, format);
    return format.format(new Date(instant));
  };
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const shortDate = { weekday: 'short', day: 'numeric', month: 'short' } as const;
  // noon in UTC: the same date in UTC
  const noon = (day: string) => `${day}T12:00:00Z`;
  return {
    time: (instant, timeZone) => write(instant, { ...clock, timeZone }),
    timeWithSeconds: (instant, timeZone) => write(instant, { ...clock, second: '2-digit', timeZone }),
    dateTime: (instant, timeZone) => write(instant, { ...shortDate, ...clock, timeZone }),
    day: (day) =>
      write(noon(day), { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }),
    shortDay: (day) => write(noon(day), { ...shortDate, timeZone: 'UTC' }),
    dayOfMonth: (day) => write(noon(day), { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    monthOfYear: (day) => write(noon(day), { month: 'long', year: 'numeric', timeZone: 'UTC' }),
    amount: (cents) => amounts.format(cents / 100),
    decimal: (cents) => decimals.format(cents / 100),
    number: (value) => numbers.format(value),
    percent: (share) => percents.format(share),
    duration: (ms) => duration(ms, numbers),
    zone: (timezone) => zone(timezone, locale),
    relative: (instant, now) => {
      const [value, unit] = largestUnit(new Date(instant).getTime() - new Date(now).getTime());
      return relatives.format(value, unit);
    },
  };
}

function inCurrency(locale: string, currency: string, digits: Intl.NumberFormatOptions): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { style: 'currency', currency, ...digits });
}

/** English names the city, Portuguese the zone as the country calls it: what each has in words. */
function zone(timeZone: string, locale: string): string {
  if (timeZone === 'UTC') return timeZone;
  const timeZoneName = locale === 'pt-BR' ? 'longGeneric' : 'shortGeneric';
  const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName }).formatToParts(new Date());
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Units are the same in both languages. */
function duration(ms: number, numbers: Intl.NumberFormat): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${numbers.format(Math.round(ms / 100) / 10)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  const [large, unit, small, part] = ms < DAY ? [HOUR, 'h', MINUTE, 'min'] : [DAY, 'd', HOUR, 'h'];
  const whole = Math.floor(ms / (large as number));
  const rest = Math.floor((ms % (large as number)) / (small as number));
  return rest > 0 ? `${whole} ${unit} ${rest} ${part}` : `${whole} ${unit}`;
}

function largestUnit(ms: number): [number, Intl.RelativeTimeFormatUnit] {
  const size = Math.abs(ms);
  if (size < MINUTE) return [Math.round(ms / SECOND), 'second'];
  if (size < HOUR) return [Math.round(ms / MINUTE), 'minute'];
  if (size < DAY) return [Math.round(ms / HOUR), 'hour'];
  return [Math.round(ms / DAY), 'day'];
}
