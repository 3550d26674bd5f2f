-- A refund has a state of its own in a closing (B13). The rows of before satisfy the old condition, and so the new one: they are not read again.
ALTER TABLE day_sales DROP CONSTRAINT day_sales_state_known;
ALTER TABLE day_sales ADD CONSTRAINT day_sales_state_known
    CHECK (state IN ('waiting', 'delivered', 'parked', 'cancelled', 'refund')) NOT VALID;

-- It has its final state when it is sealed.
DELETE FROM day_pending USING day_sales
WHERE day_sales.restaurant_id = day_pending.restaurant_id AND day_sales.event_key = day_pending.event_key AND day_sales.kind = 'REFUND';

-- The business day of a time (B15): that of the closing that has it, whatever time zone and closing time the restaurant has now. After the last
-- closing and before the first one it is by_clock, but no day that is closed.
-- by_clock: business_day() of the time by the restaurant's clock of now
CREATE FUNCTION closed_day_of(of_restaurant uuid, at timestamptz, by_clock date) RETURNS date LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT coalesce(
        (SELECT day FROM business_days WHERE restaurant_id = of_restaurant AND day = by_clock
           AND at >= (content::jsonb ->> 'beginsAt')::timestamptz AND at < (content::jsonb ->> 'endsAt')::timestamptz),
        (SELECT day FROM business_days WHERE restaurant_id = of_restaurant AND day BETWEEN by_clock - 2 AND by_clock + 2
           AND at >= (content::jsonb ->> 'beginsAt')::timestamptz AND at < (content::jsonb ->> 'endsAt')::timestamptz LIMIT 1),
        (SELECT greatest(by_clock, day + 1) FROM (
             SELECT day, content FROM business_days WHERE restaurant_id = of_restaurant ORDER BY number DESC LIMIT 1) AS last
         WHERE at >= (content::jsonb ->> 'endsAt')::timestamptz),
        (SELECT least(by_clock, day - 1) FROM business_days
         WHERE restaurant_id = of_restaurant AND number = 1 AND at < (content::jsonb ->> 'beginsAt')::timestamptz),
        by_clock)
$$;
