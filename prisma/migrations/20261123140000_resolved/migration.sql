-- When somebody settled a parked job by hand (R40): it stays in DLQ, and nobody waits for it any more. Instances of the version before
-- still count it.
ALTER TABLE outbox_jobs ADD COLUMN resolved_at TIMESTAMPTZ(6);

-- Whatever moves the job out of DLQ, a reset by hand too, makes it an open job again (R41). The condition stands in WHEN, so that no other
-- move calls the function.
CREATE FUNCTION outbox_jobs_clear_resolved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.resolved_at := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER outbox_jobs_resolved_until_moved BEFORE UPDATE OF status ON outbox_jobs FOR EACH ROW
    WHEN (NEW.resolved_at IS NOT NULL AND NEW.status <> 'DLQ')
    EXECUTE FUNCTION outbox_jobs_clear_resolved();

CREATE OR REPLACE VIEW parked_jobs AS
SELECT id, event_key, restaurant_id, action, status, attempts, next_run_at, processing_at, locked_by, last_error,
       created_at, updated_at, withdrawn
FROM outbox_jobs
WHERE status = 'DLQ' AND NOT withdrawn AND resolved_at IS NULL
  AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = outbox_jobs.restaurant_id AND restaurants.deleted_at IS NULL);

-- The state of a restaurant is polled: it does not read what was settled over the years. The index without this condition stays for
-- instances of the version before.
CREATE INDEX outbox_jobs_open_parked_idx ON outbox_jobs (restaurant_id, updated_at)
    WHERE (status = 'DLQ' AND NOT withdrawn AND resolved_at IS NULL);
