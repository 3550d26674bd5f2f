-- What the POS says of an order that it has (Q15): it accepts or refuses it, and how far the order is. Each row is also an event for the POS.
CREATE TABLE "pos_acceptances" (
  "id" UUID NOT NULL,
  "restaurant_id" UUID NOT NULL,
  "job_id" UUID NOT NULL,
  "offer" INTEGER NOT NULL,
  "state" TEXT NOT NULL,
  "number" TEXT,
  "reason" TEXT,
  "code" TEXT,
  "items" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  "preparation_minutes" INTEGER,
  "offered_as" UUID,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "acknowledged_at" TIMESTAMPTZ(6),
  "written_by" BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),

  CONSTRAINT "pos_acceptances_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "pos_acceptances_state_known"
    CHECK ("state" IN ('ACCEPTED', 'REFUSED', 'PREPARING', 'READY', 'DISPATCHED', 'PICKED_UP', 'DELIVERED', 'CANCELLED')),
  CONSTRAINT "pos_acceptances_offered_again_if_refused" CHECK (("offered_as" IS NOT NULL) = ("state" = 'REFUSED'))
);
CREATE UNIQUE INDEX "pos_acceptances_job_id_offer_state_key" ON "pos_acceptances"("job_id", "offer", "state");
-- the events for the POS (Q17)
CREATE INDEX "pos_acceptances_events_idx" ON "pos_acceptances"("restaurant_id", "created_at") WHERE (acknowledged_at IS NULL);
-- receipts (V21): of a restaurant, and of the platform
CREATE INDEX "pos_acceptances_accepted_idx" ON "pos_acceptances"("restaurant_id", "created_at", "id") WHERE (state = 'ACCEPTED'::text);
CREATE INDEX "pos_acceptances_accepted_at_idx" ON "pos_acceptances"("created_at", "id") WHERE (state = 'ACCEPTED'::text);
-- as tickets: outbox_jobs can be emptied by hand without a word about tables of others
CREATE FUNCTION pos_acceptances_go_with_their_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM pos_acceptances WHERE job_id IN (SELECT id FROM removed);
  RETURN NULL;
END $$;
CREATE TRIGGER outbox_jobs_removed_with_acceptances AFTER DELETE ON outbox_jobs
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION pos_acceptances_go_with_their_jobs();

-- A closed day has a refused order as delivered: the next closing looks at it again (B5).
CREATE FUNCTION day_pending_of_refused_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO day_pending (restaurant_id, event_key, state)
  SELECT job.restaurant_id, job.event_key, 'delivered' FROM outbox_jobs job
  WHERE job.id = NEW.job_id AND job.status = 'DLQ' AND job.resolved_at IS NULL AND EXISTS (
    SELECT FROM day_sales WHERE day_sales.restaurant_id = job.restaurant_id AND day_sales.event_key = job.event_key)
  ON CONFLICT (restaurant_id, event_key) DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER pos_acceptances_reopen_their_day AFTER INSERT ON pos_acceptances FOR EACH ROW
  WHEN (NEW.state = 'REFUSED') EXECUTE FUNCTION day_pending_of_refused_order();

-- The POS may refuse an order after it was delivered (Q16): the one move out of SENT, together with the row of the refusal.
CREATE OR REPLACE FUNCTION outbox_jobs_refuse_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status = 'SENT' AND NEW.status = 'DLQ' AND NOT OLD.withdrawn AND EXISTS (
        SELECT FROM pos_acceptances WHERE job_id = OLD.id AND state = 'REFUSED' AND created_at = now()
    ) THEN
        RETURN NEW;
    END IF;
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

-- The reason is text of the POS: it goes with the content of the sale (W40).
CREATE OR REPLACE FUNCTION erase_orders(restaurant UUID, keys TEXT[], who TEXT) RETURNS SETOF TEXT LANGUAGE plpgsql AS $$
DECLARE
    erasable TEXT[];
BEGIN
    PERFORM FROM outbox_jobs WHERE event_key = ANY (keys) AND restaurant_id = restaurant ORDER BY event_key, action FOR UPDATE;
    erasable := ARRAY(
        SELECT transaction_key FROM terminal_events event
        WHERE transaction_key = ANY (keys) AND restaurant_id = restaurant AND erased_at IS NULL
          AND (SELECT count(*) FROM outbox_jobs
               WHERE event_key = event.transaction_key AND outbox_jobs.restaurant_id = restaurant
                 AND status IN ('PENDING', 'FAILED', 'PROCESSING')) = 0
        ORDER BY transaction_key);
    UPDATE delivery_attempts SET sent_body = NULL, error = NULL
    WHERE job_id IN (SELECT id FROM outbox_jobs WHERE event_key = ANY (erasable) AND restaurant_id = restaurant);
    UPDATE pos_acceptances SET reason = NULL
    WHERE job_id IN (SELECT id FROM outbox_jobs WHERE event_key = ANY (erasable) AND restaurant_id = restaurant);
    UPDATE outbox_jobs SET last_error = 'the content of this sale was erased'
    WHERE event_key = ANY (erasable) AND restaurant_id = restaurant AND last_error IS NOT NULL;
    UPDATE refused_sales SET payload = erased_payload(payload)
    WHERE transaction_key = ANY (erasable) AND restaurant_id = restaurant AND payload ? 'transactionKey';
    RETURN QUERY UPDATE terminal_events SET payload = erased_payload(payload), erased_at = now(), erased_by = who, entered_note = NULL, warnings = '{}'
    WHERE transaction_key = ANY (erasable) AND restaurant_id = restaurant
    RETURNING transaction_key;
END $$;
