-- A reset skips orders whose content was erased (W42): there is nothing to send. Their cancels name the order by its key and can be sent.
CREATE OR REPLACE FUNCTION reset_jobs(job_ids uuid[]) RETURNS SETOF outbox_jobs LANGUAGE sql AS $$
    UPDATE outbox_jobs
    SET status = 'PENDING', next_run_at = now(), attempts = 0, last_error = NULL, processing_at = NULL, locked_by = NULL,
        updated_at = now()
    WHERE id = ANY (job_ids)
      AND (action <> 'CREATE' OR (SELECT erased_at FROM terminal_events
                                  WHERE transaction_key = event_key AND terminal_events.restaurant_id = outbox_jobs.restaurant_id) IS NULL)
    RETURNING *
$$;
