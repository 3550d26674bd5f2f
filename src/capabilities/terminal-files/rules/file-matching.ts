import { maskCards } from '../../../domain/card-numbers.js';
import type { Cents } from '../../../domain/money.js';
import type { Answer, FileDays, FileRow } from './terminal-file.js';

/** A sale of pass 2 is as near to its row, in ms (L95). */
export const NEAR_MS = 12 * 3_600_000;
/** A sale that is suggested is as near to its row, in ms (L96). */
export const SUGGESTED_MS = 60_000;
const DAY_MS = 86_400_000;

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
  /** a row of another file has it */
  readonly isTaken: boolean;
}

/** A row to compare, with what was decided about it before. */
export interface MatchRow extends FileRow {
  /** its business day; null: it has no time */
  readonly day: string | null;
  /** keys of sales that a person refused for it */
  readonly refused: readonly string[];
  /** a person has entered it by hand: it looks for its sale all the same */
  readonly isEntered: boolean;
}

/** A row of an earlier file with the same identity. */
export interface EarlierRow {
  readonly fileId: string;
  readonly cents: Cents | null;
}

/** What a row is. */
export interface Matched {
  readonly row: MatchRow;
  readonly answer: Answer;
  readonly sale: MatchSale | null;
  /** the earlier file */
  readonly repeatOf: string | null;
}

/** Longer ones would not fit into the index. */
const MAX_IDENTITY = 600;

/** By what a row is known in another file, and twice in one: the same reference of another day is another row. Null: by nothing. */
export function identityOf({ kind, day, reference, authorisation, terminal, cents, at }: MatchRow): string | null {
  const by = reference !== null ? [reference] : authorisation === null ? null : [authorisation, terminal];
  if (by === null) return null;
  // a reference may have several refunds
  const parts = [kind, day, ...by, ...(kind === 'SALE' && reference !== null ? [] : [cents, at?.getTime()])];
  return parts.join('|').slice(0, MAX_IDENTITY).toWellFormed();
}

/** Compares the rows of a file with sales, in passes (J9). */
export class Matching {
  /** by time */
  private readonly sales: readonly MatchSale[];
  private readonly byKey = new Map<string, MatchSale>();
  private readonly byNumber = new Map<string, MatchSale[]>();
  private readonly saleOf = new Map<MatchRow, MatchSale>();
  private readonly suggestedFor = new Map<MatchRow, MatchSale>();
  private readonly rowOf = new Map<MatchSale, MatchRow>();
  private readonly repeats = new Map<MatchRow, Matched>();
  private readonly open: MatchRow[] = [];

  /** @param earlier rows of confirmed files, by {@link identityOf} */
  constructor(
    private readonly rows: readonly MatchRow[],
    sales: readonly MatchSale[],
    private readonly days: FileDays,
    earlier: ReadonlyMap<string, EarlierRow>,
  ) {
    this.sales = sales.toSorted((a, b) => a.at.getTime() - b.at.getTime());
    for (const sale of this.sales) {
      this.byKey.set(sale.key, sale);
      if (sale.number !== null) addTo(this.byNumber, sale.number, sale);
      // of a sale they are stored as they came, in a file they are masked (J15)
      const masked = [sale.key, sale.number ?? ''].filter((text) => maskCards(text) !== text).map(maskCards);
      for (const text of new Set(masked)) addTo(this.byNumber, text, sale);
    }
    const seen = new Map<string, MatchRow>();
    for (const row of rows) {
      if (row.problem !== null || row.kind === null) continue;
      const identity = identityOf(row);
      const before = identity === null ? undefined : earlier.get(identity);
      const first = identity === null ? undefined : seen.get(identity);
      const isSame = before?.cents === row.cents;
      if (first) this.repeats.set(row, { row, answer: 'DUPLICATE', sale: null, repeatOf: null });
      else if (before)
        this.repeats.set(row, { row, answer: isSame ? 'REPEATED' : 'DUPLICATE', sale: null, repeatOf: before.fileId });
      else if (row.kind === 'SALE') this.open.push(row);
      if (identity !== null && !first) seen.set(identity, row);
    }
    this.matchReferences();
  }

  /** The rows that the references have not answered, and that have an authorisation: pass 2 looks for these. */
  unanswered(): MatchRow[] {
    return this.open.filter((row) => row.authorisation !== null && row.at !== null && !this.saleOf.has(row));
  }

  /**
   * Pass 2.
   * @param texts what stands in the payloads of sales, of the authorisations and terminals of {@link unanswered}, by key
   */
  matchAuthorisations(texts: ReadonlyMap<string, ReadonlySet<string>>): void {
    const having = new Map<string, MatchSale[]>();
    for (const sale of this.sales) for (const text of texts.get(sale.key) ?? []) addTo(having, text, sale);
    for (const row of this.unanswered()) {
      const { authorisation, terminal, cents } = row;
      const fitting = near(row, having.get(authorisation as string), NEAR_MS).filter(
        (sale) =>
          !this.isUsed(sale) &&
          !row.refused.includes(sale.key) &&
          (terminal === null ? isAmountOf(sale, cents) : texts.get(sale.key)?.has(terminal)),
      );
      // an authorisation code may come again on one day
      const exact = fitting.filter((sale) => isAmountOf(sale, cents));
      const only = exact.length > 0 ? exact[0] : fitting.length === 1 ? fitting[0] : undefined;
      if (only) this.take(row, only);
    }
  }

  /** Pass 3, and the answers: of each row, and the sales of the days that have none. */
  answers(): { readonly rows: Matched[]; readonly missingThere: MatchSale[] } {
    this.suggest();
    const rows = this.rows.map((row) => this.answerOf(row));
    const suggested = new Set(rows.flatMap(({ answer, sale }) => (answer === 'SUGGESTED' && sale ? [sale] : [])));
    const missingThere = this.sales.filter(
      (sale) =>
        !sale.isRefund && sale.cents > 0n && this.isOfDays(sale.day) && !this.isUsed(sale) && !suggested.has(sale),
    );
    return { rows, missingThere };
  }

  private matchReferences(): void {
    for (const row of this.open) {
      const { reference } = row;
      if (reference === null) continue;
      const key = this.byKey.get(reference);
      const sale = key && !key.isRefund ? key : this.ofNumber(row, reference, false);
      if (!sale || row.refused.includes(sale.key)) continue;
      if (this.isUsed(sale)) this.repeats.set(row, { row, answer: 'DUPLICATE', sale, repeatOf: null });
      else this.take(row, sale);
    }
  }

  /** Numbers begin again each day: the nearest sale that is free, else the nearest. */
  private ofNumber(row: MatchRow, number: string, isRefund: boolean): MatchSale | undefined {
    const found = near(row, this.byNumber.get(number), NEAR_MS).filter((sale) => sale.isRefund === isRefund);
    return found.find((sale) => !this.isUsed(sale)) ?? found[0];
  }

  private suggest(): void {
    const byAmount = new Map<Cents, MatchSale[]>();
    for (const sale of this.sales)
      if (!sale.isRefund && sale.cents > 0n && !this.isUsed(sale))
        for (const cents of new Set([sale.cents, ...sale.otherCents])) addTo(byAmount, cents, sale);
    const pairs = this.open
      .filter((row) => row.at !== null && !row.isDateOnly && !row.isEntered && this.isOfDays(row.day))
      .filter((row) => !this.saleOf.has(row) && !this.repeats.has(row))
      .flatMap((row) =>
        near(row, byAmount.get(row.cents as Cents), SUGGESTED_MS)
          .filter((sale) => !row.refused.includes(sale.key))
          .map((sale) => ({ row, sale, apart: apart(row, sale) })),
      );
    pairs.push(...this.byLooseReference());
    const used = new Set<MatchSale>();
    for (const { row, sale } of pairs.toSorted((a, b) => a.apart - b.apart || a.row.line - b.row.line)) {
      if (this.suggestedFor.has(row) || used.has(sale)) continue;
      this.suggestedFor.set(row, sale);
      used.add(sale);
    }
  }

  /** Sales of the day whose number is the same without zeros before it and `.0` after it, as spreadsheets write it, with the amount of the row. */
  private byLooseReference(): { readonly row: MatchRow; readonly sale: MatchSale; readonly apart: number }[] {
    const rows = this.open.filter((row) => looseReference(row.reference) !== null && !row.isEntered);
    const open = rows.filter((row) => !this.saleOf.has(row) && !this.repeats.has(row) && this.isOfDays(row.day));
    if (open.length === 0) return [];
    const byNumber = new Map<string, MatchSale[]>();
    for (const sale of this.sales)
      if (!sale.isRefund && !this.isUsed(sale))
        for (const text of new Set([looseReference(sale.key), looseReference(sale.number)]))
          if (text !== null) addTo(byNumber, text, sale);
    return open.flatMap((row) =>
      near(row, byNumber.get(looseReference(row.reference) ?? ''), DAY_MS)
        .filter((sale) => sale.day === row.day && isAmountOf(sale, row.cents) && !row.refused.includes(sale.key))
        .map((sale) => ({ row, sale, apart: apart(row, sale) })),
    );
  }

  private answerOf(row: MatchRow): Matched {
    const answered = (answer: Answer, sale: MatchSale | null = null): Matched => ({
      row,
      answer,
      sale,
      repeatOf: null,
    });
    if (row.problem !== null || row.kind === null) return answered('UNREADABLE');
    const repeat = this.repeats.get(row);
    if (repeat) return repeat;
    if (row.kind === 'REFUND') return answered('REFUND', this.refundOf(row));
    if (row.kind !== 'SALE') return answered(row.kind);
    const sale = this.saleOf.get(row);
    if (row.isEntered) return answered('ENTERED', sale ?? null);
    if (!this.isOfDays(row.day) && !(sale && this.isOfDays(sale.day))) {
      if (sale) this.rowOf.delete(sale);
      return answered('OUTSIDE_DAY');
    }
    if (sale) return answered(isAmountOf(sale, row.cents) ? 'MATCHED' : 'AMOUNT_DIFFERS', sale);
    const suggested = this.suggestedFor.get(row);
    return suggested ? answered('SUGGESTED', suggested) : answered('MISSING_HERE');
  }

  private refundOf(row: MatchRow): MatchSale | null {
    if (row.reference === null) return null;
    const refund = this.byKey.get(row.reference);
    return refund?.isRefund ? refund : (this.ofNumber(row, row.reference, true) ?? null);
  }

  private take(row: MatchRow, sale: MatchSale): void {
    this.saleOf.set(row, sale);
    this.rowOf.set(sale, row);
  }

  private isUsed(sale: MatchSale): boolean {
    return sale.isTaken || this.rowOf.has(sale);
  }

  private isOfDays(day: string | null): boolean {
    return day !== null && day >= this.days.from && day <= this.days.to;
  }
}

function isAmountOf(sale: MatchSale, cents: Cents | null): boolean {
  return cents !== null && (sale.cents === cents || sale.otherCents.includes(cents));
}

/** A number without zeros before it, and `.0` after it; null: it is no number. */
function looseReference(text: string | null): string | null {
  return /^0*(\d+)(?:\.0+)?$/.exec(text ?? '')?.[1] ?? null;
}

/** The most sales that are looked at for a row, earlier and later ones: a file of equal rows costs no more than another. */
const LOOKED_AT = 20;

/** The sales that are as near to a row, the nearest first; of a row without a time of day those of its day. @param sales sorted by time */
function near(row: MatchRow, sales: readonly MatchSale[] = [], ms: number): MatchSale[] {
  if (row.at === null) return [];
  const at = row.at.getTime();
  let [low, high] = [0, sales.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sales[middle] as MatchSale).at.getTime() < at) low = middle + 1;
    else high = middle;
  }
  return sales
    .slice(Math.max(0, low - LOOKED_AT), low + LOOKED_AT)
    .filter((sale) => (row.isDateOnly ? row.day === sale.day : apart(row, sale) <= ms))
    .toSorted((a, b) => apart(row, a) - apart(row, b));
}

function apart({ at }: MatchRow, sale: MatchSale): number {
  return Math.abs(sale.at.getTime() - (at?.getTime() ?? 0));
}

function addTo<Key>(map: Map<Key, MatchSale[]>, key: Key, sale: MatchSale): void {
  const list = map.get(key);
  if (list) list.push(sale);
  else map.set(key, [sale]);
}
