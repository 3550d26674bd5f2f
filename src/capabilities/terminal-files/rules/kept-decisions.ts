import type { Cents } from '../../../domain/money.js';
import type { Decision, FileRow, RowKind } from './terminal-file.js';

/** A payment of another file is the same one as near as this, in ms. */
const SAME_DAY_MS = 24 * 3_600_000;

/** What a person decided about a row of a file that is read again, or was taken back (J19, J20). `refused` are keys of sales. */
export interface KeptDecision {
  /** the file */
  readonly sha256: string;
  readonly line: number;
  /** whether it is the file that is compared: its line is the row */
  readonly isOwn: boolean;
  readonly kind: RowKind | null;
  readonly reference: string | null;
  readonly authorisation: string | null;
  readonly cents: Cents | null;
  readonly at: Date | null;
  readonly identity: string | null;
  /** null: sales were refused, and nothing else was decided */
  readonly decision: Decision | null;
  /** ACCEPTED: the key of the sale */
  readonly eventKey: string | null;
  readonly refused: readonly string[];
  readonly note: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: Date | null;
}

type Payment = Pick<FileRow, 'line' | 'reference' | 'authorisation' | 'cents' | 'at'>;

/** Finds what was decided about a row before. Each decision belongs to one row, the first that has its payment. */
export class KeptDecisions {
  private readonly ofLine = new Map<number, KeptDecision>();
  private readonly others = new Map<string, KeptDecision[]>();
  private readonly used = new Set<KeptDecision>();

  constructor(decisions: readonly KeptDecision[]) {
    for (const kept of decisions) {
      if (kept.isOwn) this.ofLine.set(kept.line, kept);
      else for (const key of keysOf(kept)) this.others.set(key, [...(this.others.get(key) ?? []), kept]);
    }
  }

  /** By the line of the same file; of another file by identity, by reference or authorisation on the same day, or by time and amount. */
  of(row: Payment & { readonly identity: string | null }): KeptDecision | null {
    const kept = this.ofLine.get(row.line) ?? this.ofOther(row);
    if (kept) this.used.add(kept);
    return kept ?? null;
  }

  /** The decisions that have found their row. */
  found(): KeptDecision[] {
    return [...this.used];
  }

  private ofOther(row: Payment & { readonly identity: string | null }): KeptDecision | undefined {
    for (const key of keysOf(row)) {
      const found = this.others.get(key)?.find((kept) => !this.used.has(kept) && isSameDay(kept.at, row.at));
      if (found) return found;
    }
    return undefined;
  }
}

function keysOf({
  identity,
  reference,
  authorisation,
  cents,
  at,
}: Omit<Payment, 'line'> & { identity: string | null }) {
  const named = [
    identity !== null && `identity ${identity}`,
    reference !== null && `reference ${reference}`,
    authorisation !== null && `authorisation ${authorisation}`,
  ].filter((key) => key !== false);
  return named.length > 0 ? named : [`payment ${at?.getTime()} ${cents}`];
}

/** Also when one of the readings took the day for the month. */
function isSameDay(a: Date | null, b: Date | null): boolean {
  if (a === null || b === null) return a === b;
  const isNear = (one: number) => Math.abs(one - b.getTime()) <= SAME_DAY_MS;
  return isNear(a.getTime()) || isNear(withDayAsMonth(a));
}

function withDayAsMonth(date: Date): number {
  return new Date(date).setUTCMonth(date.getUTCDate() - 1, date.getUTCMonth() + 1);
}
