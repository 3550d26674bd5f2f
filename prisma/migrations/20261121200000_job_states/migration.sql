-- What due, late, stuck and parked mean, said once: the API, the metrics, the alarms, the doctor and the operators' SQL read
-- these. Each view is one table with conditions, so that the planner sees through it, `FOR UPDATE SKIP LOCKED` locks its
-- rows, and an UPDATE of it is an UPDATE of outbox_jobs. States are literals, so that the partial indexes serve.

-- Jobs that a worker may take now.
CREATE VIEW due_jobs AS
SELECT id, event_key, restaurant_id, action, status, attempts, next_run_at, processing_at, locked_by, last_error,
       created_at, updated_at, withdrawn
FROM outbox_jobs
WHERE status IN ('PENDING', 'FAILED') AND next_run_at <= now()
  -- a cancel does not overtake its order
  AND (action = 'CREATE' OR NOT EXISTS (
    SELECT 1 FROM outbox_jobs sending
    WHERE sending.event_key = outbox_jobs.event_key AND sending.action = 'CREATE' AND sending.status = 'PROCESSING'));

-- Jobs that were given up, of restaurants that are still there: somebody must mend the cause and reset them, or cancel them.
-- A withdrawn order was cancelled before it was sent; nobody waits for it.
CREATE VIEW parked_jobs AS
SELECT id, event_key, restaurant_id, action, status, attempts, next_run_at, processing_at, locked_by, last_error,
       created_at, updated_at, withdrawn
FROM outbox_jobs
WHERE status = 'DLQ' AND NOT withdrawn
  AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = outbox_jobs.restaurant_id AND restaurants.deleted_at IS NULL);

-- Late and stuck take the time from which on they are: functions of one SELECT, which the planner inlines like a view. (Their
-- bodies are text on purpose: the row of outbox_jobs may gain columns.)

-- Jobs that have been due for longer than this and were not taken; since when: next_run_at.
CREATE FUNCTION late_jobs(longer_than interval) RETURNS SETOF due_jobs LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT * FROM due_jobs WHERE next_run_at < now() - longer_than
$$;

-- Jobs whose worker has not settled them within its lease (PROCESSING_TTL_MS); since when: processing_at.
CREATE FUNCTION stuck_jobs(lease interval) RETURNS SETOF outbox_jobs LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT * FROM outbox_jobs WHERE status = 'PROCESSING' AND processing_at < now() - lease
$$;

-- An error without what differs from order to order, so that alike errors have one cause: a word with a digit in it is #,
-- unless it says which answer it was (HTTP 422, POS error 310); addresses and times, then #.#.#.#:#, are # as well.
CREATE FUNCTION error_cause(error text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT left(regexp_replace(regexp_replace(coalesce(error, '(none)'),
        '(?<!HTTP |POS error )\m[[:alnum:]_-]*\d[[:alnum:]_-]*', '#', 'g'), '#([.:/]#)+', '#', 'g'), 200)
$$;

-- What was paid by a tender that is called like a part of every JavaScript object (toString, constructor, __proto__) was
-- stored as a text, or not at all. It is read from the stored sale again; the first such tender of a sale gets the cents
-- that its payments were rounded by, so that the tenders add up to what was paid.
WITH spoiled AS (
    SELECT transaction_key, paid_cents, payload,
           (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(paid_by_tender)
            WHERE jsonb_typeof(value) = 'number') AS sound
    FROM terminal_events
    -- (a sale whose amounts could not be read has paid nothing, by no tender)
    WHERE paid_cents > 0 AND (jsonb_path_exists(paid_by_tender, '$.* ? (@.type() != "number")')
                              OR payload @> '{"payments": [{"tenderType": "__proto__"}]}')
), lost AS (
    SELECT transaction_key, payment->>'tenderType' AS tender, sum(round((payment->>'amount')::numeric * 100)) AS cents
    FROM spoiled, jsonb_path_query(payload,
        '$.payments[*] ? (@.tenderType.type() == "string" && @.amount.type() == "number" && @.amount >= 0.005)') AS payment
    WHERE NOT sound ? (payment->>'tenderType')
    GROUP BY 1, 2
), mended AS (
    SELECT transaction_key, jsonb_object_agg(tender, CASE WHEN place = 1 THEN cents + rest ELSE cents END) AS by_tender
    FROM (
        SELECT lost.*, row_number() OVER (PARTITION BY transaction_key ORDER BY tender COLLATE "C") AS place,
               paid_cents - (SELECT coalesce(sum(value::numeric), 0) FROM jsonb_each_text(sound))
                 - sum(cents) OVER (PARTITION BY transaction_key) AS rest
        FROM lost JOIN spoiled USING (transaction_key)
    ) AS tender
    GROUP BY 1
)
UPDATE terminal_events event
SET paid_by_tender = sound || coalesce(by_tender, '{}')
FROM spoiled LEFT JOIN mended USING (transaction_key)
WHERE event.transaction_key = spoiled.transaction_key AND (by_tender IS NOT NULL OR event.paid_by_tender <> sound);
