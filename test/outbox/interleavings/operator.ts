import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../../prisma/sql/', import.meta.url));

/** The statement of an operator's file, with its one variable as `$1`: without psql, which no simulation waits for. */
function statementOf(file: string): string {
  const [statement] = /^(WITH|SELECT)\b[^;]+\breset_jobs\([^;]+;/m.exec(readFileSync(FOLDER + file, 'utf8')) ?? [];
  if (!statement) throw new Error(`no statement in ${file}`);
  return statement.replaceAll(/:'\w+'/g, '$1');
}

export const RESET_JOB = statementOf('reset-job.sql');

/** Every way to reset parked jobs, with the value that its variable gets. */
export const RESETS_OF_PARKED = [
  {
    title: 'resets what is parked of restaurant 1',
    text: statementOf('reset-parked-of-restaurant.sql'),
    of: 'restaurant',
  },
  { title: 'resets all that was parked since yesterday', text: statementOf('reset-parked-since.sql'), of: 'time' },
  { title: 'resets what was parked with HTTP 422', text: statementOf('reset-parked-with-error.sql'), of: 'error' },
] as const;

/** What the database says when it refuses a reset (R12). */
export const RESET_REFUSED = /is (PROCESSING|SENT|withdrawn): it cannot be moved/;
