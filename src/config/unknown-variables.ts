import type { Environment } from './environment.js';

/** Prefixes of this program alone: any other variable that begins so is a mistake. */
const OWN_PREFIX = /^(POS|OUTBOX|REAPER)_/;
/** What Kubernetes sets for a service called `pos` or `outbox`. */
const OF_A_SERVICE = /_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP)(_.*)?)?)$/;
/** Under an own prefix a name this far away is still suggested. */
const FAR = 4;

/** A variable that is set, that the relay does not know, and that looks as if it were meant for it. */
export interface UnknownVariable {
  readonly name: string;
  /** the known variable that it may have been meant as */
  readonly suggestion: string | undefined;
}

/**
 * Finds variables that were probably mistyped (S18): those that are a letter or two from a known name, and all with a prefix of
 * the relay's own. Looks at names alone, never at values.
 * @param known the names that the relay reads
 */
export function unknownVariables(env: Environment, known: ReadonlySet<string>): UnknownVariable[] {
  return Object.keys(env)
    .filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name) && !known.has(name) && !OF_A_SERVICE.test(name))
    .flatMap((name) => {
      const [nearest] = [...known]
        .map((each) => ({ name: each, distance: distance(letters(name), letters(each)) }))
        .sort((a, b) => a.distance - b.distance);
      if (!nearest) return [];
      if (nearest.distance <= tolerance(letters(nearest.name).length)) return [{ name, suggestion: nearest.name }];
      if (!OWN_PREFIX.test(name)) return [];
      return [{ name, suggestion: nearest.distance <= FAR ? nearest.name : undefined }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** For people. */
export function tellUnknown({ name, suggestion }: UnknownVariable): string {
  return suggestion ? `${name}: did you mean ${suggestion}?` : `${name}: the relay knows no such variable`;
}

const letters = (name: string) => name.replaceAll('_', '');

/** Short names are near to many others: PORT to PATH. */
function tolerance(length: number): number {
  if (length < 7) return 0;
  return length < 11 ? 1 : 2;
}

/** Levenshtein's: how many letters have to be added, removed or replaced. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    row = next;
  }
  return row[b.length] as number;
}
