import type { WriteStream } from 'node:tty';
import { wantsColour } from '../command-line.js';
import { type Paint, painter, type Span, wantsLiveTable, widthOf } from './paint.js';
import { renderChange, renderNote, renderTable, type View } from './table.js';

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_LINE = '\u001b[K';
/** Lines of the table that are not rows, and one for the cursor. */
const FRAME_LINES = 6;

/**
 * The terminal: a table that is redrawn in place, below the text printed so far; or, where nobody watches, one plain line
 * for every change of state.
 */
export class Screen {
  readonly paint: Paint;
  readonly colour: boolean;
  readonly live: boolean;
  /** how wide each line of the table on the screen is */
  private drawn: number[] = [];
  private text = '';
  private readonly printedSteps = new Map<string, number>();
  private printedNotes = 0;

  constructor(
    private readonly out: WriteStream,
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.colour = wantsColour(env, out.isTTY === true);
    this.live = wantsLiveTable(env, out.isTTY === true);
    this.paint = painter(this.colour);
    if (this.live) {
      this.out.write(HIDE_CURSOR);
      process.once('exit', () => this.out.write(SHOW_CURSOR));
    }
  }

  get columns(): number {
    return this.out.columns || 80;
  }

  private get rows(): number {
    return this.out.rows || 24;
  }

  /** Shows where everything stands now. */
  show(view: View): void {
    if (this.live) this.draw(renderTable(view, this.columns, Math.max(3, this.rows - FRAME_LINES)));
    else this.printChanges(view);
  }

  /** Text that stays; the table moves below it. */
  print(text: string): void {
    const erase = this.eraseTable();
    this.drawn = [];
    this.text = '';
    this.out.write(`${erase}${text}\n`);
  }

  /** Whatever is drawn now stays; the next text goes below it. */
  leave(): void {
    this.drawn = [];
  }

  /** Leaves the table on the screen for good, all rows of it. */
  keep(view: View): void {
    if (this.live) this.print(this.lines(renderTable(view, this.columns)));
    else this.show(view);
  }

  private draw(table: readonly Span[][]): void {
    const text = this.lines(table);
    if (text === this.text) return;
    this.out.write(`${this.eraseTable()}${text}\n`);
    this.text = text;
    this.drawn = table.map(widthOf);
  }

  /**
   * A window that was made narrower has broken the lines of the table in two. Line by line, because some terminals keep a
   * copy of a screen that is cleared from its top.
   */
  private eraseTable(): string {
    if (this.drawn.length === 0) return '';
    const lines = this.drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / this.columns)), 0);
    const height = Math.min(lines, this.rows - 1);
    const up = `\u001b[${height}A\r`;
    return `${up}${`${CLEAR_LINE}\n`.repeat(height)}${up}`;
  }

  private printChanges({ rows, notes, asOf }: View): void {
    const changes = rows.flatMap((row) => {
      const printed = this.printedSteps.get(row.key) ?? 0;
      this.printedSteps.set(row.key, row.steps.length);
      return row.steps.slice(printed).map((step) => ({ at: step.at, line: renderChange(row, step) }));
    });
    const due = notes.slice(this.printedNotes).filter(({ at }) => at <= asOf);
    this.printedNotes += due.length;
    const lines = [...changes, ...due.map((note) => ({ at: note.at, line: renderNote(note) }))];
    for (const { line } of lines.sort((a, b) => a.at - b.at)) this.out.write(`${this.render(line).trimEnd()}\n`);
  }

  private lines(table: readonly (readonly Span[])[]): string {
    return table.map((spans) => this.render(spans)).join('\n');
  }

  private render(spans: readonly Span[]): string {
    return spans.map(({ tone, text }) => this.paint(tone, text)).join('');
  }
}
