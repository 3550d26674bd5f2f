-- A pause of a restaurant: nothing of it is sent while paused_until is set (O49). What waited is due one by one until resuming_until.
ALTER TABLE "restaurants"
  ADD COLUMN "paused_at" TIMESTAMPTZ(6),
  ADD COLUMN "paused_until" TIMESTAMPTZ(6),
  ADD COLUMN "pause_reason" TEXT,
  ADD COLUMN "paused_by" TEXT,
  ADD COLUMN "resuming_until" TIMESTAMPTZ(6);

-- The few restaurants that are paused or resume: what waits of them is not late.
CREATE INDEX "restaurants_paused_idx" ON "restaurants"("id") WHERE paused_until IS NOT NULL OR resuming_until IS NOT NULL;

-- Nothing of a paused restaurant is due. As the deleted ones, the paused ones, which are few, are read once for a statement, from their own index.
CREATE OR REPLACE VIEW due_jobs AS
SELECT id, event_key, restaurant_id, action, status, attempts, next_run_at, processing_at, locked_by, last_error,
       created_at, updated_at, withdrawn
FROM outbox_jobs
WHERE status IN ('PENDING', 'FAILED') AND next_run_at <= now()
  -- an order whose cancel was asked for is never sent again, so it is never due: its cancel withdraws it (C5);
  -- and a cancel does not overtake its order (C3)
  AND (SELECT other.action = 'CANCEL' OR other.status = 'PROCESSING'
       FROM outbox_jobs other
       WHERE other.event_key = outbox_jobs.event_key AND other.restaurant_id = outbox_jobs.restaurant_id
         AND other.action = (CASE outbox_jobs.action WHEN 'CREATE' THEN 'CANCEL' ELSE 'CREATE' END)::job_action
      ) IS NOT TRUE
  AND restaurant_id NOT IN (SELECT restaurants.id FROM restaurants WHERE restaurants.deleted_at IS NOT NULL)
  AND restaurant_id NOT IN (SELECT restaurants.id FROM restaurants WHERE restaurants.paused_until IS NOT NULL);
