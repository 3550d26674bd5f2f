-- Sales that came under the key of another one (W45): nothing was registered of them. Written on the road of a duplicate only.
CREATE TABLE refused_sales (
  id UUID NOT NULL,
  restaurant_id UUID NOT NULL,
  -- of the stored sale; no foreign key, because retention removes it
  transaction_key TEXT NOT NULL,
  -- of what the sale is compared by: the same sale again is the same row
  digest TEXT NOT NULL,
  differs TEXT[] NOT NULL,
  transaction_number TEXT,
  net_cents BIGINT NOT NULL,
  payload JSONB NOT NULL,
  -- whole ms, because page cursors carry it
  received_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  times INTEGER NOT NULL DEFAULT 1,

  CONSTRAINT refused_sales_pkey PRIMARY KEY (id),
  CONSTRAINT refused_sales_digest_shape CHECK (digest ~ '^[0-9a-f]{64}$')
);
CREATE UNIQUE INDEX refused_sales_restaurant_id_transaction_key_digest_key ON refused_sales (restaurant_id, transaction_key, digest);
CREATE INDEX refused_sales_restaurant_id_received_at_id_idx ON refused_sales (restaurant_id, received_at, id);
CREATE INDEX refused_sales_received_at_idx ON refused_sales (received_at);
ALTER TABLE refused_sales ADD CONSTRAINT refused_sales_restaurant_id_fkey
  FOREIGN KEY (restaurant_id) REFERENCES restaurants (id) ON DELETE CASCADE ON UPDATE CASCADE;

-- NOT VALID: the rows of before hold. The list only grows.
ALTER TABLE alerts DROP CONSTRAINT alerts_kind_check;
ALTER TABLE alerts ADD CONSTRAINT alerts_kind_check CHECK (kind IN ('ORDER_PARKED', 'ORDER_LATE', 'POS_REFUSES', 'PRINTER_AWAY', 'KEY_EXPIRES',
  'MISSING_HERE', 'KEY_REUSED', 'INSTANCE_LOST', 'DATABASE')) NOT VALID;

-- As before, and the content of the sales that were refused under these keys (W40).
CREATE OR REPLACE FUNCTION erase_orders(restaurant UUID, keys TEXT[], who TEXT) RETURNS SETOF TEXT LANGUAGE plpgsql AS $$
DECLARE
    erasable TEXT[];
BEGIN
    PERFORM FROM outbox_jobs WHERE event_key = ANY (keys) AND restaurant_id = restaurant ORDER BY event_key, action FOR UPDATE;
    erasable := ARRAY(
        SELECT transaction_key FROM terminal_events event
        WHERE transaction_key = ANY (keys) AND restaurant_id = restaurant AND erased_at IS NULL
          AND (SELECT count(*) FROM outbox_jobs
               WHERE event_key = event.transaction_key AND outbox_jobs.restaurant_id = restaurant
                 AND status IN ('PENDING', 'FAILED', 'PROCESSING')) = 0
        ORDER BY transaction_key);
    UPDATE delivery_attempts SET sent_body = NULL, error = NULL
    WHERE job_id IN (SELECT id FROM outbox_jobs WHERE event_key = ANY (erasable) AND restaurant_id = restaurant);
    UPDATE outbox_jobs SET last_error = 'the content of this sale was erased'
    WHERE event_key = ANY (erasable) AND restaurant_id = restaurant AND last_error IS NOT NULL;
    UPDATE refused_sales SET payload = erased_payload(payload)
    WHERE transaction_key = ANY (erasable) AND restaurant_id = restaurant AND payload ? 'transactionKey';
    RETURN QUERY UPDATE terminal_events SET payload = erased_payload(payload), erased_at = now(), erased_by = who
    WHERE transaction_key = ANY (erasable) AND restaurant_id = restaurant
    RETURNING transaction_key;
END $$;
