import type { Cents } from '../../../domain/money.js';
import type { KeptDecision } from './kept-decisions.js';
import type { Answer, FileRow } from './terminal-file.js';

/** A sale, or a refund that the terminal reported, to compare with. */
export interface MatchSale {
  readonly key: string;
  readonly number: string | null;
  readonly isRefund: boolean;
  /** paid, without cash (J10) */
  readonly cents: Cents;
  /** the other amounts that a row of it may have: all that was paid, and each tender */
  readonly otherCents: readonly Cents[];
  /** when it was sold; the receipt without a plausible date */
  readonly at: Date;
  /** its business day */
  readonly day: string;
  /**
   * its number and its payments are not known any more: `removed` by retention (O22), or `erased` (W40). By their day and amount they are suggested (J9); absent: they are
   * known
   */
  readonly forgotten?: 'removed' | 'erased' | undefined;
  /** rows of another file, or answered ones of this file, that have it; null: none */
  readonly taken: TakenSale | null;
}

/** The rows that have a sale already. */
export interface TakenSale {
  /** the other file; null: this one */
  readonly fileId: string | null;
  /** their sum */
  readonly cents: Cents;
  /** one of them has a reference or an authorisation */
  readonly isNamed?: boolean;
}

/** A row to compare, with what was decided about it before. */
export interface MatchRow extends FileRow {
  /** its business day; null: it has no time */
  readonly day: string | null;
  /** keys of sales that a person refused for it */
  readonly refused: readonly string[];
  /** a person has entered it by hand: it looks for its sale all the same */
  readonly isEntered: boolean;
  /** what was decided about it in a reading before, or in a file that was taken back */
  readonly kept?: KeptDecision | null;
  /** as it is kept; undefined: of a new row */
  readonly identity?: string | null;
}

/** What a row is. */
export interface Matched {
  readonly row: MatchRow;
  readonly answer: Answer;
  readonly sale: MatchSale | null;
  /** the earlier file */
  readonly repeatOf: string | null;
}
