-- Lists late jobs (due, but not claimed) and stuck jobs (PROCESSING for longer than the lease), the longest wait first.
-- Changes nothing.
--   psql ... -f prisma/sql/list-late.sql
--   psql ... -v late='2 minutes' -f prisma/sql/list-late.sql      (due for longer than this; default: 0)
--   psql ... -v lease='5 minutes' -f prisma/sql/list-late.sql     (PROCESSING_TTL_MS; default: 2 minutes)
--   psql ... -v limit=1000 -f prisma/sql/list-late.sql            (default: 100)
-- A wait of a few seconds is normal: the worker runs every OUTBOX_TICK_MS, the reaper every REAPER_INTERVAL_MS. A cancel
-- whose order is PROCESSING is not due.
\set ON_ERROR_STOP on
\if :{?limit}
\else
\set limit 100
\endif
\if :{?late}
\else
\set late '0 seconds'
\endif
\if :{?lease}
\else
\set lease '2 minutes'
\endif
SELECT count(*) OVER () AS of_all, date_trunc('second', now() - since) AS late, job.id, job.action, job.status, job.attempts,
       job.since, job.event_key, restaurants.name AS restaurant, job.locked_by, job.last_error
FROM (
    SELECT id, restaurant_id, event_key, action, status, attempts, locked_by, last_error, next_run_at AS since
    FROM late_jobs(:'late'::interval)
    UNION ALL
    SELECT id, restaurant_id, event_key, action, status, attempts, locked_by, last_error, processing_at
    FROM stuck_jobs(:'lease'::interval)
) AS job
JOIN restaurants ON restaurants.id = job.restaurant_id
ORDER BY since, job.id
LIMIT :'limit'::int;
