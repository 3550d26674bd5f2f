import { createHash } from 'node:crypto';

/**
 * Characters that some shell interprets within single quotes: fish reads `\'` as a quote, csh expands `!`, PowerShell ends the word at
 * a typographic quote; `$` and backticks run commands if the line is put in double quotes. And control and format characters, which a
 * terminal may interpret.
 */
const UNFIT_FOR_A_SHELL = /[\\'!`$\u2018-\u201b\p{C}\p{Zl}\p{Zp}]/u;

/**
 * The command that resets exactly the parked jobs of one cause (R22), for any shell. The cause is a text of a POS and not trusted: it is
 * quoted only when every shell reads it literally, otherwise its MD5 stands for it (R31).
 * @param psql the psql command for this database
 */
export function resetLine(psql: string, cause: string): string {
  const variable = UNFIT_FOR_A_SHELL.test(cause)
    ? `md5=${createHash('md5').update(cause).digest('hex')}`
    : `cause='${cause}'`;
  return `${psql} -v ${variable} -f prisma/sql/reset-parked-with-cause.sql`;
}
