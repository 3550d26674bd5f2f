import type { Matched } from './match-rows.js';

/** The least share of the payments of a file that are found, in percent, without a second question (L215). */
const FOUND_PERCENT = 90;

/** What a confirmation would say of the payments of a file (J21). */
export interface FileClaim {
  /** the payments: without those of other days, and those that are listed twice */
  readonly sales: number;
  /** of these, those that would be MISSING_HERE */
  readonly missing: number;
  /** their sum */
  readonly missingCents: number;
}

/** What the answers to the rows of a file say of its payments (J21). */
export function claimOf(answers: readonly Matched[]): FileClaim {
  const sales = answers.filter(
    ({ row, answer }) =>
      row.kind === 'SALE' && row.problem === null && answer !== 'OUTSIDE_DAY' && answer !== 'DUPLICATE',
  );
  const missing = sales.filter(({ answer }) => answer === 'MISSING_HERE');
  const cents = missing.reduce((sum, { row }) => sum + (row.cents ?? 0n), 0n);
  return { sales: sales.length, missing: missing.length, missingCents: Number(cents) };
}

/** Whether so few payments are found that the mapping may be wrong, or the file another restaurant's (J21). */
export function isDoubtful({ sales, missing }: FileClaim): boolean {
  return (sales - missing) * 100 < sales * FOUND_PERCENT;
}
