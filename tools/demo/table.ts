import { cut, type Span, type Tone, widthOf } from './paint.js';
import { countdown, type Step } from './steps.js';

/** One sale on the screen. */
export interface Row {
  /** tells rows apart from one look to the next */
  readonly key: string;
  readonly at: number;
  readonly id: string;
  readonly what: string;
  readonly amount: string;
  readonly by: string;
  readonly steps: readonly Step[];
}

export interface View {
  readonly title: string;
  readonly pos: Span;
  readonly elapsedMs: number;
  readonly rows: readonly Row[];
  readonly footer: readonly Span[];
  /** for a log: what happened beside the states */
  readonly notes: readonly Note[];
  /** no change after this moment is in `rows` yet */
  readonly asOf: number;
}

export interface Note {
  readonly at: number;
  readonly text: string;
}

const MARKS: Readonly<Record<string, string>> = { SENT: ' ✓', DLQ: ' ✗' };
/** Below this the time is left out, so that the journey keeps its room. */
const ROOM_FOR_TIME = 100;

/** The whole table; rows above `maxRows` are left out at the top. */
export function renderTable(view: View, columns: number, maxRows = Number.POSITIVE_INFINITY): Span[][] {
  const withTime = columns >= ROOM_FOR_TIME;
  const hidden = Math.max(0, view.rows.length - maxRows);
  const shown = view.rows.slice(hidden === 0 ? 0 : hidden + 1);
  const lines = [
    titleLine(view, columns),
    [],
    [dim(` ${leading('time', 'sale', 'what it is', 'amount', 'by', withTime)}journey`)],
    ...(hidden === 0 ? [] : [[dim(` … ${hidden + 1} earlier`)]]),
    ...(shown.length === 0 ? [[dim(' nothing yet')]] : []),
    ...shown.map((row) => rowLine(row, columns, withTime)),
    [],
    [plain(' '), ...view.footer],
  ];
  return lines.map((line) => cut(line, columns));
}

/** One change of state as one line, for a log. */
export function renderChange(row: Row, step: Step): Span[] {
  const due = step.dueInMs === undefined ? '' : `, ${countdown(step.dueInMs)}`;
  return [
    plain(leading(clock(step.at), row.id, row.what, row.amount, row.by, true)),
    { text: `${step.state}${MARKS[step.state] ?? ''}`.padEnd(11), tone: step.tone },
    dim(`${step.detail}${due}`),
  ];
}

/** What happened beside the states, as a line between theirs. */
export function renderNote({ at, text }: Note): Span[] {
  return [dim(`${clock(at)}  ${text}`)];
}

/** The chain of states; the oldest are left out where there is no room for them. */
export function renderChain(steps: readonly Step[], columns: number): Span[] {
  for (let from = 0; from < steps.length; from++) {
    const spans = chain(steps, from);
    if (widthOf(spans) <= columns || from === steps.length - 1) return cut(spans, columns);
  }
  return [];
}

/** `20:15:03` */
export function clock(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

function chain(steps: readonly Step[], from: number): Span[] {
  const arrow = dim(' → ');
  const shown = steps.slice(from).map((step, index) => stepSpan(step, from + index === steps.length - 1));
  const parts = from > 0 ? [dim('…'), ...shown] : shown;
  return parts.flatMap((part, index) => (index === 0 ? [part] : [arrow, part]));
}

function stepSpan(step: Step, isCurrent: boolean): Span {
  const { state, note, tone, dueInMs } = step;
  const name = `${state}${MARKS[state] ?? ''}`;
  if (!isCurrent) return { text: `${name}${shortNote(step)}`, tone: pastTone(tone) };
  if (dueInMs === undefined) return { text: `${name}${note && ` ${note}`}`, tone };
  return { text: `${name} (${[note, countdown(dueInMs)].filter(Boolean).join(', ')})`, tone };
}

/** An error text in full belongs to the state a job is in; behind it is enough that it was there. */
function shortNote({ state, note }: Step): string {
  return note && state !== 'DLQ' ? ` ${note}` : '';
}

function pastTone(tone: Tone): Tone {
  return tone === 'good' || tone === 'bad' ? tone : 'dim';
}

function rowLine({ at, id, what, amount, by, steps }: Row, columns: number, withTime: boolean): Span[] {
  const cells = [
    dim(withTime ? ` ${clock(at)}  ` : ' '),
    { text: `${cell(id, 6)} `, tone: 'strong' as const },
    plain(`${cell(what, 20)} ${amount.padStart(7)}  `),
    dim(cell(by, 7)),
  ];
  return [...cells, ...renderChain(steps, columns - widthOf(cells))];
}

function titleLine({ title, pos, elapsedMs }: View, columns: number): Span[] {
  const left = [{ text: ` ${title}`, tone: 'strong' as const }];
  const seconds = Math.floor(elapsedMs / 1_000);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  const right = [pos, dim(`  ${time} `)];
  const gap = Math.max(2, columns - widthOf(left) - widthOf(right));
  return [...left, plain(' '.repeat(gap)), ...right];
}

function leading(time: string, id: string, what: string, amount: string, by: string, withTime: boolean): string {
  return `${withTime ? `${cell(time, 8)}  ` : ''}${cell(id, 6)} ${cell(what, 20)} ${amount.padStart(7)}  ${cell(by, 7)}`;
}

/** Exactly so many columns. */
function cell(text: string, columns: number): string {
  const characters = [...text];
  return characters.length > columns ? `${characters.slice(0, columns - 1).join('')}…` : text.padEnd(columns);
}

function plain(text: string): Span {
  return { text, tone: 'plain' };
}

function dim(text: string): Span {
  return { text, tone: 'dim' };
}
