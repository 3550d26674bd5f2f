import { createHash } from 'node:crypto';

/**
 * What some shell reads within single quotes: fish takes `\'` for a quote, csh expands `!`, PowerShell ends the word at a
 * typographic quote; `$` and backticks run commands where somebody puts double quotes around the line. And what a terminal could
 * take for a command, or show as something else: control and format characters, and what is no character.
 */
const UNFIT_FOR_A_SHELL = /[\\'!`$\u2018-\u201b\p{C}\p{Zl}\p{Zp}]/u;

/**
 * The line that resets exactly the parked jobs of one cause (R22), to be copied into any shell. The cause comes from a POS, so from
 * anybody: it stands in single quotes only when it reads the same there in every shell, and is named by its hash otherwise (R31).
 * @param psql how psql reaches this database
 */
export function resetLine(psql: string, cause: string): string {
  const variable = UNFIT_FOR_A_SHELL.test(cause)
    ? `md5=${createHash('md5').update(cause).digest('hex')}`
    : `cause='${cause}'`;
  return `${psql} -v ${variable} -f prisma/sql/reset-parked-with-cause.sql`;
}
