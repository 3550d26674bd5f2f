-- Tip and service fee of a sale (M20), in cents, of a refund below zero: null where the terminal sent none. Instances of the version before store null.
ALTER TABLE terminal_events ADD COLUMN tip_cents BIGINT;
ALTER TABLE terminal_events ADD COLUMN service_fee_cents BIGINT;

-- What stays of the options of an item in an erased sale (W40): the numbers by which its line total is computed (M18), also of options of options.
CREATE FUNCTION erased_options(item JSONB) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF jsonb_typeof(item -> 'options') IS DISTINCT FROM 'array' THEN
        RETURN '{}';
    END IF;
    RETURN jsonb_build_object('options', coalesce((
        SELECT jsonb_agg(
            CASE WHEN jsonb_typeof(option -> 'quantity') = 'number' THEN jsonb_build_object('quantity', option -> 'quantity') ELSE '{}' END
         || CASE WHEN jsonb_typeof(option -> 'price') = 'number' THEN jsonb_build_object('price', option -> 'price') ELSE '{}' END
         || CASE WHEN jsonb_typeof(option) = 'object' THEN erased_options(option) ELSE '{}' END
            ORDER BY place)
        FROM jsonb_array_elements(item -> 'options') WITH ORDINALITY AS options(option, place)), '[]'));
END $$;

CREATE OR REPLACE FUNCTION erased_payload(payload JSONB) RETURNS JSONB LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT jsonb_build_object('erased', true)
        || CASE WHEN jsonb_typeof(payload -> 'transactionNumber') IN ('string', 'number')
                THEN jsonb_build_object('transactionNumber', payload -> 'transactionNumber') ELSE '{}' END
        || CASE WHEN jsonb_typeof(payload -> 'totalAmount') = 'number'
                THEN jsonb_build_object('totalAmount', payload -> 'totalAmount') ELSE '{}' END
        || CASE WHEN jsonb_typeof(payload -> 'tipAmount') = 'number'
                THEN jsonb_build_object('tipAmount', payload -> 'tipAmount') ELSE '{}' END
        || CASE WHEN jsonb_typeof(payload -> 'serviceFeeAmount') = 'number'
                THEN jsonb_build_object('serviceFeeAmount', payload -> 'serviceFeeAmount') ELSE '{}' END
        || jsonb_build_object(
            'items', coalesce((
                SELECT jsonb_agg(
                    CASE WHEN jsonb_typeof(item -> 'quantity') = 'number' THEN jsonb_build_object('quantity', item -> 'quantity') ELSE '{}' END
                 || CASE WHEN jsonb_typeof(item -> 'price') = 'number' THEN jsonb_build_object('price', item -> 'price') ELSE '{}' END
                 || CASE WHEN item ? 'options' THEN erased_options(item) ELSE '{}' END
                    ORDER BY place)
                FROM jsonb_array_elements(CASE jsonb_typeof(payload -> 'items') WHEN 'array' THEN payload -> 'items' ELSE '[]' END)
                     WITH ORDINALITY AS items(item, place)), '[]'),
            'payments', coalesce((
                SELECT jsonb_agg(
                    CASE WHEN jsonb_typeof(payment -> 'tenderType') IN ('string', 'number')
                         THEN jsonb_build_object('tenderType', payment -> 'tenderType') ELSE '{}' END
                 || CASE WHEN jsonb_typeof(payment -> 'amount') = 'number' THEN jsonb_build_object('amount', payment -> 'amount') ELSE '{}' END
                    ORDER BY place)
                FROM jsonb_array_elements(CASE jsonb_typeof(payload -> 'payments') WHEN 'array' THEN payload -> 'payments' ELSE '[]' END)
                     WITH ORDINALITY AS payments(payment, place)), '[]'))
$$;
