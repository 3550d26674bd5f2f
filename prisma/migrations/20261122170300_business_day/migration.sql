-- The business day of a time (R15), said once: reports, lists and a restaurant's state read it. What the clock shows may run back over
-- the closing time: the time then belongs to the day before, which has not ended. One SELECT of an expression, which the planner inlines.
CREATE FUNCTION business_day(at timestamptz, timezone text, day_closes_at text) RETURNS date LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT ((at AT TIME ZONE timezone) - day_closes_at::time)::date
        - CASE WHEN at < (((at AT TIME ZONE timezone) - day_closes_at::time)::date + day_closes_at::time) AT TIME ZONE timezone
               THEN 1 ELSE 0 END
$$;
