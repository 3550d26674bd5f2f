/** `bad`: orders would be lost or delayed. `warning`: somebody should look at it. */
export type Verdict = 'good' | 'warning' | 'bad';

/** What one check found. */
export interface Check {
  readonly name: string;
  readonly verdict: Verdict;
  readonly text: string;
  /** restaurants, problems, causes: one line each */
  readonly details?: readonly string[];
  /** what to do about it */
  readonly hint?: string;
}

export const good = (name: string, text: string): Check => ({ name, verdict: 'good', text });

export const warning = (name: string, text: string, more: Pick<Check, 'details' | 'hint'> = {}): Check => ({
  name,
  verdict: 'warning',
  text,
  ...more,
});

export const bad = (name: string, text: string, more: Pick<Check, 'details' | 'hint'> = {}): Check => ({
  name,
  verdict: 'bad',
  text,
  ...more,
});

/** `1 job`, `2 jobs` */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** A duration as people say it: `45 s`, `12 min`, `3 h`, `2 days`. */
export function duration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** Why something failed, in the words of its error; a connection tried at several addresses has only a code. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
