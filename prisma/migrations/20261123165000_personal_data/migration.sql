-- When and by whom the content of a sale was erased (W40): null for all that have theirs. Instances of the version before read an erased
-- payload as a sale that cannot be mapped.
ALTER TABLE terminal_events ADD COLUMN erased_at TIMESTAMPTZ(6);
ALTER TABLE terminal_events ADD COLUMN erased_by TEXT;

-- What stays of a payload (W40): its number, and the amounts by which takings and an accountant's lists add up. It has no transactionKey,
-- which every payload of a terminal has: no terminal can send what reads as erased.
CREATE FUNCTION erased_payload(payload JSONB) RETURNS JSONB LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT jsonb_build_object('erased', true)
        || CASE WHEN jsonb_typeof(payload -> 'transactionNumber') IN ('string', 'number')
                THEN jsonb_build_object('transactionNumber', payload -> 'transactionNumber') ELSE '{}' END
        || CASE WHEN jsonb_typeof(payload -> 'totalAmount') = 'number'
                THEN jsonb_build_object('totalAmount', payload -> 'totalAmount') ELSE '{}' END
        || jsonb_build_object(
            'items', coalesce((
                SELECT jsonb_agg(
                    CASE WHEN jsonb_typeof(item -> 'quantity') = 'number' THEN jsonb_build_object('quantity', item -> 'quantity') ELSE '{}' END
                 || CASE WHEN jsonb_typeof(item -> 'price') = 'number' THEN jsonb_build_object('price', item -> 'price') ELSE '{}' END
                    ORDER BY place)
                FROM jsonb_array_elements(CASE jsonb_typeof(payload -> 'items') WHEN 'array' THEN payload -> 'items' ELSE '[]' END)
                     WITH ORDINALITY AS items(item, place)), '[]'),
            'payments', coalesce((
                SELECT jsonb_agg(
                    CASE WHEN jsonb_typeof(payment -> 'tenderType') IN ('string', 'number')
                         THEN jsonb_build_object('tenderType', payment -> 'tenderType') ELSE '{}' END
                 || CASE WHEN jsonb_typeof(payment -> 'amount') = 'number' THEN jsonb_build_object('amount', payment -> 'amount') ELSE '{}' END
                    ORDER BY place)
                FROM jsonb_array_elements(CASE jsonb_typeof(payload -> 'payments') WHEN 'array' THEN payload -> 'payments' ELSE '[]' END)
                     WITH ORDINALITY AS payments(payment, place)), '[]'))
$$;

-- Erases the content of these sales of a restaurant (W40), and returns their keys: those that were not erased before, and of which no job
-- waits or is being sent. It takes the locks of their jobs first, so that none is claimed meanwhile; a job that another session has locked
-- is waited for. The bodies that were sent and the texts of errors go too, because both may quote the sale; causes and codes stay.
CREATE FUNCTION erase_orders(restaurant UUID, keys TEXT[], who TEXT) RETURNS SETOF TEXT LANGUAGE plpgsql AS $$
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
    RETURN QUERY UPDATE terminal_events SET payload = erased_payload(payload), erased_at = now(), erased_by = who
    WHERE transaction_key = ANY (erasable) AND restaurant_id = restaurant
    RETURNING transaction_key;
END $$;

-- The orders of a restaurant that were cancelled before they were sent (W41); those that are parked have outbox_jobs_parked_idx.
CREATE INDEX outbox_jobs_withdrawn_idx ON outbox_jobs (restaurant_id, updated_at) WHERE (status = 'DLQ' AND withdrawn);
