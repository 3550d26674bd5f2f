-- The vendor is a setting of the restaurant (Q1); null: the deployment's. A POS that pulls is a worker: its poll claims (Q4).
ALTER TABLE "restaurants"
  ADD COLUMN "pos_vendor" TEXT,
  ADD COLUMN "pulls" BOOLEAN NOT NULL DEFAULT false,
  ADD CONSTRAINT "restaurants_pos_vendor_known" CHECK ("pos_vendor" IN ('partner', 'open-delivery')),
  -- the word by which the claims of workers leave a restaurant out has one source
  ADD CONSTRAINT "restaurants_pulls_by_vendor" CHECK ("pulls" = (coalesce("pos_vendor", '') = 'open-delivery'));

-- What a POS that pulls signs in with (Q3).
CREATE TABLE "pos_credentials" (
  "id" UUID NOT NULL,
  "restaurant_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "secret_hash" TEXT NOT NULL,
  "created_by" UUID,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(6),
  "revoked_at" TIMESTAMPTZ(6),
  "replaced_by" UUID,
  "polled_at" TIMESTAMPTZ(6),
  "left_out" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],

  CONSTRAINT "pos_credentials_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "pos_credentials_restaurant_id_idx" ON "pos_credentials"("restaurant_id");
ALTER TABLE "pos_credentials" ADD CONSTRAINT "pos_credentials_restaurant_id_fkey"
  FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Credentials that work now (Q3): of a restaurant that is there and whose POS pulls.
CREATE VIEW live_pos_credentials AS
SELECT credential.id, credential.restaurant_id, credential.secret_hash, credential.expires_at
FROM pos_credentials credential
JOIN restaurants ON restaurants.id = credential.restaurant_id
WHERE credential.revoked_at IS NULL AND (credential.expires_at IS NULL OR credential.expires_at > now())
  AND restaurants.deleted_at IS NULL AND restaurants.pulls;

-- The events that are offered to the POS of a restaurant and wait for its acknowledgement (Q4).
CREATE INDEX "outbox_jobs_offered_idx" ON "outbox_jobs"("restaurant_id", "processing_at")
  WHERE (status = 'PROCESSING'::job_status AND locked_by ~~ 'pos/%'::text);

-- The cause of an order that waits for the currency (Q8).
ALTER TABLE "outbox_jobs" DROP CONSTRAINT "outbox_jobs_cause_known";
ALTER TABLE "outbox_jobs" ADD CONSTRAINT "outbox_jobs_cause_known" CHECK (cause IN ('refused', 'unanswered', 'failing', 'busy', 'sign_in',
    'no_code_store_pos', 'no_currency', 'no_credentials', 'unmappable', 'refund', 'unconfirmed', 'lost', 'internal', 'withdrawn')) NOT VALID;
ALTER TABLE "delivery_attempts" DROP CONSTRAINT "delivery_attempts_cause_known";
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_cause_known" CHECK (cause IN ('refused', 'unanswered', 'failing', 'busy',
    'sign_in', 'no_code_store_pos', 'no_currency', 'no_credentials', 'unmappable', 'refund', 'unconfirmed', 'lost', 'internal', 'withdrawn')) NOT VALID;

-- The relay is late with what its workers have not claimed; a POS that pulls claims its jobs itself (Q13).
CREATE OR REPLACE FUNCTION late_jobs(longer_than interval) RETURNS SETOF due_jobs LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT * FROM due_jobs WHERE next_run_at < now() - longer_than
      AND NOT EXISTS (SELECT FROM restaurants WHERE restaurants.id = due_jobs.restaurant_id AND restaurants.pulls)
$$;
