import type { Matching } from '../rules/file-matching.js';
import type { MatchRow, MatchSale } from '../rules/match-rows.js';
import type { Texts } from '../rules/near-sales.js';
import { searches } from '../rules/payload-searches.js';
import type { Ask } from './file-questions.js';

/** Sales of one question. */
const ASKED = 1_000;

/**
 * Pass 2 (J9): finds the rows by the evidence of payments (J22), then the others by what stands in payloads. A search of payloads takes most of the
 * time of a comparison; sales that the evidence has settled are left out of it.
 */
export async function matchAuthorisations(matching: Matching, sales: readonly MatchSale[], ask: Ask): Promise<void> {
  const unanswered = matching.unanswered();
  if (unanswered.length === 0) return;
  const evidence = await evidenceOf(unanswered, sales, ask);
  matching.matchEvidence(evidence);
  const rest = evidence.size === 0 ? unanswered : matching.unanswered();
  if (rest.length === 0) return;
  const settled = matching.settledBy(evidence);
  const open = settled.size === 0 ? sales : sales.filter(({ key }) => !settled.has(key));
  matching.matchAuthorisations(new Map([...settled, ...(await textsOf(rest, open, ask))]));
}

/** The evidence of the payments of sales of about the time of rows, by key; none if the first of them have none: their terminals send none. */
async function evidenceOf(rows: readonly MatchRow[], sales: readonly MatchSale[], ask: Ask): Promise<Texts> {
  const found = new Map<string, ReadonlySet<string>>();
  // a sale that other rows have already is no answer to a row by evidence alone
  const free = sales.filter(({ taken }) => taken === null);
  for (const { keys } of searches(rows, free, ASKED)) {
    for (const [key, texts] of await ask('evidence', keys)) found.set(key, new Set(texts));
    if (found.size === 0) break;
  }
  return found;
}

/**
 * Which authorisations and terminals of rows stand in the payloads of sales, by key. Only sales of about the time of a row are looked at, each
 * for the texts of the rows of about its time: a search for the texts of all rows in all payloads would take most of the time.
 */
async function textsOf(rows: readonly MatchRow[], sales: readonly MatchSale[], ask: Ask): Promise<Texts> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const { keys, texts } of searches(rows, sales, ASKED))
    for (const [key, some] of await ask('texts', keys, texts)) found.set(key, new Set(some));
  return found;
}
