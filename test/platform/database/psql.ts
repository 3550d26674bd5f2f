import { execFile, execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestDatabase } from '../../support/database.js';

const FOLDER = fileURLToPath(new URL('../../../prisma/sql/', import.meta.url));

/** Every statement that operators are given. */
export const STATEMENTS = readdirSync(FOLDER).sort();

const hasPsql = (() => {
  try {
    execFileSync('psql', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Where there is no psql, the reason stands in the test's name. */
export const testWithPsql = hasPsql ? test : test.skip;
export const NEEDS_PSQL = hasPsql ? '' : ' [skipped: needs psql]';

/** Runs a statement as an operator does. @throws with what psql said, and its exit code, when it failed */
export async function psql(
  database: TestDatabase,
  file: string,
  variables: Record<string, string> = {},
): Promise<string> {
  const settings = Object.entries(variables).flatMap(([name, value]) => ['-v', `${name}=${value}`]);
  // not execFileSync: this process serves the embedded database
  const run = promisify(execFile)('psql', ['-X', '-f', `${FOLDER}${file}`, ...settings, database.url]);
  return (await run).stdout;
}
