import { stateOf } from './errors.js';

/** lock_timeout of the check, in ms: shorter than the second that a health check may take. */
const LOCK_LIMIT_MS = 400;

/** Why a sale could not be stored now. */
export type NotStorable =
  | 'unreachable'
  | 'too slow'
  | 'read-only'
  | 'disk full'
  | 'locked'
  | 'not permitted'
  | 'not migrated';

const OF_STATE: Readonly<Record<string, NotStorable>> = {
  '55P03': 'locked',
  '42501': 'not permitted',
  '42P01': 'not migrated',
  '57014': 'too slow',
};

/** The reason of an error of {@link STORABLE}. */
export function reasonOfCheck(error: unknown): NotStorable {
  return OF_STATE[stateOf(error) ?? ''] ?? 'unreachable';
}

/**
 * Checks whether a sale could be stored: several statements in one message, which are one transaction and write nothing. The check takes
 * the table locks of an INSERT, which conflict only with LOCK TABLE and migrations. A missing table or privilege, and a lock that is not
 * granted in time, are errors.
 */
export const STORABLE = `SET LOCAL lock_timeout = ${LOCK_LIMIT_MS};
  LOCK TABLE terminal_events, outbox_jobs IN ROW EXCLUSIVE MODE;
  LOCK TABLE restaurants, users, user_restaurants, spent_keys IN ACCESS SHARE MODE;
  SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'
       AS writable,
         has_table_privilege('terminal_events', 'INSERT') AND has_table_privilege('outbox_jobs', 'INSERT') AS permitted`;
