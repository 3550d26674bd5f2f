-- The last probe of an outage (O45): its order, the order's attempts before the probe, and when the order is due without probes.
ALTER TABLE "pos_outages"
  ADD COLUMN "probe_job_id" UUID,
  ADD COLUMN "probe_attempts" INTEGER,
  ADD COLUMN "ladder_at" TIMESTAMPTZ(6);
