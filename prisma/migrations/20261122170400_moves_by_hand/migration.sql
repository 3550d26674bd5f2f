-- What SQL by hand may do to jobs (O3, O27, O28, O29, R12). A session is the relay's when its application_name says so; any other
-- says with `SET relay.force = 'on'` that it means the move. The conditions stand in WHEN, so that claim and settle never call a
-- function. (CREATE OR REPLACE keeps the views and functions that instances of the version before have prepared.)

CREATE OR REPLACE FUNCTION outbox_jobs_refuse_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'outbox job % is %: it cannot be moved to %', OLD.id,
            CASE WHEN OLD.withdrawn THEN 'withdrawn' ELSE OLD.status::text END, NEW.status
        USING ERRCODE = 'check_violation',
              HINT = CASE
                  WHEN OLD.withdrawn THEN 'This order was cancelled; it is never sent.'
                  WHEN OLD.status = 'SENT' THEN 'The POS has this order; sending it again would double it.'
                  WHEN OLD.status = 'PROCESSING' THEN 'A worker is sending this order now; wait until it has settled, or until '
                      || 'its lease has expired and the reaper returns it. If no relay runs: SET relay.force = ''on'' in the same transaction.'
                  ELSE 'Only an attempt makes a job SENT. If the order was entered at the POS by hand, cancel it over the API.'
              END;
END $$;

-- Moves that only the relay makes. A reset of a job that is being sent is refused to the relay too: it never writes one. (The
-- reaper keeps the attempts; a released job keeps its due time; only a reset changes both.)
DROP TRIGGER outbox_jobs_no_reset_while_processing ON outbox_jobs;
CREATE TRIGGER outbox_jobs_held_by_its_worker BEFORE UPDATE OF status ON outbox_jobs FOR EACH ROW
    WHEN (OLD.status = 'PROCESSING' AND NEW.status <> 'PROCESSING'
          AND current_setting('relay.force', true) IS DISTINCT FROM 'on'
          AND (current_setting('application_name') <> 'relay'
               OR (NEW.status = 'PENDING' AND NEW.attempts < OLD.attempts AND NEW.next_run_at IS DISTINCT FROM OLD.next_run_at)))
    EXECUTE FUNCTION outbox_jobs_refuse_move();

-- No answer of the POS makes a failed or parked job SENT without another attempt (O2), so nobody does.
CREATE TRIGGER outbox_jobs_sent_after_an_attempt BEFORE UPDATE OF status ON outbox_jobs FOR EACH ROW
    WHEN (NEW.status = 'SENT' AND OLD.status IN ('FAILED', 'DLQ'))
    EXECUTE FUNCTION outbox_jobs_refuse_move();

-- A reset that finds the job of a cancelled order or of a deleted restaurant skips it, so that the rest of a bulk UPDATE is
-- reset. Every other move of a withdrawn job is an error as before.
DROP TRIGGER outbox_jobs_withdrawn_is_final ON outbox_jobs;
CREATE TRIGGER outbox_jobs_withdrawn_is_final BEFORE UPDATE OF status, withdrawn ON outbox_jobs FOR EACH ROW
    WHEN (OLD.withdrawn AND (NEW.status NOT IN ('DLQ', 'PENDING') OR NOT NEW.withdrawn))
    EXECUTE FUNCTION outbox_jobs_refuse_move();

CREATE FUNCTION outbox_jobs_skip_reset() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    why text;
    skipped integer;
BEGIN
    IF OLD.withdrawn THEN
        why := 'its order was cancelled; it is never sent';
    ELSE
        -- the lock waits for a deletion under way, as a sale does (A21)
        PERFORM FROM restaurants WHERE id = NEW.restaurant_id AND deleted_at IS NULL FOR KEY SHARE;
        IF FOUND THEN
            RETURN NEW;
        END IF;
        why := 'its restaurant was deleted';
    END IF;
    skipped := coalesce(nullif(current_setting('relay.skipped', true), ''), '0')::integer + 1;
    PERFORM set_config('relay.skipped', skipped::text, true);
    -- of a great many, the first are named, and the others counted at the end of the statement
    IF skipped <= 20 THEN
        RAISE NOTICE 'outbox job % (order %) is skipped: %', OLD.id, OLD.event_key, why;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER outbox_jobs_skip_reset BEFORE UPDATE OF status ON outbox_jobs FOR EACH ROW
    WHEN (NEW.status = 'PENDING' AND OLD.status IN ('DLQ', 'FAILED') AND OLD.withdrawn = NEW.withdrawn)
    EXECUTE FUNCTION outbox_jobs_skip_reset();

CREATE FUNCTION outbox_jobs_count_skipped() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    skipped integer := current_setting('relay.skipped')::integer;
BEGIN
    PERFORM set_config('relay.skipped', '', true);
    IF skipped > 20 THEN
        RAISE NOTICE '% outbox jobs are skipped in all: their orders were cancelled, or their restaurants deleted', skipped;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER outbox_jobs_count_skipped AFTER UPDATE OF status ON outbox_jobs FOR EACH STATEMENT
    WHEN (current_setting('relay.skipped', true) <> '')
    EXECUTE FUNCTION outbox_jobs_count_skipped();

-- Nothing of a deleted restaurant is due or stuck (O23). As NOT IN the deleted ones, which are few, are read once for a statement, from
-- their own index; looked up for each job, they made a claim half as dear again.
CREATE INDEX restaurants_deleted_idx ON restaurants (id) WHERE (deleted_at IS NOT NULL);

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
  AND restaurant_id NOT IN (SELECT restaurants.id FROM restaurants WHERE restaurants.deleted_at IS NOT NULL);

CREATE OR REPLACE FUNCTION stuck_jobs(lease interval) RETURNS SETOF outbox_jobs LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT * FROM outbox_jobs
    WHERE status = 'PROCESSING' AND processing_at < now() - lease
      AND restaurant_id NOT IN (SELECT restaurants.id FROM restaurants WHERE restaurants.deleted_at IS NOT NULL)
$$;
