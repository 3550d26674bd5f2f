import type { Cents } from '../../../domain/money.js';
import type { MatchRow } from './match-rows.js';

/** Longer ones would not fit into the index. */
const MAX_IDENTITY = 600;

/** The rows of an earlier file with the same identity. */
export interface EarlierRow {
  readonly fileId: string;
  readonly cents: Cents | null;
  /** default: 1 */
  readonly count?: number;
}

type Identified = Omit<MatchRow, 'identity'>;

/**
 * By what a row is known in another file, and twice in one: day, reference, amount, authorisation and instalment, or without a reference the time too. The same reference of another
 * day, or with another amount, is another row. Null: by nothing.
 */
export function identityOf(row: Identified): string | null {
  const { kind, day, reference, authorisation, terminal, cents, at, instalment } = row;
  const of = [kind, day];
  // a reference may have several refunds
  if (reference !== null && kind === 'SALE') return joined([...of, reference, cents, authorisation, instalment]);
  const by = reference !== null ? [reference] : authorisation === null ? null : [authorisation, terminal];
  return by && joined([...of, ...by, cents, at?.getTime(), ...(instalment ? [instalment] : [])]);
}

/** As earlier versions have kept it: a sale was known by its day and its reference. */
export function oldIdentityOf({ kind, day, reference }: Identified): string | null {
  return kind === 'SALE' && reference !== null ? joined([kind, day, reference]) : null;
}

function joined(parts: readonly unknown[]): string {
  return parts.join('|').slice(0, MAX_IDENTITY).toWellFormed();
}

/** Finds the rows that stand in an earlier file, each of these once. */
export class EarlierRows {
  private readonly found = new Map<string, number>();

  constructor(private readonly earlier: ReadonlyMap<string, EarlierRow>) {}

  /** The earlier file that has the row; null: none, or it has fewer of these. */
  fileOf(row: MatchRow, identity: string | null): string | null {
    if (identity === null) return null;
    const before = this.earlier.get(identity) ?? this.old(row);
    if (!before) return null;
    const found = (this.found.get(identity) ?? 0) + 1;
    this.found.set(identity, found);
    return found <= (before.count ?? 1) ? before.fileId : null;
  }

  private old(row: MatchRow): EarlierRow | undefined {
    const before = this.earlier.get(oldIdentityOf(row) ?? '');
    return before?.cents === row.cents ? before : undefined;
  }
}
