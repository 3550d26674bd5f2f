/** How long the question waits for a lock that an insert needs, in ms: below the second that a health check has. */
const LOCK_LIMIT_MS = 400;

/**
 * Asks whether a sale could be stored, as one message of several statements: they are one transaction, of which nothing stays. It
 * takes the locks that storing a sale takes, which wait for nobody but for who would keep the sale waiting too (LOCK TABLE, a
 * migration). A table or a privilege that is missing, and a lock that is not granted in time, are errors.
 */
export const STORABLE = `SET LOCAL lock_timeout = ${LOCK_LIMIT_MS};
  LOCK TABLE terminal_events, outbox_jobs IN ROW EXCLUSIVE MODE;
  LOCK TABLE restaurants, users, user_restaurants, spent_keys IN ACCESS SHARE MODE;
  SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'
     AND has_table_privilege('terminal_events', 'INSERT') AND has_table_privilege('outbox_jobs', 'INSERT') AS storable`;
