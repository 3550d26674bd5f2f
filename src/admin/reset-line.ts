import { createHash } from 'node:crypto';

/**
 * Characters that are not safe in the command. Within single quotes, fish reads `\'` as a quote, csh expands `!`, and PowerShell ends
 * the word at a typographic quote. `$` and backticks run commands if somebody puts the line in double quotes. A terminal may interpret
 * control and format characters.
 */
const UNFIT_FOR_A_SHELL = /[\\'!`$\u2018-\u201b\p{C}\p{Zl}\p{Zp}]/u;

/**
 * The command that resets exactly the parked jobs of one cause (R22), for any shell. The text of a cause comes from a POS and is not
 * trusted. The text is quoted only when every shell reads it literally; otherwise the command has the MD5 of the text (R31).
 * @param psql the psql command for this database
 */
export function resetLine(psql: string, cause: string): string {
  const variable = UNFIT_FOR_A_SHELL.test(cause)
    ? `md5=${createHash('md5').update(cause).digest('hex')}`
    : `cause='${cause}'`;
  return `${psql} -v ${variable} -f prisma/sql/reset-parked-with-cause.sql`;
}
