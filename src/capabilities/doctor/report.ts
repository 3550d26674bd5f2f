import { errorLine } from '../../platform/redaction/error-line.js';
import { type Check, count, type Level } from './check.js';
import { struckSecrets } from './configuration.js';

const MARKS: Readonly<Record<Level, string>> = { ok: '✓', warning: '!', bad: '✗' };
const STYLES: Readonly<Record<Level, string>> = { ok: '\u001b[32m', warning: '\u001b[33m', bad: '\u001b[31m' };
const DIM = '\u001b[2m';
const RESET = '\u001b[0m';
const NAME_WIDTH = 22;
const DETAILS_SHOWN = 10;

/** Prints each check as it is added, or all of them as JSON at the end; secrets passed to `hide` are redacted. */
export class Report {
  private readonly checks: Check[] = [];
  private readonly secrets = new Set<string>();

  constructor(
    private readonly options: { readonly json: boolean; readonly colour: boolean },
    private readonly print: (text: string) => void,
  ) {}

  /** Redacts these secrets in every check that is added from now on. Very short secrets are not redacted (S21). */
  hide(secrets: Iterable<string | undefined>): void {
    for (const secret of struckSecrets(secrets)) this.secrets.add(secret);
  }

  /** Redacts a check and keeps it; prints it unless the output is JSON. */
  add(check: Check): void {
    const clean = this.clean(check);
    this.checks.push(clean);
    if (!this.options.json) this.print(this.lines(clean));
  }

  /** Prints the JSON or the summary. @returns the exit code: 1 when a check is `bad`, else 0 */
  end(): number {
    if (this.options.json) this.print(JSON.stringify(this.checks.map(withVerdict), null, 2));
    else this.print(`\n${this.summary()}`);
    return this.countOf('bad') > 0 ? 1 : 0;
  }

  private summary(): string {
    return [`${this.countOf('ok')} ok`, count(this.countOf('warning'), 'warning'), `${this.countOf('bad')} bad`].join(
      ', ',
    );
  }

  private countOf(level: Level): number {
    return this.checks.filter((check) => check.level === level).length;
  }

  /** Turns every text into one line without control characters and secrets, because names and error texts are untrusted. */
  private clean({ details, hint, ...check }: Check): Check {
    const secrets = [...this.secrets];
    const line = (text: string) => errorLine(text, secrets).replaceAll(/\p{Cf}/gu, '?');
    return {
      ...check,
      text: line(check.text),
      ...(details?.length ? { details: details.map(line) } : {}),
      ...(hint ? { hint: line(hint) } : {}),
    };
  }

  private lines({ name, level, text, details = [], hint }: Check): string {
    const indent = ' '.repeat(NAME_WIDTH + 2);
    const shown = details.slice(0, DETAILS_SHOWN);
    const more = details.length > shown.length ? [`and ${details.length - shown.length} more`] : [];
    return [
      this.paint(STYLES[level], `${MARKS[level]} `) + `${name} `.padEnd(NAME_WIDTH) + text,
      ...[...shown, ...more].map((detail) => `${indent}- ${detail}`),
      ...(hint ? [indent + this.paint(DIM, `→ ${hint}`)] : []),
    ].join('\n');
  }

  private paint(style: string, text: string): string {
    return this.options.colour ? style + text + RESET : text;
  }
}

/** Adds `verdict` for programs that read `--json`: it equals `level`, except that `ok` is `good`. */
function withVerdict({ name, level, ...check }: Check) {
  return { name, level, verdict: level === 'ok' ? 'good' : level, ...check };
}
