-- What became of an order (R33), for every reader: lists, a restaurant's state, statistics, takings. `status` and `withdrawn` are those
-- of its CREATE job, `cancellation` is the status of its CANCEL job, null without one. Each argument stands once, so that the planner
-- inlines the function also when an argument is a sub-select. No index may be built on it: then it could not be replaced.
CREATE FUNCTION order_state(status job_status, withdrawn boolean, cancellation job_status) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN withdrawn THEN 'cancelled' ELSE coalesce(
        CASE cancellation = 'DLQ' WHEN true THEN 'parked' WHEN false THEN 'cancelled' END,
        CASE status WHEN 'SENT' THEN 'delivered' WHEN 'DLQ' THEN 'parked' ELSE 'waiting' END) END
$$;

-- The move `reset` (R11) of these jobs, which the caller selects: with FOR UPDATE, so that they are still what it has seen. As for every
-- UPDATE of outbox_jobs, a SENT or PROCESSING job among them is an error (R12), and jobs of withdrawn orders and of deleted restaurants
-- are skipped with a NOTICE (O28). Returns the jobs that were reset. (Its body is text: the row of outbox_jobs may gain columns.)
CREATE FUNCTION reset_jobs(job_ids uuid[]) RETURNS SETOF outbox_jobs LANGUAGE sql AS $$
    UPDATE outbox_jobs
    SET status = 'PENDING', next_run_at = now(), attempts = 0, last_error = NULL, processing_at = NULL, locked_by = NULL,
        updated_at = now()
    WHERE id = ANY (job_ids)
    RETURNING *
$$;
