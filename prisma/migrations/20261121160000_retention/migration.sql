-- The keys of removed events: a transaction that was registered once is refused for ever.
-- CreateTable
CREATE TABLE "spent_keys" (
    "transaction_key" TEXT NOT NULL,
    "source_key" TEXT NOT NULL,
    "test_mode" BOOLEAN NOT NULL,
    "restaurant_id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "spent_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "event_removed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "spent_keys_pkey" PRIMARY KEY ("transaction_key")
);

-- CreateIndex
CREATE INDEX "spent_keys_to_remove_idx" ON "spent_keys"("spent_at") WHERE (NOT event_removed);

-- CreateIndex
CREATE INDEX "spent_keys_test_source_idx" ON "spent_keys"("restaurant_id", "source_key") WHERE (test_mode);

-- CreateIndex
CREATE INDEX "terminal_events_amount_mismatch_idx" ON "terminal_events"("received_at") WHERE (amount_mismatch_cents IS NOT NULL);
