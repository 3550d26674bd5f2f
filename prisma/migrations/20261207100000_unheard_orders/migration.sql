-- Delivered orders of which their POS has said nothing yet (Q18). A table of its own: a column of the job would be a change of its row when the POS
-- speaks, which receipts take for news (V22). Without foreign keys: a check of one locks the row of the restaurant.
CREATE TABLE "unheard_orders" (
  "job_id" UUID NOT NULL,
  "restaurant_id" UUID NOT NULL,
  "delivered_at" TIMESTAMPTZ(6) NOT NULL,

  CONSTRAINT "unheard_orders_pkey" PRIMARY KEY ("job_id")
);
CREATE INDEX "unheard_orders_restaurant_id_delivered_at_idx" ON "unheard_orders"("restaurant_id", "delivered_at");
CREATE INDEX "unheard_orders_delivered_at_idx" ON "unheard_orders"("delivered_at");

-- Whatever the POS says of an order ends it, whoever records it.
CREATE FUNCTION pos_acceptances_are_heard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM unheard_orders WHERE job_id = NEW.job_id;
  RETURN NULL;
END $$;
CREATE TRIGGER pos_acceptances_are_heard AFTER INSERT ON pos_acceptances FOR EACH ROW EXECUTE FUNCTION pos_acceptances_are_heard();

CREATE OR REPLACE FUNCTION pos_acceptances_go_with_their_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM pos_acceptances WHERE job_id IN (SELECT id FROM removed);
  DELETE FROM unheard_orders WHERE job_id IN (SELECT id FROM removed);
  RETURN NULL;
END $$;

-- Those of before: else their alerts would close. A restaurant without this alert has none that were delivered long ago. The order, which is the dear
-- part, is read only where nothing was said; one that another kind of POS was sent has no id of ours.
INSERT INTO unheard_orders (job_id, restaurant_id, delivered_at)
SELECT job.id, restaurants.id, job.updated_at
FROM restaurants CROSS JOIN LATERAL (
  SELECT id, updated_at FROM outbox_jobs
  WHERE restaurant_id = restaurants.id AND status IN ('SENT', 'DLQ') AND status = 'SENT' AND action = 'CREATE'
    AND updated_at > now() - (CASE WHEN EXISTS (
      SELECT FROM alerts WHERE alerts.restaurant_id = restaurants.id AND kind = 'NOT_ACCEPTED' AND closed_at IS NULL
    ) THEN interval '25 hours' ELSE interval '1 hour' END)
    AND NOT EXISTS (SELECT FROM pos_acceptances WHERE job_id = outbox_jobs.id AND state <> 'REFUSED')
  ORDER BY restaurant_id, updated_at OFFSET 0) AS job
WHERE restaurants.pos_vendor = 'open-delivery' AND restaurants.deleted_at IS NULL
  AND (SELECT sent_body ->> 'id' FROM delivery_attempts WHERE job_id = job.id AND sent_body IS NOT NULL ORDER BY started_at DESC LIMIT 1) = job.id::text;
