-- The payload is named once: the server decompresses a large one each time that an expression names it. Without a path it is not read at all.
CREATE OR REPLACE FUNCTION sale_label(payload JSONB, path TEXT[]) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN path <> '{}' THEN
        left(jsonb_path_query_first(payload #> path, 'strict $ ? (@.type() == "string" || @.type() == "number")') #>> '{}', 60) END
$$;
