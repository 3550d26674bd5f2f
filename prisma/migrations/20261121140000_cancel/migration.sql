-- A CREATE that was withdrawn, because its order was cancelled before it was sent, rests in DLQ for good.
ALTER TABLE "outbox_jobs" ADD COLUMN "withdrawn" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE outbox_jobs
    ADD CONSTRAINT outbox_jobs_withdrawn_is_parked CHECK (NOT withdrawn OR (status = 'DLQ' AND action = 'CREATE'));

-- The parked orders are the ones that somebody must look at.
DROP INDEX "outbox_jobs_parked_idx";
CREATE INDEX "outbox_jobs_parked_idx" ON "outbox_jobs"("restaurant_id", "updated_at") WHERE (status = 'DLQ'::job_status AND NOT withdrawn);

CREATE OR REPLACE FUNCTION outbox_jobs_refuse_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'outbox job % is %: it cannot be moved to %', OLD.id,
            CASE WHEN OLD.withdrawn THEN 'withdrawn' ELSE OLD.status::text END, NEW.status
        USING ERRCODE = 'check_violation',
              HINT = CASE
                  WHEN OLD.withdrawn THEN 'This order was cancelled; it is never sent.'
                  WHEN OLD.status = 'SENT' THEN 'The POS has this order; sending it again would double it.'
                  ELSE 'A worker is sending this order now; wait until it has settled, or until the reaper returns it.'
              END;
END $$;

CREATE TRIGGER outbox_jobs_withdrawn_is_final BEFORE UPDATE OF status, withdrawn ON outbox_jobs FOR EACH ROW
    WHEN (OLD.withdrawn AND (NEW.status <> 'DLQ' OR NOT NEW.withdrawn))
    EXECUTE FUNCTION outbox_jobs_refuse_move();

-- Staff look for an order by the number on the receipt.
CREATE INDEX "terminal_events_restaurant_id_transaction_number_idx" ON "terminal_events"("restaurant_id", "transaction_number");
