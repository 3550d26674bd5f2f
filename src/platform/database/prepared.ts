import { createHash } from 'node:crypto';
import pg from 'pg';

/** A frequent statement: each connection parses and plans it once. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/**
 * @param label its name in `pg_prepared_statements`
 * @param text SQL with `$1`, `$2`, …
 */
export function preparedStatement(label: string, text: string): PreparedStatement {
  // the name has a hash of the text: a pooler may share a session with another version of the relay, where the text may differ
  return { name: `relay_${label}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`, text };
}

const DUPLICATE_STATEMENT = '42P05';
const UNKNOWN_STATEMENT = '26000';
const CHANGED_RESULT = /cached plan must not change result type/;

/**
 * Whether the statement was not executed because this session has no valid prepared version of it: a pooler in transaction mode does not
 * support prepared statements, or the schema changed after the statement was prepared.
 */
export function isNotPrepared(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  return error.code === DUPLICATE_STATEMENT || error.code === UNKNOWN_STATEMENT || CHANGED_RESULT.test(error.message);
}
