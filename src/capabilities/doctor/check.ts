/**
 * How serious a result is, in the command and in the API (R8, R13). `bad`: orders are refused, lost or delayed (exit code 1).
 * `warning`: somebody should look at it.
 */
export const LEVELS = ['ok', 'warning', 'bad'] as const;
export type Level = (typeof LEVELS)[number];

/** The result of one check of the deployment; `--json` prints these fields (R13). */
export interface Check {
  /** what was checked, for example `POS sign-in` */
  readonly name: string;
  readonly level: Level;
  readonly text: string;
  /** the restaurants, problems or causes found, one line each */
  readonly details?: readonly string[];
  /** what to do about it */
  readonly hint?: string | undefined;
}

/** A check without its name, which the caller knows. */
export type Result = Omit<Check, 'name'>;
type Build = (text: string, more?: Pick<Check, 'details' | 'hint'>) => Result;

export const ok: Build = (text) => ({ level: 'ok', text });
export const warning: Build = (text, more = {}) => ({ level: 'warning', text, ...more });
export const bad: Build = (text, more = {}) => ({ level: 'bad', text, ...more });

/** A number with its noun: `1 job`, `2 jobs`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** A duration in ms as text in its largest fitting unit: `45 s`, `12 min`, `3 h`, `2 days`. */
export function duration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** The message of an error, or its code when the message is empty, as after a connection that failed at several addresses. */
export function errorText(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}
