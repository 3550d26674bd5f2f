-- Receipts (V20 to V26): what became of the sales that a sender sent. A list reads the jobs that were settled since a time, of one
-- restaurant, or of all for the platform.
CREATE INDEX outbox_jobs_settled_idx ON outbox_jobs (restaurant_id, updated_at, id)
    WHERE status IN ('SENT', 'DLQ');
CREATE INDEX outbox_jobs_settled_at_idx ON outbox_jobs (updated_at, id)
    WHERE status IN ('SENT', 'DLQ');

-- Whether the platform sent the sale, by its static token or one of its keys. NULL: stored before this column existed.
ALTER TABLE terminal_events ADD COLUMN of_platform BOOLEAN;
