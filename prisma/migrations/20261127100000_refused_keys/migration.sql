-- When requests with a key were last refused (V40): written by batches, never on the road of a good sale.
ALTER TABLE sender_keys ADD COLUMN refused_at TIMESTAMPTZ(6);
-- the first refusal of the present series, and how many it has
ALTER TABLE sender_keys ADD COLUMN refused_since TIMESTAMPTZ(6);
ALTER TABLE sender_keys ADD COLUMN refused_count INTEGER NOT NULL DEFAULT 0;
-- one of REFUSAL_REASONS
ALTER TABLE sender_keys ADD COLUMN refused_reason TEXT;
CREATE INDEX sender_keys_refused_idx ON sender_keys (refused_at) WHERE refused_at IS NOT NULL;

-- Of each process, with its heartbeat (R21, G53): how long its last check of the database took, and how many in a row were slow.
ALTER TABLE relay_instances ADD COLUMN database_ms INTEGER;
ALTER TABLE relay_instances ADD COLUMN slow_checks INTEGER NOT NULL DEFAULT 0;
