-- The closings of business days (B). Nothing of it is written on the road of an order: a closing reads what is stored.

-- Since when the days of a restaurant are closed (B2). Restaurants of before begin with the day of this migration.
ALTER TABLE restaurants ADD COLUMN days_since TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP;

CREATE TABLE business_days (
  -- no foreign key, as in audit_entries: the closings outlive what somebody empties by hand
  restaurant_id UUID NOT NULL,
  number INTEGER NOT NULL,
  day DATE NOT NULL,
  closed_at TIMESTAMPTZ(3) NOT NULL,
  -- no foreign key: the closing outlives the user; null: the relay
  closed_by UUID,
  -- canonical JSON with every figure, as it was hashed
  content TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,

  CONSTRAINT business_days_pkey PRIMARY KEY (restaurant_id, number),
  CONSTRAINT business_days_number_positive CHECK (number >= 1),
  CONSTRAINT business_days_hash_is_sha256 CHECK (hash ~ '^[0-9a-f]{64}$' AND previous ~ '^([0-9a-f]{64})?$'),
  CONSTRAINT business_days_first_has_no_previous CHECK ((number = 1) = (previous = ''))
);
CREATE UNIQUE INDEX business_days_restaurant_id_day_key ON business_days (restaurant_id, day);

-- The sales of a closing, as they were then: a sale is in one closing at most (B3). No foreign key to the event, which retention removes.
CREATE TABLE day_sales (
  restaurant_id UUID NOT NULL,
  number INTEGER NOT NULL,
  line INTEGER NOT NULL,
  event_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  cents BIGINT NOT NULL,
  state TEXT NOT NULL,
  received_at TIMESTAMPTZ(3) NOT NULL,

  CONSTRAINT day_sales_pkey PRIMARY KEY (restaurant_id, number, line),
  CONSTRAINT day_sales_kind_known CHECK (kind IN ('SALE', 'REFUND')),
  CONSTRAINT day_sales_state_known CHECK (state IN ('waiting', 'delivered', 'parked', 'cancelled'))
);
CREATE UNIQUE INDEX day_sales_restaurant_id_event_key_key ON day_sales (restaurant_id, event_key);

-- What happened on a day to sales of an earlier day (B5).
CREATE TABLE day_lines (
  restaurant_id UUID NOT NULL,
  number INTEGER NOT NULL,
  line INTEGER NOT NULL,
  on_day DATE NOT NULL,
  for_day DATE NOT NULL,
  kind TEXT NOT NULL,
  amount_cents BIGINT NOT NULL,
  event_key TEXT NOT NULL,

  CONSTRAINT day_lines_pkey PRIMARY KEY (restaurant_id, number, line),
  CONSTRAINT day_lines_kind_known CHECK (kind IN ('LATE', 'DELIVERED', 'CANCELLED', 'NOTE'))
);
CREATE INDEX day_lines_restaurant_id_event_key_idx ON day_lines (restaurant_id, event_key);

-- The sales of closed days whose state may still change, with the state that was last told. Not a part of the record.
CREATE TABLE day_pending (
  restaurant_id UUID NOT NULL,
  event_key TEXT NOT NULL,
  state TEXT NOT NULL,

  CONSTRAINT day_pending_pkey PRIMARY KEY (restaurant_id, event_key)
);

-- Rows are added, and that is all, whoever writes (B6).
CREATE FUNCTION business_days_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a closed day is never changed or removed (% of % refused)', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'check_violation',
              HINT = 'What is found later stands on the day on which it is found.';
END $$;
CREATE TRIGGER business_days_append_only BEFORE UPDATE OR DELETE ON business_days FOR EACH ROW
    EXECUTE FUNCTION business_days_refuse_change();
CREATE TRIGGER business_days_not_emptied BEFORE TRUNCATE ON business_days FOR EACH STATEMENT
    EXECUTE FUNCTION business_days_refuse_change();
CREATE TRIGGER day_sales_append_only BEFORE UPDATE OR DELETE ON day_sales FOR EACH ROW
    EXECUTE FUNCTION business_days_refuse_change();
CREATE TRIGGER day_sales_not_emptied BEFORE TRUNCATE ON day_sales FOR EACH STATEMENT
    EXECUTE FUNCTION business_days_refuse_change();
CREATE TRIGGER day_lines_append_only BEFORE UPDATE OR DELETE ON day_lines FOR EACH ROW
    EXECUTE FUNCTION business_days_refuse_change();
CREATE TRIGGER day_lines_not_emptied BEFORE TRUNCATE ON day_lines FOR EACH STATEMENT
    EXECUTE FUNCTION business_days_refuse_change();

-- What is hashed of the sales, and of the lines, of a closing (B4): the canonical JSON of each, ended by a line feed.
CREATE FUNCTION day_sales_hash(of_restaurant uuid, of_number integer) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT encode(sha256(convert_to(coalesce(string_agg(
        '[' || to_json(event_key) || ',"' || kind || '",' || cents || ',"' || state || '","'
            || to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"]' || chr(10), '' ORDER BY line), ''), 'UTF8')), 'hex')
    FROM day_sales WHERE restaurant_id = of_restaurant AND number = of_number
$$;
CREATE FUNCTION day_lines_hash(of_restaurant uuid, of_number integer) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT encode(sha256(convert_to(coalesce(string_agg(
        '["' || to_char(on_day, 'YYYY-MM-DD') || '","' || to_char(for_day, 'YYYY-MM-DD') || '","' || kind || '",' || to_json(event_key)
            || ',' || amount_cents || ']' || chr(10), '' ORDER BY line), ''), 'UTF8')), 'hex')
    FROM day_lines WHERE restaurant_id = of_restaurant AND number = of_number
$$;

-- Recomputes a piece of the chain of a restaurant, and says where it breaks first (B7): the relay, the doctor and psql call this.
-- after_number: 0, or the last closing of the piece before; at_most: how many closings; with_sales: also recomputes the sales, which are
-- many. last_number: the last closing that was read, null when there is none.
CREATE FUNCTION day_chain_break(of_restaurant uuid, after_number integer, at_most integer, with_sales boolean,
                                OUT last_number integer, OUT broken_day date, OUT reason text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    closing business_days;
    before business_days;
    said jsonb;
    expected_day date;
    counted integer := 0;
BEGIN
    SELECT * INTO before FROM business_days WHERE restaurant_id = of_restaurant AND number = after_number;
    FOR closing IN SELECT * FROM business_days WHERE restaurant_id = of_restaurant AND number > after_number ORDER BY number LIMIT at_most
    LOOP
        counted := counted + 1;
        last_number := closing.number;
        expected_day := coalesce(before.day + 1, closing.day - (closing.number - 1));
        IF closing.number <> coalesce(before.number, 0) + 1 THEN
            broken_day := expected_day;
            reason := 'MISSING';
            RETURN;
        END IF;
        said := '{}';
        IF closing.previous = coalesce(before.hash, '')
           AND closing.hash = encode(sha256(convert_to('relay-day-1' || chr(10) || closing.previous || chr(10) || closing.content, 'UTF8')), 'hex')
        THEN
            BEGIN
                said := closing.content::jsonb;
            EXCEPTION WHEN data_exception THEN
                NULL;
            END;
        END IF;
        reason := CASE
            WHEN (said ->> 'restaurant', said ->> 'number', said ->> 'day', said ->> 'closedAt', said ->> 'closedBy', closing.day)
                 IS DISTINCT FROM (of_restaurant::text, closing.number::text, to_char(closing.day, 'YYYY-MM-DD'),
                   to_char(closing.closed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), coalesce(closing.closed_by::text, 'relay'),
                   expected_day) THEN 'CHANGED'
            WHEN said ->> 'linesHash' IS DISTINCT FROM day_lines_hash(of_restaurant, closing.number) THEN 'LINES'
            WHEN with_sales AND said ->> 'salesHash' IS DISTINCT FROM day_sales_hash(of_restaurant, closing.number) THEN 'SALES'
        END;
        IF reason IS NOT NULL THEN
            broken_day := expected_day;
            RETURN;
        END IF;
        before := closing;
    END LOOP;
    -- rows of closings that are not there
    IF counted < at_most AND (
        EXISTS (SELECT 1 FROM day_sales WHERE restaurant_id = of_restaurant AND number > coalesce(before.number, 0))
        OR EXISTS (SELECT 1 FROM day_lines WHERE restaurant_id = of_restaurant AND number > coalesce(before.number, 0)))
    THEN
        reason := 'MISSING';
        broken_day := coalesce(before.day + 1,
            (SELECT business_day(days_since, timezone, day_closes_at) FROM restaurants WHERE id = of_restaurant));
    END IF;
END $$;
