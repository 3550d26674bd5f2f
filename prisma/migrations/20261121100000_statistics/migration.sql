-- What a sale paid, so that statistics need not read payloads.
ALTER TABLE "terminal_events" ADD COLUMN "paid_cents" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN "paid_by_tender" JSONB NOT NULL DEFAULT '{}';

-- CreateIndex
CREATE INDEX "terminal_events_restaurant_id_received_at_idx" ON "terminal_events"("restaurant_id", "received_at");

-- CreateIndex
CREATE INDEX "outbox_jobs_restaurant_id_created_at_id_idx" ON "outbox_jobs"("restaurant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "outbox_jobs_created_at_id_idx" ON "outbox_jobs"("created_at", "id");

-- CreateIndex
CREATE INDEX "delivery_attempts_started_at_idx" ON "delivery_attempts" USING BRIN ("started_at");
