/** lock_timeout of the check, in ms: shorter than the second that a health check may take. */
const LOCK_LIMIT_MS = 400;

/**
 * Checks whether a sale could be stored: several statements in one message, which are one transaction and write nothing. The check takes
 * the table locks of an INSERT, which conflict only with LOCK TABLE and migrations. A missing table or privilege, and a lock that is not
 * granted in time, are errors.
 */
export const STORABLE = `SET LOCAL lock_timeout = ${LOCK_LIMIT_MS};
  LOCK TABLE terminal_events, outbox_jobs IN ROW EXCLUSIVE MODE;
  LOCK TABLE restaurants, users, user_restaurants, spent_keys IN ACCESS SHARE MODE;
  SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'
     AND has_table_privilege('terminal_events', 'INSERT') AND has_table_privilege('outbox_jobs', 'INSERT') AS storable`;
