/** What a piece of text means; a terminal with colours shows it. */
export type Tone = 'plain' | 'strong' | 'dim' | 'good' | 'busy' | 'wait' | 'bad';

export type Paint = (tone: Tone, text: string) => string;

/** A piece of a line. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

type Environment = Readonly<Record<string, string | undefined>>;

const STYLES: Record<Tone, string> = {
  plain: '',
  strong: '\u001b[1m',
  dim: '\u001b[2m',
  good: '\u001b[1;32m',
  busy: '\u001b[1;36m',
  wait: '\u001b[1;33m',
  bad: '\u001b[1;31m',
};
const RESET = '\u001b[0m';

/** Redrawing in place is for a person in front of a terminal that can; a log gets lines. */
export function wantsLiveTable(env: Environment, isTerminal: boolean): boolean {
  return isTerminal && !env.NO_COLOR && !env.CI && env.TERM !== 'dumb';
}

/** Adds the styles, or nothing. */
export function painter(colour: boolean): Paint {
  return (tone, text) => (colour && STYLES[tone] ? `${STYLES[tone]}${text}${RESET}` : text);
}

/** Columns a line takes; nothing wider than one column is ever written. */
export function widthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + [...text].length, 0);
}

/** Cuts a line to `columns`, with an ellipsis where something is missing. */
export function cut(spans: readonly Span[], columns: number): Span[] {
  if (widthOf(spans) <= columns) return [...spans];
  const kept: Span[] = [];
  let room = columns - 1;
  for (const { text, tone } of spans) {
    const characters = [...text];
    kept.push({ text: characters.slice(0, room).join(''), tone });
    room -= characters.length;
    if (room <= 0) break;
  }
  return columns > 0 ? [...kept, { text: '…', tone: 'dim' }] : [];
}

/** Lines of whole words where possible, at most `columns` wide. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > columns) {
    const blank = rest.lastIndexOf(' ', columns);
    lines.push(rest.slice(0, blank > 0 ? blank : columns));
    rest = rest.slice(blank > 0 ? blank + 1 : columns);
  }
  return [...lines, rest];
}

/** Text from outside: a terminal must not obey the control characters in it. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?');
}
