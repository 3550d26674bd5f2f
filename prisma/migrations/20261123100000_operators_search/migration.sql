-- Operators search for an order by the id of a request that was audited (R37).
CREATE INDEX "audit_entries_request_id_idx" ON "audit_entries"("request_id") WHERE (request_id IS NOT NULL);
