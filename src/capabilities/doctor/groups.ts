import { type Check, count } from './check.js';
import { CHECK_NAMES, CHECKS, checkOf, type Finding, messageOf } from './findings.js';

/** The findings of one restaurant. */
export interface Examined {
  /** name and slug, for people */
  readonly label: string;
  readonly findings: readonly Finding[];
}

/** The findings whose messages count the jobs of one restaurant. */
const COUNTING: ReadonlySet<string> = new Set(['late', 'stuck', 'parked']);

type Found = readonly [label: string, found: Finding];

/**
 * Turns the findings of many restaurants into checks of the deployment. A check that is `ok` for all restaurants becomes one result.
 * Otherwise each code that is not `ok` becomes one result, with the restaurants in its details.
 */
export function groupsOf(examined: readonly Examined[]): Check[] {
  return CHECK_NAMES.flatMap((name) => {
    const all = examined.flatMap(({ label, findings }) =>
      findings.filter((found) => found.name === name).map((found): Found => [label, found]),
    );
    const wrong = all.filter(([, { level }]) => level !== 'ok');
    const codes = new Set(wrong.map(([, { code }]) => code));
    if (codes.size > 0) return [...codes].map((code) => groupOf(wrong.filter(([, found]) => found.code === code)));
    return all.length > 0 ? [groupOf(all)] : [];
  });
}

/**
 * One check for findings of one name. If all findings have the same message, the text of the check has it; otherwise the details have
 * the messages.
 */
function groupOf(group: readonly Found[]): Check {
  const [[, first]] = group as [Found];
  const messages = group.map(([, found]) => messageOf(found));
  const isCommon = messages.every((message) => message === messages[0]);
  const restaurants = count(group.length, 'restaurant');
  const of =
    first.level !== 'ok' && group.length > 1 && COUNTING.has(first.name) ? `${restaurants}, each` : restaurants;
  const check = checkOf(CHECKS[first.name], first, isCommon ? `${of}: ${messages[0]}` : restaurants);
  if (first.level === 'ok') return check;
  return { ...check, details: group.map(([label], i) => (isCommon ? label : `${label}: ${messages[i]}`)) };
}
