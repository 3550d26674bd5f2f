import { MAX_OPTIONS, readOptions } from '../../../domain/options.js';
import { identifier, normalized } from '../../../domain/text.js';
import { ERASED, entriesOf, isErased, type JsonObject, readTransaction } from '../../../domain/transaction.js';

/** The characters of a line that a printer may have (K3). */
export const TICKET_WIDTHS = [32, 48] as const;
export type TicketWidth = (typeof TICKET_WIDTHS)[number];

/** The most lines of a ticket (L31). */
export const MAX_TICKET_LINES = 100;

/** What is read for a ticket at most: items, characters of one text, and of all texts (L31). A printer's question costs no more. */
const MAX_ITEMS = 1_000;
const MAX_TEXT = 2_000;
const MAX_TEXTS = 65_536;

/** The fields of an item, and of a sale, in which a terminal may send words for the kitchen. */
const NOTES = ['note', 'notes', 'comment', 'comments', 'observation', 'observations'] as const;

/** One dish of a ticket. */
export interface TicketItem {
  readonly quantity: string;
  readonly name: string;
  /** for one unit of the dish, with their number where it is not 1 */
  readonly options: readonly string[];
  readonly notes: readonly string[];
}

/** What the kitchen needs of a sale; no prices (K6). The texts are lines without control characters. */
export interface Ticket {
  /** the transactionNumber; without one, the transactionKey */
  readonly number: string;
  /** the transactionDate; without one, the receipt */
  readonly soldAt: Date;
  readonly items: readonly TicketItem[];
  readonly notes: readonly string[];
  /** whether the terminal reported a payment, or there was nothing to pay */
  readonly isPaid: boolean;
}

/** How a ticket is printed. */
export interface TicketForm {
  readonly width: TicketWidth;
  /** IANA name */
  readonly timezone: string;
  /** whether an earlier offer of the ticket may have been printed (K4) */
  readonly isRepeat: boolean;
}

/**
 * Reads a stored payload for the kitchen. Pure; every payload has a ticket, also a sale that cannot be mapped. Of a long payload the ticket has
 * what it can show: the first items, and the beginning of long texts.
 */
export function readTicket(payload: JsonObject, receivedAt: Date): Ticket {
  const plain = plainTexts();
  const { transactionKey, transactionNumber, transactionDate } = readTransaction(payload);
  const payments = entriesOf(payload.payments);
  const wasErased = isErased(payload);
  return {
    number: plain(transactionNumber ?? '') || (wasErased ? '' : plain(transactionKey)) || '?',
    soldAt: transactionDate ?? receivedAt,
    items: entriesOf(payload.items)
      .slice(0, MAX_ITEMS)
      .map((item) => ({
        quantity: quantityOf(item.quantity),
        name: plain(identifier(item.itemName) ?? identifier(item.itemCode) ?? '') || '?',
        options: readOptions(item.options, '', MAX_OPTIONS, []).map(({ option }) => {
          const name = plain(option.name || option.code) || '?';
          return option.quantity === 1 ? name : `${quantityOf(option.quantity)} x ${name}`;
        }),
        notes: notesOf(item, plain),
      })),
    notes: wasErased ? [ERASED] : notesOf(payload, plain),
    isPaid: payments.some(({ amount }) => typeof amount === 'number' && amount > 0) || payload.totalAmount === 0,
  };
}

/**
 * A ticket as text for a printer (K6): at most {@link MAX_TICKET_LINES} lines, no line wider than the form, and no control character but
 * the line feed between lines. What does not fit is cut at the end, and the last line says so.
 */
export function ticketText(ticket: Ticket, { width, timezone, isRepeat }: TicketForm): string {
  const rule = '='.repeat(width);
  const head = [
    ...(isRepeat ? [centred('** POSSIBLE REPEAT **', width)] : []),
    rule,
    ...large(ticket.number, width),
    rule,
    ticketTime(ticket.soldAt, timezone),
    ...(ticket.isPaid ? ['PAID'] : ['PAYMENT NOT REPORTED']),
    'NOT IN THE POS',
    '-'.repeat(width),
  ];
  const foot = [rule, ...(isRepeat ? [centred('** POSSIBLE REPEAT **', width)] : [])];
  const room = MAX_TICKET_LINES - head.length - foot.length;
  const body: string[] = [];
  const add = (text: string, indent: string) => {
    // one line more than there is room for says that something is cut
    if (body.length <= room) body.push(...folded(text, width, indent));
  };
  for (const { quantity, name, options, notes } of ticket.items) {
    add(`${quantity} x ${name}`, '    ');
    for (const option of options) add(`  + ${option}`, '    ');
    for (const note of notes) add(`  > ${note}`, '    ');
  }
  for (const note of ticket.notes) add(`> ${note}`, '  ');
  const shown = body.length > room ? [...body.slice(0, room - 1), '... the rest is in the console'] : body;
  return [...head, ...shown, ...foot].join('\n');
}

/** A time by the restaurant's clock, `2026-11-20 20:14`. */
export function ticketTime(at: Date, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    ...({ timeZone: timezone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' } as const),
    ...({ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const),
  }).formatToParts(at);
  const of = (wanted: Intl.DateTimeFormatPartTypes) => parts.find(({ type }) => type === wanted)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}`;
}

/** A number that is not whole keeps three digits: a weight. */
function quantityOf(value: unknown): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) return '?';
  return String(Number.isInteger(value) ? value : Number(value.toFixed(3)));
}

function notesOf(fields: JsonObject, plain: (text: string) => string): string[] {
  return NOTES.map((name) => fields[name])
    .filter((note) => typeof note === 'string')
    .map((note) => plain(note))
    .filter((note) => note !== '');
}

/** @returns {@link plain} of the beginning of each text, for texts of one ticket */
function plainTexts(): typeof plain {
  let left = MAX_TEXTS;
  return (text) => {
    const part = text.slice(0, Math.min(MAX_TEXT, left));
    left -= part.length;
    return plain(part);
  };
}

/**
 * One line of printable characters: ESC and GS command a printer, and bidirectional controls reorder a line. What is no character
 * becomes a blank.
 */
function plain(text: string): string {
  return normalized(text.toWellFormed(), 'NFC')
    .replaceAll('\ufffd', '?')
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
}

/** Characters that take two columns of a printer. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** The columns that a text takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += WIDE.test(character) ? 2 : 1;
  return columns;
}

/** Lines of at most `width` columns, broken between words where possible. @param indent of the lines after the first */
function folded(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<= )/)) {
    if (columnsOf(line + word.trimEnd()) > width && line.trim() !== '') {
      lines.push(line.trimEnd());
      line = indent;
    }
    for (const character of word) {
      if (columnsOf(line + character) > width) {
        lines.push(line.trimEnd());
        line = character === ' ' ? indent : indent + character;
      } else line += character;
    }
  }
  return [...lines, line.trimEnd()];
}

/** The number with blanks between its characters, if there is room; text has no larger letters. */
function large(number: string, width: number): string[] {
  const spaced = `# ${[...number].join(' ')}`;
  return columnsOf(spaced) <= width ? [centred(spaced, width)] : folded(`# ${number}`, width, '  ');
}

function centred(text: string, width: number): string {
  return ' '.repeat(Math.floor((width - columnsOf(text)) / 2)) + text;
}
