import type { Environment } from './environment.js';

/** Prefixes that only the relay uses: an unknown variable with such a prefix is reported. */
const OWN_PREFIX = /^(POS|OUTBOX|REAPER)_/;
/** The variables that Kubernetes sets for a service called `pos` or `outbox`. */
const OF_A_SERVICE = /_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\d+_(TCP|UDP)(_.*)?)?)$/;
/** The greatest distance of a suggestion for an unknown name with a prefix of the relay. */
const FAR = 4;

/**
 * Finds variables that were probably mistyped (S18): files of variables that are no secrets (S41), unknown names that differ from a known
 * name by one or two letters, and all unknown names with a prefix of the relay. Values are not read.
 * @param known the names that the relay reads
 * @returns one line for each such variable, sorted; the line has a suggestion where there is one
 */
export function unknownVariables(env: Environment, known: ReadonlySet<string>): string[] {
  return Object.keys(env)
    .filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name) && !known.has(name) && !OF_A_SERVICE.test(name))
    .flatMap((name) => {
      const base = name.replace(/_FILE$/, '');
      // of a short name, such as HOST, another program may have a file
      if (base !== name && base.includes('_') && known.has(base))
        return [`${name}: only a secret may stand in a file, set ${base}`];
      const [nearest] = [...known]
        .map((each) => ({ name: each, distance: distance(letters(name), letters(each)) }))
        .sort((a, b) => a.distance - b.distance);
      if (!nearest) return [];
      if (nearest.distance <= tolerance(letters(nearest.name).length)) return [suggest(name, nearest.name)];
      if (!OWN_PREFIX.test(name)) return [];
      return [nearest.distance <= FAR ? suggest(name, nearest.name) : `${name}: the relay knows no such variable`];
    })
    .sort();
}

const suggest = (name: string, known: string) => `${name}: did you mean ${known}?`;
const letters = (name: string) => name.replaceAll('_', '');

/** Short names have no tolerance: PORT is near PATH. */
function tolerance(length: number): number {
  if (length < 7) return 0;
  return length < 11 ? 1 : 2;
}

/** The Levenshtein distance. */
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
