-- Erasing a sale (W40) also removes its warnings: some quote the code or the name of an item (I17).
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
    RETURN QUERY UPDATE terminal_events SET payload = erased_payload(payload), erased_at = now(), erased_by = who, entered_note = NULL, warnings = '{}'
    WHERE transaction_key = ANY (erasable) AND restaurant_id = restaurant
    RETURNING transaction_key;
END $$;
