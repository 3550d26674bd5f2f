-- Counts the parked jobs (DLQ) by cause, the most frequent first. Changes nothing.
--   psql ... -f prisma/sql/list-parked.sql
-- Numbers and ids in an error are replaced by #, so that similar errors have the same text; HTTP status and POS error code
-- stay. The kind is the cause as a word (docs/operations.md). reset-parked-with-error.sql accepts a cause as it is printed here.
-- Orders that were cancelled, and those of deleted restaurants, do not count as parked.
\set ON_ERROR_STOP on
SELECT count(*) AS parked, count(DISTINCT restaurant_id) AS restaurants, action, kind, cause,
       date_trunc('second', min(updated_at)) AS oldest, date_trunc('second', max(updated_at)) AS newest,
       (array_agg(id ORDER BY updated_at DESC, id))[1] AS example_job,
       (array_agg(event_key ORDER BY updated_at DESC, id))[1] AS example_key
FROM (SELECT parked_jobs.*, error_cause(parked_jobs.last_error) AS cause, outbox_jobs.cause AS kind
      FROM parked_jobs JOIN outbox_jobs USING (id)) AS job
GROUP BY action, kind, cause
ORDER BY parked DESC, newest DESC, cause;
SELECT EXISTS (SELECT 1 FROM parked_jobs JOIN outbox_jobs USING (id) WHERE cause IN ('unmappable', 'refund')) AS unmappable \gset
\if :unmappable
\echo 'What cannot be mapped is parked again by a reset alone: the sale stays as the terminal sent it. Unless a setting was the'
\echo 'cause (POS_TENDER_TYPES, POS_UNKNOWN_TENDER), enter the order at the POS by hand and cancel it over the API.'
\endif
