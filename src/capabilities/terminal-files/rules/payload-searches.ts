import type { MatchRow, MatchSale } from './match-rows.js';

/** A row without a time of day is of its date, and a row with one is within 12 hours of its sale (L95): in ms. */
const ABOUT_MS = 24 * 3_600_000;
/** Shorter texts stand in too many payloads. */
const SHORTEST = 3;

/** Sales whose payloads are searched, and what for. */
export interface PayloadSearch {
  readonly keys: readonly string[];
  readonly texts: readonly string[];
}

/**
 * Which payloads are searched for the authorisations and terminals of rows (J9): those of sales of about the time of one of them.
 * @param most sales of one search
 */
export function searches(rows: readonly MatchRow[], sales: readonly MatchSale[], most: number): PayloadSearch[] {
  const timed = rows.flatMap((row) => (row.at === null ? [] : { at: row.at.getTime(), row }));
  const byTime = timed.toSorted((a, b) => a.at - b.at);
  const found: PayloadSearch[] = [];
  let first = 0;
  let keys: string[] = [];
  let from = 0;
  let until = 0;
  const end = () => {
    const texts = new Set<string>();
    for (let place = from; place < byTime.length; place++) {
      const { at, row } = byTime[place] as (typeof byTime)[number];
      if (at > until) break;
      for (const text of [row.authorisation, row.terminal])
        if (text !== null && text.length >= SHORTEST) texts.add(text);
    }
    if (texts.size > 0) found.push({ keys, texts: [...texts] });
    keys = [];
  };
  for (const sale of sales.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const at = sale.at.getTime();
    while (first < byTime.length && (byTime[first]?.at ?? 0) < at - ABOUT_MS) first++;
    if ((byTime[first]?.at ?? Number.POSITIVE_INFINITY) > at + ABOUT_MS) continue;
    if (keys.length === 0) from = first;
    until = at + ABOUT_MS;
    keys.push(sale.key);
    if (keys.length === most) end();
  }
  if (keys.length > 0) end();
  return found;
}
