import { maskCards } from '../../../domain/card-numbers.js';
import type { Cents } from '../../../domain/money.js';
import type { Matched, MatchRow, MatchSale } from './match-rows.js';
import { addTo, apart, isAmountOf, NEAR_MS, near, type Texts } from './near-sales.js';
import { type EarlierRow, EarlierRows, identityOf } from './row-identity.js';
import { answersOfSale, fits, roomOf } from './sale-rows.js';
import { SUGGESTED_MS, suggestions } from './suggestions.js';
import type { Answer, FileDays } from './terminal-file.js';

/** Compares the rows of a file with sales, in passes (J9). */
export class Matching {
  /** by time */
  private readonly sales: readonly MatchSale[];
  private readonly byKey = new Map<string, MatchSale>();
  private readonly byNumber = new Map<string, MatchSale[]>();
  private readonly saleOf = new Map<MatchRow, MatchSale>();
  private readonly rowsOf = new Map<MatchSale, MatchRow[]>();
  /** what is left of a sale with rows */
  private readonly rooms = new Map<MatchSale, Cents>();
  private readonly suggestedFor = new Map<MatchRow, MatchSale>();
  private readonly answered = new Map<MatchRow, Matched>();
  /** the first row of each that stands again, and the others */
  private readonly firsts = new Map<string, MatchRow>();
  private readonly again = new Map<MatchRow, MatchRow>();
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
    const repeats = new EarlierRows(earlier);
    for (const row of rows) {
      if (row.problem !== null || row.kind === null || row.kind === 'IGNORED') continue;
      const { identity = identityOf(row) } = row;
      const equal = identity === null ? null : `${identity}|${row.at?.getTime()}`;
      const first = equal === null ? undefined : this.firsts.get(equal);
      if (first) this.again.set(row, first);
      else if (equal !== null) this.firsts.set(equal, row);
      const repeatOf = repeats.fileOf(row, identity);
      if (repeatOf !== null) this.answered.set(row, { row, answer: 'REPEATED', sale: null, repeatOf });
      else if (row.kind === 'SALE') this.open.push(row);
      else if (first) this.answered.set(row, { row, answer: 'DUPLICATE', sale: null, repeatOf: null });
    }
    this.matchAccepted();
    this.matchReferences();
  }

  /** The rows that the references have not answered, and that have an authorisation: pass 2 looks for these. */
  unanswered(): MatchRow[] {
    return this.open.filter((row) => row.authorisation !== null && row.at !== null && !this.saleOf.has(row));
  }

  /**
   * The first part of pass 2 (J22): a row is the sale whose payment says so, if it has the amount and no other row. Anything less is left to
   * {@link matchAuthorisations}.
   * @param evidence authorisation codes and terminals of payments, by the key of their sale
   */
  matchEvidence(evidence: Texts): void {
    const having = this.having(evidence);
    for (const row of this.unanswered()) {
      const fitting = this.fitting(row, having, evidence);
      const sale = fitting.find((each) => isAmountOf(each, row.cents) && !this.isUsed(each));
      if (sale) this.take(row, sale);
    }
  }

  /**
   * The evidence of sales whose rows add up to what was paid, if it names each of these rows. The payloads of such sales need not be searched: no further row fits them.
   */
  settledBy(evidence: Texts): Map<string, ReadonlySet<string>> {
    const settled = new Map<string, ReadonlySet<string>>();
    for (const [sale, rows] of this.rowsOf) {
      const texts = evidence.get(sale.key);
      const isNamed = ({ authorisation, terminal }: MatchRow) =>
        authorisation !== null && texts?.has(authorisation) && (terminal === null || texts.has(terminal));
      if (texts && this.rooms.get(sale) === 0n && rows.every(isNamed)) settled.set(sale.key, texts);
    }
    return settled;
  }

  /**
   * Pass 2.
   * @param texts what stands in the payloads of sales, of the authorisations and terminals of {@link unanswered}, by key
   */
  matchAuthorisations(texts: Texts): void {
    const having = this.having(texts);
    const together = new Map<MatchSale, MatchRow[]>();
    for (const row of this.unanswered()) {
      const fitting = this.fitting(row, having, texts);
      const sale = this.ofAuthorisation(row, fitting);
      if (sale) this.take(row, sale);
      else if (fitting[0]) addTo(together, fitting[0], row);
    }
    // each alone is no amount of the sale, and all of them are
    for (const [sale, rows] of together)
      if (fits(sale, [...(this.rowsOf.get(sale) ?? []), ...rows])) for (const row of rows) this.take(row, sale);
  }

  private having(texts: Texts): ReadonlyMap<string, MatchSale[]> {
    const having = new Map<string, MatchSale[]>();
    for (const sale of this.sales) for (const text of texts.get(sale.key) ?? []) addTo(having, text, sale);
    return having;
  }

  /** The sales that have authorisation and terminal of a row, the nearest first. */
  private fitting(row: MatchRow, having: ReadonlyMap<string, MatchSale[]>, texts: Texts): MatchSale[] {
    const { authorisation, terminal, refused } = row;
    return near(row, having.get(authorisation as string), NEAR_MS).filter(
      ({ key }) => !refused.includes(key) && (terminal === null || texts.get(key)?.has(terminal)),
    );
  }

  /** Pass 3, and the answers: of each row, and the sales of the days that have none. */
  answers(): { readonly rows: Matched[]; readonly missingThere: MatchSale[] } {
    this.suggest();
    const together = new Map<MatchRow, Answer>();
    for (const [sale, rows] of this.rowsOf)
      for (const [row, answer] of answersOfSale(sale, rows)) together.set(row, answer);
    const rows = this.rows.map((row) => this.answerOf(row, together.get(row)));
    const suggested = new Set(rows.flatMap(({ answer, sale }) => (answer === 'SUGGESTED' && sale ? [sale] : [])));
    const missingThere = this.sales.filter(
      (sale) =>
        !sale.isRefund &&
        sale.cents > 0n &&
        this.isOfDays(sale.day) &&
        !this.isUsed(sale) &&
        !suggested.has(sale) &&
        // it may have been paid in cash
        sale.forgotten !== 'removed',
    );
    return { rows, missingThere };
  }

  /** A person has said which sale some rows are. */
  private matchAccepted(): void {
    for (const row of this.open) {
      const { decision, eventKey } = row.kept ?? {};
      const sale = decision === 'ACCEPTED' ? this.byKey.get(eventKey ?? '') : undefined;
      if (sale && !sale.isRefund) this.take(row, sale);
    }
  }

  private matchReferences(): void {
    for (const row of this.open) {
      const { reference } = row;
      if (reference === null || this.saleOf.has(row)) continue;
      const key = this.byKey.get(reference);
      const sale = key && !key.isRefund ? key : this.ofNumber(row, reference);
      if (sale && !row.refused.includes(sale.key)) this.take(row, sale);
    }
  }

  /** Numbers begin again each day: the nearest sale that the row fits into, that of an equal row, the nearest that is free, else the nearest. */
  private ofNumber(row: MatchRow, number: string): MatchSale | undefined {
    const found = near(row, this.byNumber.get(number), NEAR_MS).filter(({ isRefund }) => !isRefund);
    const before = this.saleOf.get(this.again.get(row) ?? row);
    return (
      found.find((sale) => (this.isUsed(sale) ? this.hasRoom(sale, row) : isAmountOf(sale, row.cents))) ??
      found.find((sale) => sale === before || (sale.taken !== null && isAmountOf(sale, row.cents))) ??
      found.find((sale) => !this.isUsed(sale)) ??
      found[0]
    );
  }

  /**
   * An authorisation code may come again on one day: it is that of a sale with this amount, or of the same minute; with a terminal also of the only one.
   * @param fitting sales that have it, the nearest first
   */
  private ofAuthorisation(row: MatchRow, fitting: readonly MatchSale[]): MatchSale | undefined {
    const exact = fitting.filter((sale) => isAmountOf(sale, row.cents));
    const free = fitting.filter((sale) => !this.isUsed(sale));
    const now = fitting.filter((sale) => !row.isDateOnly && apart(row, sale) <= SUGGESTED_MS);
    return (
      exact.find((sale) => !this.isUsed(sale)) ??
      now.find((sale) => !this.isUsed(sale)) ??
      now[0] ??
      exact.find((sale) => sale.taken !== null) ??
      (row.terminal !== null ? fitting.find((sale) => this.isUsed(sale) && this.hasRoom(sale, row)) : undefined) ??
      (row.terminal !== null && free.length === 1 ? free[0] : undefined)
    );
  }

  private suggest(): void {
    const open = this.open.filter(
      (row) => !row.isEntered && this.isOfDays(row.day) && !this.saleOf.has(row) && !this.again.has(row),
    );
    const sales = this.sales.filter(
      (sale) => !sale.isRefund && sale.cents > 0n && !this.rowsOf.has(sale) && sale.taken?.fileId !== null,
    );
    const used = new Set<MatchSale>();
    for (const { row, sale } of suggestions(open, sales)) {
      if (this.suggestedFor.has(row) || this.answered.has(row) || used.has(sale)) continue;
      const { fileId = null } = sale.taken ?? {};
      // it was listed before, and is not missing
      if (fileId !== null) this.answered.set(row, { row, answer: 'REPEATED', sale, repeatOf: fileId });
      else this.suggestedFor.set(row, sale);
      used.add(sale);
    }
  }

  private answerOf(row: MatchRow, ofSale: Answer | undefined): Matched {
    const answered = (answer: Answer, sale: MatchSale | null = null): Matched => {
      const repeatOf = answer === 'REPEATED' ? (sale?.taken?.fileId ?? null) : null;
      return { row, answer, sale, repeatOf };
    };
    if (row.problem !== null || row.kind === null) return answered('UNREADABLE');
    const before = this.answered.get(row);
    if (before) return before;
    const sale = this.saleOf.get(row);
    // also when it is read as no sale now: the POS has it
    if (row.isEntered) return answered('ENTERED', sale ?? null);
    if (row.kind === 'REFUND') return answered('REFUND', this.refundOf(row));
    if (row.kind !== 'SALE') return answered(row.kind);
    if (!this.isOfDays(row.day) && !(sale && this.isOfDays(sale.day))) return answered('OUTSIDE_DAY');
    if (sale && ofSale) return answered(ofSale, sale);
    if (this.again.has(row)) return answered('DUPLICATE');
    const suggested = this.suggestedFor.get(row);
    return suggested ? answered('SUGGESTED', suggested) : answered('MISSING_HERE');
  }

  private refundOf(row: MatchRow): MatchSale | null {
    if (row.reference === null) return null;
    const refund = this.byKey.get(row.reference);
    if (refund?.isRefund) return refund;
    return near(row, this.byNumber.get(row.reference), NEAR_MS).find(({ isRefund }) => isRefund) ?? null;
  }

  private take(row: MatchRow, sale: MatchSale): void {
    this.rooms.set(sale, (this.rooms.get(sale) ?? roomOf(sale, [])) - (row.cents ?? 0n));
    this.saleOf.set(row, sale);
    addTo(this.rowsOf, sale, row);
  }

  private isUsed(sale: MatchSale): boolean {
    return sale.taken !== null || this.rowsOf.has(sale);
  }

  /** Whether a row may be a further one of a sale. */
  private hasRoom(sale: MatchSale, { cents }: MatchRow): boolean {
    return cents !== null && (this.rooms.get(sale) ?? roomOf(sale, [])) >= cents;
  }

  private isOfDays(day: string | null): boolean {
    return day !== null && day >= this.days.from && day <= this.days.to;
  }
}
