-- The last outage of a restaurant's POS (O33). A row is written when an attempt fails of an outage, not for each order.
CREATE TABLE "pos_outages" (
  "restaurant_id" UUID NOT NULL,
  "began_at" TIMESTAMPTZ(6) NOT NULL,
  "failed_at" TIMESTAMPTZ(6) NOT NULL,
  "ended_at" TIMESTAMPTZ(6),

  CONSTRAINT "pos_outages_pkey" PRIMARY KEY ("restaurant_id")
);

ALTER TABLE "pos_outages" ADD CONSTRAINT "pos_outages_restaurant_id_fkey"
  FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- When the end of an outage last made the job due; null for almost every job.
ALTER TABLE "outbox_jobs" ADD COLUMN "recovered_at" TIMESTAMPTZ(6);
