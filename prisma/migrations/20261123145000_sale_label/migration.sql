-- The label of a sale (R44): what its payload has at a path, if that is a text or a number; null for an empty path.
CREATE FUNCTION sale_label(payload JSONB, path TEXT[]) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN jsonb_typeof(payload #> path) IN ('string', 'number') THEN left(payload #>> path, 60) END
$$;
