-- A reset by hand skips what staff entered in the till (R65): an UPDATE of everything in DLQ would send it a second time, and nobody would see it. The
-- relay asks before it resets such an order, and whoever means it says so (O28).
CREATE OR REPLACE FUNCTION outbox_jobs_skip_reset() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    why text;
    skipped integer;
BEGIN
    IF OLD.withdrawn THEN
        why := 'its order was cancelled; it is never sent';
    ELSE
        -- the lock waits for a deletion under way, as a sale does (A21)
        PERFORM FROM restaurants WHERE id = NEW.restaurant_id AND deleted_at IS NULL FOR KEY SHARE;
        IF NOT FOUND THEN
            why := 'its restaurant was deleted';
        ELSIF current_setting('application_name') <> 'relay' AND current_setting('relay.force', true) IS DISTINCT FROM 'on'
              AND NEW.action = 'CREATE' AND EXISTS (
                  SELECT FROM terminal_events
                  WHERE transaction_key = NEW.event_key AND restaurant_id = NEW.restaurant_id AND entered_at IS NOT NULL) THEN
            why := 'its order was entered in the till by hand; to send it although: SET relay.force = ''on'' in the same transaction';
        ELSE
            RETURN NEW;
        END IF;
    END IF;
    skipped := coalesce(nullif(current_setting('relay.skipped', true), ''), '0')::integer + 1;
    PERFORM set_config('relay.skipped', skipped::text, true);
    -- of a great many, the first are named, and the others counted at the end of the statement
    IF skipped <= 20 THEN
        RAISE NOTICE 'outbox job % (order %) is skipped: %', OLD.id, OLD.event_key, why;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION outbox_jobs_count_skipped() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    skipped integer := current_setting('relay.skipped')::integer;
BEGIN
    PERFORM set_config('relay.skipped', '', true);
    IF skipped > 20 THEN
        RAISE NOTICE '% outbox jobs are skipped in all: their orders were cancelled or entered by hand, or their restaurants deleted', skipped;
    END IF;
    RETURN NULL;
END $$;

-- Triggers fire in the order of their names: it is asked before outbox_jobs_resolved_until_moved ends the entry.
ALTER TRIGGER outbox_jobs_skip_reset ON outbox_jobs RENAME TO outbox_jobs_reset_skips;
