import { type Cents, centsText } from '../../domain/money.js';

export type CsvSeparator = ',' | ';';

/** null: an empty cell; `amount`: a decimal number as it is written, which may begin with a minus and is no formula */
export type CsvCell = string | number | bigint | null | { readonly amount: string };

/**
 * The start of a formula: at the start of a cell, or after a character that some spreadsheets take for a separator. Some spreadsheets
 * ignore invisible characters before a formula, such as a zero-width space.
 */
const FORMULA = /(^|[,;\t\r\n])([\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*)(?=[=+\-@＝＋－＠])/gu;

/** Characters that require quotes; both separators are included. */
const QUOTED = /[",;\t\r\n]/;

/**
 * A line of a CSV file (RFC 4180), with its line break. An apostrophe before the start of a formula makes a spreadsheet show it as text.
 */
export function csvLine(cells: readonly CsvCell[], separator: CsvSeparator): string {
  return `${cells.map(cellOf).join(separator)}\r\n`;
}

/** Cents as a cell in decimal units; with semicolons as separators the decimal sign is a comma. */
export function decimalCell(cents: Cents, separator: CsvSeparator): { readonly amount: string } {
  const text = cents < 0n ? `-${centsText(-cents)}` : centsText(cents);
  return { amount: separator === ';' ? text.replace('.', ',') : text };
}

function cellOf(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value === 'object') return quoted(value.amount);
  return typeof value === 'string' ? quoted(value.replaceAll(FORMULA, "$1$2'")) : String(value);
}

function quoted(text: string): string {
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
