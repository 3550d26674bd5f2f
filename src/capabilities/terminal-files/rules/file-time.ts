import { isTimeZone } from '../../../domain/business-day.js';
import { normalized } from '../../../domain/text.js';
import { dateInRange } from '../../../domain/time.js';
import { localTime } from './clock.js';
import { monthOf, withoutWeekday } from './month-names.js';
import type { DateOrder } from './terminal-file.js';

const PARTS = /^(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})(?:[t,\s]+(.+))?$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:[t\s]?(\d{4}(?:\d{2})?(?:\s*[z+-].*)?)|[t\s]+(\D*\d.*))?$/;
/** 12. Feb 2026, 12-fev-2026, 12 de febrero de 2026 */
const DAY_AND_NAME =
  /^(\d{1,2})(?:st|nd|rd|th|er|o|a)?[\s\-/.]*(?:de\s|of\s)?\s*([a-z]{3,10})[\s\-/.,]*(?:del?\s)?\s*(\d{4}|\d{2})(?!\d)(.*)$/;
/** Feb 12, 2026 */
const NAME_AND_DAY = /^([a-z]{3,10})[\s\-/.]*(\d{1,2})(?:st|nd|rd|th)?[\s\-/.,]+(\d{4})(?!\d)(.*)$/;
/** 2026-Feb-12 */
const YEAR_AND_NAME = /^(\d{4})[\s\-/.]*([a-z]{3,10})[\s\-/.]*(\d{1,2})(?!\d)(.*)$/;
/** The offset after a time: Z, UTC, +01:00, GMT-3, (UTC). */
const OFFSET = /[\s(]*(?:\b(?:utc|gmt|z)|(?<=\d)z|(?=[+-]))(?:([+-])(\d{1,2}):?(\d{2})?)?\)?$/;
const NAMED_ZONE = /\s*\(?\b([a-z]{3,4})\)?$/;
const CLOCK =
  /^(\d{1,2})(?:(?:\s*[:h.]\s*)?(\d{2})(?:(?:[:m.]|min)?(\d{2})(?:[.,:]\d+)?s?)?)?\s*(?:min|h|hs|hrs|uhr)?\s*([ap])?(?:\.?\s?m\.?)?$/;
/** What stands between a date and its time. */
const BETWEEN = /^(?:[t,\s-]|\b(?:at|um|ore|alle|as|a las|a)\s)+/;

/** Clocks that files name by their initials, or in words. */
const ZONES: Readonly<Record<string, string>> = {
  ...{ utc: 'UTC', gmt: 'UTC', cet: 'Europe/Berlin', cest: 'Europe/Berlin', brt: 'America/Sao_Paulo' },
  ...{ 'eastern time (us & canada)': 'America/New_York', 'central time (us & canada)': 'America/Chicago' },
  ...{ 'mountain time (us & canada)': 'America/Denver', 'pacific time (us & canada)': 'America/Los_Angeles' },
  ...{
    cst: 'America/Chicago',
    cdt: 'America/Chicago',
    mst: 'America/Denver',
    mdt: 'America/Denver',
    bst: 'Europe/London',
  },
  ...{ est: 'America/New_York', edt: 'America/New_York', pst: 'America/Los_Angeles', pdt: 'America/Los_Angeles' },
};

/** A date as a file writes it: year, month and day where the year is first, else the two first parts in the order of the file. */
interface WrittenDate {
  readonly parts: readonly [string, string, string];
  /** with the offset, in lower case */
  readonly clock: string | undefined;
  /** the month is a word */
  readonly isNamed: boolean;
}

/** A time of day as a file writes it. */
interface WrittenClock {
  /** since midnight; null: none */
  readonly ms: number | null;
  /** from UTC, in ms; or the name of a clock; null: none */
  readonly zone: number | string | null;
}

/** A time of a row. */
export interface FileTime {
  readonly at: Date;
  readonly isDateOnly: boolean;
}

/** The clock that a text names: by its initials, as `CET`, in words, as `Eastern Time (US & Canada)`, or by its IANA name. */
export function zoneNamed(text: string): string | undefined {
  const name = text.trim();
  return ZONES[name.toLowerCase()] ?? (isTimeZone(name) ? name : undefined);
}

/** The clock that the name of a column says its times have, such as `Created (UTC)` or `created_utc`. */
export function zoneOfColumn(name: string): string | undefined {
  const [, initials, bracketed] = /(?:[\s_](utc|gmt)|\(([a-z]{3,4})\))$/i.exec(name.trim()) ?? [];
  return zoneNamed(initials ?? bracketed ?? '');
}

/** In lower case without accents. */
function plain(text: string): string {
  return /^[\x20-\x7e]*$/.test(text)
    ? text.trim().toLowerCase()
    : normalized(text, 'NFKD').replaceAll(/\p{M}/gu, '').trim().toLowerCase();
}

function writtenDate(text: string): WrittenDate | undefined {
  const words = plain(text);
  return dateIn(words) ?? (/^[a-z]/.test(words) ? dateIn(withoutWeekday(words)) : undefined);
}

function dateIn(text: string): WrittenDate | undefined {
  const [, year, month, day, ...clocks] = COMPACT.exec(text) ?? [];
  if (year && month && day) return { parts: [year, month, day], clock: clocks[0] ?? clocks[1], isNamed: false };
  const [, first, second, third, rest] = PARTS.exec(text) ?? [];
  if (first && second && third) return { parts: [first, second, third], clock: rest?.trim(), isNamed: false };
  return namedDate(text);
}

/** A date whose month is a word. */
function namedDate(text: string): WrittenDate | undefined {
  const of = (year = '', name = '', day = '', rest = ''): WrittenDate | undefined => {
    const month = monthOf(name);
    if (month === undefined) return undefined;
    const clock = rest.replace(BETWEEN, '').trim() || undefined;
    return { parts: [year.length === 2 ? `20${year}` : year, String(month), day], clock, isNamed: true };
  };
  const dayFirst = DAY_AND_NAME.exec(text);
  if (dayFirst) return of(dayFirst[3], dayFirst[2], dayFirst[1], dayFirst[4]);
  const nameFirst = NAME_AND_DAY.exec(text);
  if (nameFirst) return of(nameFirst[3], nameFirst[1], nameFirst[2], nameFirst[4]);
  const yearFirst = YEAR_AND_NAME.exec(text);
  return yearFirst ? of(yearFirst[1], yearFirst[2], yearFirst[3], yearFirst[4]) : undefined;
}

/** The order of the dates of a column: what a day above 12 shows; null: none of them shows it. */
export function guessDateOrder(values: Iterable<string>): DateOrder | null {
  let order: DateOrder | null = null;
  for (const value of values) {
    const date = writtenDate(value);
    if (!date || date.isNamed) continue;
    const [first, second] = date.parts;
    if (first.length === 4) order ??= 'YMD';
    else if (Number(first) > 12) return 'DMY';
    else if (Number(second) > 12) return 'MDY';
  }
  return order;
}

/** Whether a text could be a date. */
export function isDateText(text: string): boolean {
  return writtenDate(text) !== undefined;
}

/**
 * Reads a date, with its time or beside it (J5).
 * @param clock the cell of the time, where it has a column of its own
 * @param zone the clock of a time without an offset
 * @returns at noon without a time; null: cannot be read
 */
export function readFileTime(text: string, clock: string | null, order: DateOrder, zone: string): FileTime | null {
  const date = writtenDate(text);
  if (!date) return null;
  const day = dayOf(date.parts, order);
  const written = clock || date.clock;
  const time = written === undefined ? NO_CLOCK : writtenClock(plain(written));
  if (day === null || time === null) return null;
  const local = day + (time.ms ?? NOON_MS);
  const own = time.zone ?? zone;
  const at = dateInRange(typeof own === 'number' ? new Date(local - own) : localTime(local, own));
  return at && { at, isDateOnly: time.ms === null };
}

const NO_CLOCK: WrittenClock = { ms: null, zone: null };
const NOON_MS = 12 * 3_600_000;

/** Midnight of a date as if in UTC, epoch ms; null: there is no such date. */
function dayOf([first, second, third]: WrittenDate['parts'], order: DateOrder): number | null {
  const isYearFirst = first.length === 4 || (order === 'YMD' && third.length <= 2);
  const [y, m, d] = isYearFirst
    ? [first, second, third]
    : order === 'MDY'
      ? [third, first, second]
      : [third, second, first];
  if (y.length !== 4 && y.length !== 2) return null;
  const full = Number(y.length === 2 ? `20${y}` : y);
  const ms = Date.UTC(full, Number(m) - 1, Number(d));
  const back = new Date(ms);
  return back.getUTCMonth() === Number(m) - 1 && back.getUTCDate() === Number(d) ? ms : null;
}

/** @param text in lower case @returns null: cannot be read */
function writtenClock(text: string): WrittenClock | null {
  const [offset, sign, hours = '0', minutes = '0'] = OFFSET.exec(text) ?? [];
  if (offset !== undefined) {
    const ms = (Number(hours) * 60 + Number(minutes)) * 60_000;
    const rest = text.slice(0, -offset.length).trim();
    if (ms > 14 * 3_600_000) return null;
    return clockIn(rest, sign === '-' ? -ms : ms);
  }
  const [initials, name] = NAMED_ZONE.exec(text) ?? [];
  const zone = name === undefined ? undefined : ZONES[name];
  return zone && initials ? clockIn(text.slice(0, -initials.length), zone) : clockIn(text, null);
}

function clockIn(text: string, zone: WrittenClock['zone']): WrittenClock | null {
  if (text === '') return { ms: null, zone };
  const ms = clockMs(text);
  return ms === null ? null : { ms, zone };
}

/** The ms since midnight of a time of day; null: there is no such time. */
function clockMs(text: string): number | null {
  const [, h = '', m, s = '0', half] = CLOCK.exec(text.trim()) ?? [];
  // an hour alone is a time with a.m. or p.m. only
  if (h === '' || (m === undefined && half === undefined)) return null;
  let hours = Number(h);
  if (half) {
    if (hours < 1 || hours > 12) return null;
    hours = (hours % 12) + (half === 'p' ? 12 : 0);
  }
  if (hours > 23 || Number(m ?? 0) > 59 || Number(s) > 59) return null;
  return ((hours * 60 + Number(m ?? 0)) * 60 + Number(s)) * 1_000;
}
