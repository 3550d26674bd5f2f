-- Why an attempt failed, in one word (O30): what programs decide by, beside the error, which is for people. Instances of the version
-- before write none. Words are checked and no enum, so that they can read a word of a later version. NOT VALID: the rows of before hold
-- none or get theirs below, and a check of all of them would hold up the sales.
ALTER TABLE outbox_jobs ADD COLUMN cause TEXT;
ALTER TABLE delivery_attempts ADD COLUMN cause TEXT;
ALTER TABLE outbox_jobs ADD CONSTRAINT outbox_jobs_cause_known CHECK (cause IN ('refused', 'unanswered', 'failing', 'busy', 'sign_in',
    'no_code_store_pos', 'no_credentials', 'unmappable', 'refund', 'unconfirmed', 'lost', 'internal', 'withdrawn')) NOT VALID;
ALTER TABLE delivery_attempts ADD CONSTRAINT delivery_attempts_cause_known CHECK (cause IN ('refused', 'unanswered', 'failing', 'busy',
    'sign_in', 'no_code_store_pos', 'no_credentials', 'unmappable', 'refund', 'unconfirmed', 'lost', 'internal', 'withdrawn')) NOT VALID;

-- A cause goes with its error (O31): whoever clears the error, by hand too, clears the cause. The condition stands in WHEN, so that a
-- settle, which clears both itself, never calls the function.
CREATE FUNCTION outbox_jobs_clear_cause() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.cause := NULL;
    RETURN NEW;
END $$;
CREATE TRIGGER outbox_jobs_cause_goes_with_error BEFORE UPDATE OF last_error ON outbox_jobs FOR EACH ROW
    WHEN (NEW.last_error IS NULL AND NEW.cause IS NOT NULL)
    EXECUTE FUNCTION outbox_jobs_clear_cause();

-- Jobs of before that wait or are parked, from their error: the one time that a text of the relay is read by a program. Texts of others
-- stay without a cause. Delivered jobs have no error, so that a long history costs one reading of the table.
UPDATE outbox_jobs SET cause = (
    SELECT CASE
        WHEN withdrawn THEN 'withdrawn'
        WHEN text ~ '^restaurant has no codeStorePos$' THEN 'no_code_store_pos'
        WHEN text ~ '^(no POS credentials: |the restaurant''s posSecret cannot be decrypted: )' THEN 'no_credentials'
        WHEN text ~ '^cannot be mapped: totalAmount: is negative, and nothing was paid: ' THEN 'refund'
        WHEN text ~ '^cannot be mapped: ' THEN 'unmappable'
        WHEN text ~ '^(POS authentication failed: |(POS sign-in failed: )?HTTP (401|403|\d+, POS error 90[12])(?!\d))' THEN 'sign_in'
        WHEN text ~ '^(POS sign-in failed: )?HTTP (5|408|425)' OR text ~ '^HTTP .*\(the body broke off\)' THEN 'failing'
        -- whether it said when to come back, nobody knows
        WHEN text ~ '^(POS sign-in failed: )?HTTP 429' THEN 'busy'
        WHEN text ~ '^POS sign-in failed: (HTTP |no answer from the POS: NO_TOKEN: the answer )' THEN 'sign_in'
        WHEN text ~ '^(POS sign-in failed: )?no answer from the POS: ' THEN 'unanswered'
        WHEN text ~ '^lease of .* expired$' OR text IN ('', 'the order may have arrived, and the POS was not asked since') THEN 'lost'
        WHEN text ~ '^(internal error: |the lease was too short )' THEN 'internal'
        WHEN was_asked OR text ~ '^the (order may have arrived, though the POS|POS is still working on the order: )' THEN 'unconfirmed'
        -- tried again in spite of its status: the POS has a code for that (POS_TEMPORARY_ERROR_CODES)
        WHEN text ~ '^HTTP ' THEN CASE WHEN status = 'DLQ' AND NOT gave_up THEN 'refused' ELSE 'busy' END
    END
    -- OFFSET 0: the prefixes are taken off once
    FROM (SELECT last_error ~ '^gave up after ' AS gave_up, last_error ~ 'may have arrived, and the POS could not be asked: ' AS was_asked,
                 regexp_replace(last_error, '^(gave up after \d+ attempts(: |$))?'
                     '(the order may have arrived, and the POS could not be asked: )?', '') AS text OFFSET 0) AS told)
WHERE last_error IS NOT NULL AND status <> 'SENT';

-- Of their attempts the last, whose error the job has: a restaurant's state tells of it (R19). Older ones stay without a cause, since an
-- outage leaves dozens for each job.
UPDATE delivery_attempts SET cause = last.cause
FROM (
    SELECT newest.id, job.cause FROM outbox_jobs job CROSS JOIN LATERAL (
        SELECT id, error FROM delivery_attempts WHERE job_id = job.id ORDER BY started_at DESC LIMIT 1) AS newest
    WHERE job.cause IS NOT NULL AND newest.error = job.last_error
) AS last
WHERE last.id = delivery_attempts.id;
