import { dateInRange, readTime } from '../../../domain/time.js';
import { localTime } from './clock.js';
import type { DateOrder } from './terminal-file.js';

const HAS_OFFSET = /(Z|[+-]\d{2}:?\d{2})$/;
const PARTS = /^(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})(?:[T,\s]+(.+))?$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:[T\s]?(\d{4}|\d{6}))?$/;
const CLOCK = /^(\d{1,2})[:h.]?(\d{2})(?:[:m.]?(\d{2})(?:[.,]\d+)?s?)?\s*(am|pm|a\.m\.|p\.m\.)?$/i;

/** A date as a file writes it: year, month and day where the year is first, else the two first parts in the order of the file. */
interface WrittenDate {
  readonly parts: readonly [string, string, string];
  readonly clock: string | undefined;
}

/** A time of a row. */
export interface FileTime {
  readonly at: Date;
  readonly isDateOnly: boolean;
}

function writtenDate(text: string): WrittenDate | undefined {
  const [, year, month, day, clock] = COMPACT.exec(text) ?? [];
  if (year && month && day) return { parts: [year, month, day], clock };
  const [, first, second, third, rest] = PARTS.exec(text) ?? [];
  return first && second && third ? { parts: [first, second, third], clock: rest?.trim() } : undefined;
}

/** The order of the dates of a column: what a day above 12 shows; null: none of them shows it. */
export function guessDateOrder(values: Iterable<string>): DateOrder | null {
  let order: DateOrder | null = null;
  for (const value of values) {
    const [first = '', second = ''] = writtenDate(value)?.parts ?? [];
    if (first.length === 4) order ??= 'YMD';
    else if (Number(first) > 12) return 'DMY';
    else if (Number(second) > 12) return 'MDY';
  }
  return order;
}

/** Whether a text could be a date. */
export function isDateText(text: string): boolean {
  return writtenDate(text) !== undefined || (HAS_OFFSET.test(text) && readTime(text) !== null);
}

/**
 * Reads a date, with its time or beside it.
 * @param clock the cell of the time, where it has a column of its own
 * @param zone the clock of a time without an offset
 * @returns at noon without a time; null: cannot be read
 */
export function readFileTime(text: string, clock: string | null, order: DateOrder, zone: string): FileTime | null {
  if (HAS_OFFSET.test(text) && text.length > 11) {
    const at = readTime(text);
    if (at) return { at, isDateOnly: false };
  }
  const date = writtenDate(text);
  if (!date) return null;
  const day = dayOf(date.parts, order);
  const time = clock || date.clock;
  const ms = time === undefined ? NOON_MS : clockMs(time);
  if (day === null || ms === null) return null;
  const at = dateInRange(localTime(day + ms, zone));
  return at && { at, isDateOnly: time === undefined };
}

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

/** The ms since midnight of a time of day; null: there is no such time. */
function clockMs(text: string): number | null {
  const [, h = '', m = '', s = '0', half] = CLOCK.exec(text.trim()) ?? [];
  if (h === '') return null;
  let hours = Number(h);
  if (half) {
    if (hours < 1 || hours > 12) return null;
    hours = (hours % 12) + (half.toLowerCase().startsWith('p') ? 12 : 0);
  }
  if (hours > 23 || Number(m) > 59 || Number(s) > 59) return null;
  return ((hours * 60 + Number(m)) * 60 + Number(s)) * 1_000;
}
