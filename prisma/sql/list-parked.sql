-- What is parked (DLQ) and why, the most frequent cause first. Changes nothing.
--   psql ... -f prisma/sql/list-parked.sql
-- Numbers and ids in an error are shown as #, so that alike causes are one row; the HTTP status and the POS's error code
-- stay. Orders that were cancelled are not parked.
\set ON_ERROR_STOP on
SELECT count(*) AS parked, count(DISTINCT restaurant_id) AS restaurants, action, cause,
       date_trunc('second', min(updated_at)) AS oldest, date_trunc('second', max(updated_at)) AS newest,
       (array_agg(id ORDER BY updated_at DESC, id))[1] AS example_job,
       (array_agg(event_key ORDER BY updated_at DESC, id))[1] AS example_key
FROM (
    SELECT id, restaurant_id, action, event_key, updated_at,
           left(regexp_replace(regexp_replace(coalesce(last_error, '(none)'),
               -- a word with a digit in it, unless it says which answer it was
               '(?<!HTTP |POS error )\m[[:alnum:]_-]*\d[[:alnum:]_-]*', '#', 'g'),
               -- addresses and times: #.#.#.#:#
               '#([.:/]#)+', '#', 'g'), 200) AS cause
    FROM outbox_jobs
    WHERE status = 'DLQ' AND NOT withdrawn
) AS job
GROUP BY action, cause
ORDER BY parked DESC, newest DESC, cause;
