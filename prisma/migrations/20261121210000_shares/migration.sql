-- The head of each restaurant's queue, so that restaurants take turns however long one of the queues is.
CREATE INDEX "outbox_jobs_waiting_idx" ON "outbox_jobs"("restaurant_id", "next_run_at") WHERE (status IN ('PENDING', 'FAILED'));

-- An order whose cancel was asked for is never sent again, so it is never due: its cancel withdraws it.
CREATE OR REPLACE VIEW due_jobs AS
SELECT id, event_key, restaurant_id, action, status, attempts, next_run_at, processing_at, locked_by, last_error,
       created_at, updated_at, withdrawn
FROM outbox_jobs
WHERE status IN ('PENDING', 'FAILED') AND next_run_at <= now()
  AND NOT EXISTS (
    SELECT 1 FROM outbox_jobs other
    WHERE other.event_key = outbox_jobs.event_key AND other.action <> outbox_jobs.action
      -- a cancel does not overtake its order
      AND (other.action = 'CANCEL' OR other.status = 'PROCESSING'));
