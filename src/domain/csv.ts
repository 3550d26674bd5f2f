export type CsvSeparator = ',' | ';';

/**
 * The start of a formula: at the start of a cell, or after a character that some spreadsheets take for a separator. Some spreadsheets
 * ignore invisible characters before a formula, such as a zero-width space.
 */
const FORMULA = /(^|[,;\t\r\n])([\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*)(?=[=+\-@＝＋－＠])/gu;

/** Characters that require quotes; both separators are included. */
const QUOTED = /[",;\t\r\n]/;

/**
 * A line of a CSV file (RFC 4180), with its line break. An apostrophe before the start of a formula makes a spreadsheet show it as text.
 * @param cells null is an empty cell
 */
export function csvLine(cells: readonly (string | number | bigint | null)[], separator: CsvSeparator): string {
  return `${cells.map(cellOf).join(separator)}\r\n`;
}

function cellOf(value: string | number | bigint | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = value.replaceAll(FORMULA, "$1$2'");
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
