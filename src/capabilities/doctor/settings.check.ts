import { SETTINGS_READ, settingsFound, unfitEncoding } from '../../platform/database/session-settings.js';
import { bad, ok, type Result, warning } from './check.js';
import type { Connection } from './connection.js';

/** Checks the encoding of the database and the settings of a session as the relay has it (S16, S25, S26). */
export async function settingsCheck(database: Connection): Promise<Result> {
  const query = async (sql: string) => ({ rows: await database.query(sql) });
  const unfit = await unfitEncoding({ query } as never);
  if (unfit) return bad(unfit, { hint: 'the relay does not start with this database' });
  const { refused, unsafe, foreign } = settingsFound(await database.query(SETTINGS_READ));
  const wrong = [...refused, ...unsafe];
  if (wrong.length > 0)
    return bad('accepted sales may be lost, or sent twice', {
      details: wrong,
      hint: 'reset these where they are set: postgresql.conf, ALTER DATABASE, ALTER ROLE, DATABASE_URL',
    });
  if (foreign.length > 0)
    return warning('a pooler does not pass the settings of a session on', {
      details: foreign,
      hint: 'ALTER ROLE … RESET these, see docs/operations.md',
    });
  return ok('UTF8, and what was accepted survives a crash');
}
