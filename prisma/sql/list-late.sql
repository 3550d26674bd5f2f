-- Jobs that somebody should have taken: due and not locked, or PROCESSING for more than two minutes; the latest at the top.
-- Changes nothing.
--   psql ... -f prisma/sql/list-late.sql
--   psql ... -v limit=1000 -f prisma/sql/list-late.sql      (100 unless told)
-- A few seconds are no reason to worry: the worker comes every OUTBOX_TICK_MS, the reaper every REAPER_INTERVAL_MS.
\set ON_ERROR_STOP on
\if :{?limit}
\else
\set limit 100
\endif
SELECT count(*) OVER () AS of_all, date_trunc('second', now() - since) AS late, job.id, job.action, job.status, job.attempts,
       job.since, job.event_key, restaurants.name AS restaurant, job.locked_by, job.last_error
FROM (
    SELECT *, next_run_at AS since FROM outbox_jobs WHERE status IN ('PENDING', 'FAILED') AND next_run_at <= now()
    UNION ALL
    SELECT *, processing_at FROM outbox_jobs WHERE status = 'PROCESSING' AND processing_at < now() - interval '2 minutes'
) AS job
JOIN restaurants ON restaurants.id = job.restaurant_id
ORDER BY since, job.id
LIMIT :'limit'::int;
