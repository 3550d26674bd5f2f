/** What stands between the cells of a line. */
export type CsvSeparator = ',' | ';';

/**
 * A spreadsheet takes what begins like this for a formula, at the start of a cell and, if it separates cells otherwise, within one. What
 * shows nothing, such as a zero-width space or a control character, may be left out when a cell is read, and so begins none.
 */
const FORMULA = /(^|[,;\t\r\n])([\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*)(?=[=+\-@＝＋－＠])/gu;

/** What a cell must be quoted for: by this separator, or by the other one in a spreadsheet that expects it. */
const QUOTED = /[",;\t\r\n]/;

/**
 * A line of a CSV file (RFC 4180), with its end. Text is shown by a spreadsheet as it is, never run as a formula: an apostrophe stands
 * before what would begin one.
 * @param cells numbers are written as they are, null as an empty cell
 */
export function csvLine(cells: readonly (string | number | bigint | null)[], separator: CsvSeparator): string {
  return `${cells.map(cellOf).join(separator)}\r\n`;
}

function cellOf(value: string | number | bigint | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = value.replaceAll(FORMULA, "$1$2'");
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
