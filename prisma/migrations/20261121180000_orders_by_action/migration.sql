-- The staff's lists are of orders or of their cancels: among a million orders, a page of few cancels read the whole table.
CREATE INDEX "outbox_jobs_restaurant_id_action_created_at_id_idx" ON "outbox_jobs"("restaurant_id", "action", "created_at", "id");
DROP INDEX "outbox_jobs_restaurant_id_created_at_id_idx";
