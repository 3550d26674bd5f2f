import { setImmediate } from 'node:timers/promises';
import { businessDayOf } from '../domain/clock.js';
import { type FileRecord, kindsIn } from '../domain/file-mapping.js';
import { type RowRules, readFileRow } from '../domain/file-row.js';
import type { FileDays, FileRow } from '../domain/terminal-file.js';
import { type FileCountsView, type FilePreviewView, PREVIEW_ROWS, type PreviewRowView } from './terminal-files.dto.js';

/** The clock of a restaurant, by which its business days end. */
export interface Clock {
  readonly timezone: string;
  readonly dayClosesAt: string;
}

/** The business day of a row (R15); null without a time. A row without a time of day is of its date. */
export function dayOf({ at }: FileRow, { timezone, dayClosesAt }: Clock): string | null {
  return at && businessDayOf(at, timezone, dayClosesAt);
}

/** The days of the sales of a file; null: it has none. */
export function daysOf(rows: Iterable<FileRow>, clock: Clock): FileDays | null {
  let from: string | null = null;
  let to: string | null = null;
  for (const row of rows) {
    const day = row.kind === 'SALE' && row.problem === null ? dayOf(row, clock) : null;
    if (day === null) continue;
    if (from === null || day < from) from = day;
    if (to === null || day > to) to = day;
  }
  return from === null || to === null ? null : { from, to };
}

/** The rows that are read before other requests have their turn. */
const PIECE = 2_000;

/** Reads the rows of a file. */
export async function readRows(records: readonly FileRecord[], rules: RowRules): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  for (const record of records) {
    rows.push(readFileRow(record, rules));
    if (rows.length % PIECE === 0) await setImmediate();
  }
  return rows;
}

/** What a mapping makes of a file (J5). */
export async function previewOf(
  records: readonly FileRecord[],
  rules: RowRules,
  clock: Clock,
): Promise<FilePreviewView> {
  const rows = await readRows(records, rules);
  const unread = rows.filter(({ problem }) => problem !== null);
  return {
    rows: rows.slice(0, PREVIEW_ROWS).map(rowView),
    counts: countsOf(rows, unread.length),
    problems: unread.slice(0, PREVIEW_ROWS).map(({ line, problem }) => ({ line, problem: problem as string })),
    days: daysOf(rows, clock),
    kinds: [...kindsIn(records, rules.mapping.kind)],
  };
}

function countsOf(rows: readonly FileRow[], unreadable: number): FileCountsView {
  const figures = (kind: FileRow['kind']) => {
    const of = rows.filter((row) => row.kind === kind && row.problem === null);
    return { count: of.length, cents: Number(of.reduce((sum, { cents }) => sum + (cents ?? 0n), 0n)) };
  };
  return {
    rows: rows.length,
    sales: figures('SALE'),
    refunds: figures('REFUND'),
    chargebacks: figures('CHARGEBACK'),
    ignored: figures('IGNORED'),
    unreadable,
  };
}

function rowView(row: FileRow): PreviewRowView {
  return { ...row, cents: row.cents === null ? null : Number(row.cents) };
}
