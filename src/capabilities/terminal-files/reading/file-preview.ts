import type { FileRecord } from '../../../platform/files/rules/csv.js';
import type { FileCountsView, FilePreviewView, PreviewRowView } from '../api/terminal-files.dto.js';
import { businessDayOf } from '../rules/clock.js';
import { kindsOf, statusesOf, ValuesIn } from '../rules/file-mapping.js';
import { type RowRules, readFileRows } from '../rules/file-row.js';
import { presetOf } from '../rules/file-words.js';
import { type FileDays, type FileRow, PREVIEW_ROWS } from '../rules/terminal-file.js';
import { unpacked } from './packed-records.js';

/** The clock of a restaurant, by which its business days end. */
export interface Clock {
  readonly timezone: string;
  readonly dayClosesAt: string;
}

/** The business day of a row (R15); null without a time. A row without a time of day is of its date. */
export function dayOf({ at }: FileRow, { timezone, dayClosesAt }: Clock): string | null {
  return at && businessDayOf(at, timezone, dayClosesAt);
}

/** The days of the sales of a file. */
export class DaysOf {
  /** null: it has no sale */
  days: FileDays | null = null;

  constructor(private readonly clock: Clock) {}

  add(row: FileRow): void {
    const day = row.kind === 'SALE' && row.problem === null ? dayOf(row, this.clock) : null;
    if (day === null) return;
    const { from, to } = this.days ?? { from: day, to: day };
    if (day < from) this.days = { from: day, to };
    else if (day > to || !this.days) this.days = { from, to: day };
  }
}

/** What a mapping makes of a file. */
export interface PreviewInput {
  /** as {@link packed} writes it */
  readonly content: Uint8Array;
  readonly rules: RowRules;
  readonly clock: Clock;
}

/** What a mapping makes of a file, without what the sales say of it. */
export interface ReadPreview extends Omit<FilePreviewView, 'rows' | 'score' | 'claim'> {
  readonly rows: readonly ReadRow[];
}

type ReadRow = Omit<PreviewRowView, 'answer' | 'sale'>;

/** What a mapping makes of a file (J5). Of its rows only the first are kept. */
export async function previewOf({ content, rules, clock }: PreviewInput): Promise<ReadPreview> {
  const counts = new Counts();
  const { mapping } = rules;
  const [ofKind, ofStatus] = [new ValuesIn(mapping.kind), new ValuesIn(mapping.status)];
  const days = new DaysOf(clock);
  const rows: FileRow[] = [];
  const problems: FilePreviewView['problems'][number][] = [];
  for await (const row of readFileRows(noted(unpacked(content), [ofKind, ofStatus]), rules)) {
    if (rows.length < PREVIEW_ROWS) rows.push(row);
    if (row.problem !== null && problems.length < PREVIEW_ROWS) problems.push({ line: row.line, problem: row.problem });
    counts.add(row);
    days.add(row);
  }
  const preset = presetOf(rules.columns);
  const kinds = kindsOf(ofKind.values(), preset, mapping.kinds);
  const statuses = statusesOf(ofStatus.values(), preset, mapping.statuses);
  const asked = { unknownKinds: kinds.unknown, unknownStatuses: statuses.unknown };
  const known = { kinds: kinds.known, statuses: statuses.known };
  return { rows: rows.map(rowView), counts: counts.view(), problems, days: days.days, ...known, ...asked };
}

/** Passes the records on, and notes the values of some columns. */
async function* noted(records: AsyncIterable<FileRecord>, columns: readonly ValuesIn[]): AsyncGenerator<FileRecord> {
  for await (const record of records) {
    for (const column of columns) column.add(record);
    yield record;
  }
}

/** The numbers of a preview. */
class Counts {
  private rows = 0;
  private unreadable = 0;
  private readonly ofKind = new Map<FileRow['kind'], { count: number; cents: bigint }>();

  add({ kind, problem, cents }: FileRow): void {
    this.rows++;
    if (problem !== null) {
      this.unreadable++;
      return;
    }
    const figures = this.ofKind.get(kind) ?? { count: 0, cents: 0n };
    this.ofKind.set(kind, { count: figures.count + 1, cents: figures.cents + (cents ?? 0n) });
  }

  view(): FileCountsView {
    const figures = (kind: FileRow['kind']) => {
      const { count = 0, cents = 0n } = this.ofKind.get(kind) ?? {};
      return { count, cents: Number(cents) };
    };
    return {
      rows: this.rows,
      sales: figures('SALE'),
      refunds: figures('REFUND'),
      chargebacks: figures('CHARGEBACK'),
      ignored: figures('IGNORED'),
      unreadable: this.unreadable,
    };
  }
}

function rowView(row: FileRow): ReadRow {
  return { ...row, cents: row.cents === null ? null : Number(row.cents) };
}
