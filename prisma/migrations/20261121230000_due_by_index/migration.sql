-- As before. The other job of the event is looked up by the unique index, one for each job that is looked at: written as
-- NOT EXISTS the planner may read all jobs in place of it, and a prepared claim keeps that plan.
CREATE OR REPLACE VIEW due_jobs AS
SELECT id, event_key, restaurant_id, action, status, attempts, next_run_at, processing_at, locked_by, last_error,
       created_at, updated_at, withdrawn
FROM outbox_jobs
WHERE status IN ('PENDING', 'FAILED') AND next_run_at <= now()
  -- an order whose cancel was asked for is never sent again, and a cancel does not overtake its order
  AND (SELECT other.action = 'CANCEL' OR other.status = 'PROCESSING'
       FROM outbox_jobs other
       WHERE other.event_key = outbox_jobs.event_key AND other.restaurant_id = outbox_jobs.restaurant_id
         AND other.action = (CASE outbox_jobs.action WHEN 'CREATE' THEN 'CANCEL' ELSE 'CREATE' END)::job_action
      ) IS NOT TRUE;
