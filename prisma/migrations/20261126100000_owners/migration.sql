-- The outbox removes old sales (O22). What other modules have of them is their own matter: the outbox names no table of theirs.

-- A ticket goes with its delivered job; one of a job that somebody removed by hand has expired (K2).
CREATE FUNCTION tickets_go_with_their_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM tickets WHERE job_id IN (SELECT id FROM removed WHERE status = 'SENT');
  RETURN NULL;
END $$;
CREATE TRIGGER outbox_jobs_removed AFTER DELETE ON outbox_jobs
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tickets_go_with_their_jobs();

-- Whether a sale is still needed for the closing of its day: the day is not closed, or the final state of the sale is in no closing or line (B3, B5).
-- Sales from before the first closing, of deleted restaurants and of test mode are in none.
CREATE FUNCTION needed_for_closing(restaurant UUID, key TEXT, received TIMESTAMPTZ, is_test BOOLEAN) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM day_pending WHERE day_pending.restaurant_id = restaurant AND day_pending.event_key = key)
    OR (NOT is_test
      AND EXISTS (SELECT FROM restaurants WHERE id = restaurant AND deleted_at IS NULL AND received >= days_since - interval '1 day')
      AND NOT EXISTS (SELECT FROM day_sales WHERE day_sales.restaurant_id = restaurant AND day_sales.event_key = key))
$$;

-- Modules add kinds of alerts: the list is theirs. NOT VALID: the rows of before hold.
ALTER TABLE alerts DROP CONSTRAINT alerts_kind_check;
ALTER TABLE alerts ADD CONSTRAINT alerts_kind_check CHECK (kind ~ '^[A-Z][A-Z_]{1,49}$') NOT VALID;
