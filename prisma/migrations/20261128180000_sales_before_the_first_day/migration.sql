-- When the clock was ahead as a restaurant was made, or was put back on its first day, its sales have times of before the first day. They are in a closing too
-- (B3), so retention keeps them until then. Only the sales of before the migration that brought closings are in none: its restaurants are older than days_since.
CREATE OR REPLACE FUNCTION needed_for_closing(restaurant UUID, key TEXT, received TIMESTAMPTZ, is_test BOOLEAN) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM day_pending WHERE day_pending.restaurant_id = restaurant AND day_pending.event_key = key)
    OR (NOT is_test
      AND EXISTS (SELECT FROM restaurants WHERE id = restaurant AND deleted_at IS NULL
        AND (days_since <= created_at + interval '1 minute' OR received >= days_since - interval '1 day'))
      AND NOT EXISTS (SELECT FROM day_sales WHERE day_sales.restaurant_id = restaurant AND day_sales.event_key = key))
$$;
