import type { Preset } from '../../../../src/capabilities/terminal-files/rules/terminal-file.js';
import type { Payment } from './evening.js';

/** How an evening is written. */
export interface Writer {
  /** null: read by the names of its columns */
  readonly preset: Preset | null;
  /** the clock of the restaurant, and how far it is from UTC in November */
  readonly zone: string;
  readonly offsetHours: number;
  readonly separator: ',' | ';';
  readonly header: readonly string[];
  /** a row; of an attempt that was declined: null where the layout has none of these */
  readonly row: (payment: Payment, clock: LocalClock) => readonly string[] | null;
  /** rows that are no payments, such as fees */
  readonly others?: readonly (readonly string[])[];
  /** the acquirer has a row of each instalment */
  readonly perInstalment?: true;
}

/** A time on the clock of the restaurant. */
export interface LocalClock {
  /** YYYY-MM-DD */
  readonly day: string;
  /** DD/MM/YYYY */
  readonly european: string;
  /** HH:MM:SS */
  readonly time: string;
  /** `day time`, in UTC */
  readonly utc: string;
}

/** The text of a file. */
export function written(writer: Writer, payments: readonly Payment[]): string {
  const { header, separator, row, others = [] } = writer;
  const rows = payments.flatMap((payment) => {
    const cells = row(payment, clockOf(payment.at, writer.offsetHours));
    return cells ? [cells] : [];
  });
  const quoted = (cell: string) => (cell.includes(separator) ? `"${cell}"` : cell);
  return [header, ...rows, ...others].map((cells) => `${cells.map(quoted).join(separator)}\r\n`).join('');
}

function clockOf(at: number, offsetHours: number): LocalClock {
  const local = new Date(at + offsetHours * 3_600_000).toISOString();
  const [day, time] = [local.slice(0, 10), local.slice(11, 19)];
  const european = day.split('-').toReversed().join('/');
  return { day, european, time, utc: new Date(at).toISOString().slice(0, 19).replace('T', ' ') };
}

export const point = (cents: number) => (cents / 100).toFixed(2);
export const comma = (cents: number) =>
  point(cents)
    .replace('.', ',')
    .replace(/\B(?=(\d{3})+,)/g, '.');
/** What is left after a fee of two in a hundred. */
export const net = (cents: number) => cents - Math.round(cents / 50);
export const SAO_PAULO = { zone: 'America/Sao_Paulo', offsetHours: -3 } as const;
