-- Keys with which senders of sales prove who they are (V). A key of a restaurant sends for this restaurant alone; without a restaurant it is
-- the platform's.
CREATE TABLE sender_keys (
    id UUID NOT NULL,
    restaurant_id UUID,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    key_id TEXT NOT NULL,
    -- SHA-256 of a token, in hex
    token_hash TEXT,
    -- encrypted with AES-256-GCM (S14)
    secret TEXT,
    scopes TEXT[] NOT NULL,
    -- no foreign key: the key outlives the user
    created_by UUID,
    created_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_used_at TIMESTAMPTZ(6),
    expires_at TIMESTAMPTZ(6),
    revoked_at TIMESTAMPTZ(6),
    -- no foreign key: no row is removed before its restaurant
    replaced_by UUID,

    CONSTRAINT sender_keys_pkey PRIMARY KEY (id),
    CONSTRAINT sender_keys_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT sender_keys_kind_known CHECK (kind IN ('TOKEN', 'SIGNING')),
    CONSTRAINT sender_keys_key_id_shape CHECK (key_id ~ '^[0-9A-Za-z]{8}$'),
    CONSTRAINT sender_keys_scopes_known CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['sales:write', 'sales:test', 'receipts:read']),
    CONSTRAINT sender_keys_token_hashed CHECK ((kind = 'TOKEN') = (token_hash IS NOT NULL)),
    -- a revoked key loses its secret
    CONSTRAINT sender_keys_secret_kept CHECK ((kind = 'SIGNING' AND revoked_at IS NULL) = (secret IS NOT NULL))
);
CREATE UNIQUE INDEX sender_keys_key_id_key ON sender_keys (key_id);
CREATE UNIQUE INDEX sender_keys_token_hash_key ON sender_keys (token_hash);
CREATE INDEX sender_keys_restaurant_id_idx ON sender_keys (restaurant_id);

-- The keys that work now (V5). The statement that stores a sale reads this view.
CREATE VIEW live_sender_keys AS
SELECT id, restaurant_id, name, kind, key_id, token_hash, secret, scopes, expires_at, replaced_by
FROM sender_keys
WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
  AND NOT EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = sender_keys.restaurant_id AND restaurants.deleted_at IS NOT NULL);
