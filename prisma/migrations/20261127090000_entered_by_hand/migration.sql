-- What the POS refused for good is about (O47). It goes with the cause: see outbox_jobs_cause_goes_with_error.
ALTER TABLE outbox_jobs ADD COLUMN subject TEXT;
ALTER TABLE outbox_jobs ADD CONSTRAINT outbox_jobs_subject_known CHECK (subject IN ('product', 'store', 'credentials', 'other')) NOT VALID;

CREATE OR REPLACE FUNCTION outbox_jobs_clear_cause() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.cause := NULL;
    NEW.subject := NULL;
    RETURN NEW;
END $$;

-- Somebody entered the sale, or the refund, in the till by hand (R65).
ALTER TABLE terminal_events ADD COLUMN entered_at TIMESTAMPTZ(6);
ALTER TABLE terminal_events ADD COLUMN entered_by TEXT;
ALTER TABLE terminal_events ADD COLUMN entered_note TEXT;

-- What leaves DLQ was not entered after all: it is sent (R41).
CREATE OR REPLACE FUNCTION outbox_jobs_clear_resolved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.resolved_at := NULL;
    UPDATE terminal_events SET entered_at = NULL, entered_by = NULL, entered_note = NULL
    WHERE transaction_key = NEW.event_key AND restaurant_id = NEW.restaurant_id AND entered_at IS NOT NULL;
    RETURN NEW;
END $$;

-- The refunds (M15), and those that wait for somebody to enter them (R66).
CREATE INDEX terminal_events_refunds_idx ON terminal_events (restaurant_id, received_at)
    WHERE (paid_cents = 0 AND amount_mismatch_cents < 0);

-- As order_state() of three arguments (R33), with the two states that need more than the jobs: a refund is a refund whatever becomes of its
-- job, and what somebody settled by hand is not parked. Each argument stands once, so that the planner inlines the function.
CREATE FUNCTION order_state(status job_status, withdrawn boolean, cancellation job_status, is_refund boolean, is_resolved boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN is_refund THEN 'refund'
        ELSE coalesce(nullif(order_state(status, withdrawn, cancellation), CASE WHEN is_resolved THEN 'parked' END), 'resolved') END
$$;
