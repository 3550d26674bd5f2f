import { createHash } from 'node:crypto';

/** What a terminal could take for a command, or show as something else: control and format characters, and what is no character. */
const UNFIT_FOR_A_TERMINAL = /[\p{C}\p{Zl}\p{Zp}]/u;

/**
 * The line that resets exactly the parked jobs of one cause (R22), to be copied into a shell. The cause comes from a POS, so from
 * anybody: the shell takes it in single quotes, psql passes it as a literal, and one that is not fit for a terminal is named by its
 * hash.
 * @param psql how psql reaches this database
 */
export function resetLine(psql: string, cause: string): string {
  const variable = UNFIT_FOR_A_TERMINAL.test(cause)
    ? `md5=${createHash('md5').update(cause).digest('hex')}`
    : `cause=${inSingleQuotes(cause)}`;
  return `${psql} -v ${variable} -f prisma/sql/reset-parked-with-cause.sql`;
}

/** A text as one word of a POSIX shell, whatever is in it. */
function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
