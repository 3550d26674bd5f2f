-- The statements of version 1.0.0; written by `npm run db:released`, never changed.

-- enqueue
WITH sale AS (
    SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS (
      "transactionKey" text, "sourceKey" text, "restaurantId" uuid, "testMode" boolean, "storeCode" text,
      "transactionNumber" text, "transactionDate" timestamptz, "amountMismatchCents" bigint, "paidCents" bigint,
      "paidByTender" jsonb, warnings text[],
      "codeStoreTerminal" text, "codeStorePos" text, "ownerId" uuid, "ownerState" text), unnest($2::jsonb[])) AS sale(
        "transactionKey", "sourceKey", "restaurantId", "testMode", "storeCode", "transactionNumber", "transactionDate",
        "amountMismatchCents", "paidCents", "paidByTender", warnings, "codeStoreTerminal", "codeStorePos", "ownerId", "ownerState", payload)
  ), restaurant AS (
    SELECT id, code_store_terminal, code_store_pos FROM restaurants
    WHERE id IN (SELECT "restaurantId" FROM sale) AND deleted_at IS NULL
    ORDER BY id FOR KEY SHARE SKIP LOCKED
  ), owner AS (
    SELECT id, state FROM owners WHERE id IN (SELECT "ownerId" FROM sale)
  ), placed AS (
    SELECT sale.* FROM sale
    JOIN restaurant ON restaurant.id = sale."restaurantId"
    LEFT JOIN owner ON owner.id = sale."ownerId"
    WHERE CASE WHEN sale."ownerId" IS NULL
      THEN restaurant.code_store_terminal IS NOT DISTINCT FROM sale."codeStoreTerminal"
        AND restaurant.code_store_pos IS NOT DISTINCT FROM sale."codeStorePos"
        AND EXISTS (SELECT 1 FROM user_restaurants link WHERE link.restaurant_id = restaurant.id AND link.role = 'OWNER')
      ELSE owner.state = sale."ownerState" END
  ), event AS (
    INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, store_code, transaction_number,
      transaction_date, amount_mismatch_cents, paid_cents, paid_by_tender, payload, warnings, received_at)
    SELECT "transactionKey", "sourceKey", "testMode", "restaurantId", "storeCode", "transactionNumber",
      "transactionDate", "amountMismatchCents", "paidCents", "paidByTender", payload, warnings, now()
    FROM placed
    WHERE NOT EXISTS (SELECT 1 FROM spent_keys
        WHERE transaction_key = "transactionKey" AND restaurant_id = "restaurantId")
      AND NOT EXISTS (SELECT 1 FROM spent_keys
        WHERE test_mode AND "testMode" AND restaurant_id = "restaurantId" AND source_key = "sourceKey")
    ORDER BY "restaurantId", "transactionKey"
    ON CONFLICT DO NOTHING
    RETURNING transaction_key, restaurant_id
  ), job AS (
    INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
    SELECT gen_random_uuid(), transaction_key, restaurant_id, 'CREATE', 'PENDING', now(), now(), now() FROM event
    RETURNING id, event_key, restaurant_id
  )
  SELECT id::text AS "jobId", restaurant_id || '/' || event_key AS key, NULL::int AS placed FROM job
  UNION ALL
  SELECT NULL, NULL, count(*)::int FROM placed;

-- lock_by_turns
WITH RECURSIVE waiting AS (
    (SELECT restaurant_id, next_run_at FROM outbox_jobs WHERE status IN ('PENDING', 'FAILED')
     ORDER BY restaurant_id, next_run_at LIMIT 1)
    UNION ALL
    SELECT next.restaurant_id, next.next_run_at
    FROM waiting
    CROSS JOIN LATERAL (SELECT job.restaurant_id, job.next_run_at FROM outbox_jobs job
                        WHERE job.status IN ('PENDING', 'FAILED') AND job.restaurant_id > waiting.restaurant_id
                        ORDER BY job.restaurant_id, job.next_run_at LIMIT 1) AS next
  ), candidate AS (
    SELECT waiting.*, coalesce(in_hand.jobs, 0) AS held, coalesce(in_hand.room, $2::int) AS room
    FROM waiting
    LEFT JOIN unnest($3::uuid[], $4::int[], $5::int[]) AS in_hand(restaurant_id, jobs, room)
           ON in_hand.restaurant_id = waiting.restaurant_id
    WHERE waiting.next_run_at <= now() AND coalesce(in_hand.room, $2::int) > 0
    -- some may have nothing due but cancels that wait for their orders
    ORDER BY held, waiting.next_run_at LIMIT 16 + 4 * cardinality($1::text[])
  ), head AS (
    SELECT candidate.*
    FROM candidate
    CROSS JOIN LATERAL (SELECT FROM due_jobs WHERE due_jobs.restaurant_id = candidate.restaurant_id
                        ORDER BY due_jobs.next_run_at LIMIT 1) AS due
    ORDER BY held, candidate.next_run_at LIMIT cardinality($1::text[])
  ), turn AS (
    SELECT head.restaurant_id, due.next_run_at,
           held + row_number() OVER (PARTITION BY head.restaurant_id ORDER BY due.next_run_at) AS number
    FROM head
    CROSS JOIN LATERAL (SELECT next_run_at FROM due_jobs WHERE due_jobs.restaurant_id = head.restaurant_id
                        ORDER BY next_run_at LIMIT least(cardinality($1::text[]), head.room)) AS due
  ), quota AS (
    SELECT restaurant_id, count(*) AS jobs
    FROM (SELECT restaurant_id FROM turn ORDER BY number, next_run_at LIMIT cardinality($1::text[])) AS taken
    GROUP BY restaurant_id
  ), picked AS (
    SELECT id, place FROM unnest(ARRAY(
      SELECT due.id FROM quota
      CROSS JOIN LATERAL (SELECT id FROM due_jobs WHERE due_jobs.restaurant_id = quota.restaurant_id
                          ORDER BY next_run_at LIMIT quota.jobs FOR UPDATE SKIP LOCKED) AS due
    )) WITH ORDINALITY AS picked(id, place)
  ), locked AS (
    UPDATE outbox_jobs job
    SET status = 'PROCESSING', attempts = attempts + 1, processing_at = now(), updated_at = now(),
        locked_by = ($1::text[])[picked.place]
    FROM picked
    WHERE job.id = picked.id AND job.status IN ('PENDING', 'FAILED')
    RETURNING job.id, event_key, action, restaurant_id, attempts, locked_by, processing_at, next_run_at
  )
  SELECT locked.id::text, locked.event_key AS "eventKey", locked.action::text AS action,
         locked.restaurant_id::text AS "restaurantId", locked.attempts AS attempt, locked.locked_by AS "lockedBy",
         locked.processing_at::text AS "lockedAt", event.test_mode AS "testMode",
         (extract(epoch FROM event.received_at) * 1000)::float8 AS "receivedMs", event.payload,
         restaurant.code_store_pos AS "codeStorePos", restaurant.pos_id_partner AS "posIdPartner",
         restaurant.pos_secret AS "posSecret"
  FROM locked
  JOIN terminal_events event ON event.transaction_key = locked.event_key AND event.restaurant_id = locked.restaurant_id
  JOIN restaurants restaurant ON restaurant.id = locked.restaurant_id
  ORDER BY locked.next_run_at;

-- settle
WITH ended AS (
    SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::int[], $11::text[])
      AS ended(job_id, locked_by, started_at, duration_ms, http_status, error_code, status, reach, error, retry_in_ms, sent_body)
  ), settled AS (
    UPDATE outbox_jobs job
    SET status = ended.status::job_status, next_run_at = now() + ended.retry_in_ms * interval '1 millisecond',
        last_error = ended.error, processing_at = NULL, locked_by = NULL, updated_at = now()
    FROM ended
    -- only a job in PROCESSING has a lock (CHECK); said here too, it would be looked for among all that are locked
    WHERE job.id = ended.job_id AND job.locked_by = ended.locked_by
    RETURNING job.attempts, ended.*
  )
  INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, http_status, error_code, outcome, reach, error,
    sent_body)
  SELECT right(locked_by, 36)::uuid, job_id, attempts, started_at::timestamptz, duration_ms, http_status, error_code,
         status::attempt_outcome, reach::attempt_reach, error,
         -- once while it stays the same (O19); a first attempt has none before it to look for
         CASE WHEN attempts = 1 OR sent_body IS DISTINCT FROM (
           SELECT sent_body::text FROM delivery_attempts before
           WHERE before.job_id = settled.job_id AND before.sent_body IS NOT NULL ORDER BY before.started_at DESC LIMIT 1
         ) THEN sent_body::json END
  FROM settled
  RETURNING id::text;

-- statement
DELETE FROM outbox_jobs WHERE (event_key, restaurant_id) IN (SELECT * FROM unnest(
        $1::text[], $2::uuid[])) AND status = 'SENT';

-- statement
DELETE FROM terminal_events WHERE (transaction_key, restaurant_id) IN (SELECT * FROM unnest(
        $1::text[], $2::uuid[]));

-- statement
INSERT INTO "public"."restaurants" ("id","name","slug","code_store_terminal","code_store_pos","pos_id_partner","pos_secret","timezone","day_closes_at","created_at","updated_at") VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11) RETURNING "public"."restaurants"."id";

-- statement
INSERT INTO "public"."restaurants" ("id","name","slug","code_store_terminal","code_store_pos","pos_secret","timezone","day_closes_at","created_at","updated_at") VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10) RETURNING "public"."restaurants"."id";

-- statement
INSERT INTO "public"."user_restaurants" ("id","user_id","restaurant_id","role","origin","created_at","updated_at") VALUES ($1,$2,$3,CAST($4::text AS "public"."restaurant_role"),CAST($5::text AS "public"."link_origin"),$6,$7) RETURNING "public"."user_restaurants"."id";

-- statement
INSERT INTO "public"."users" ("id","email","password_hash","role","token_version","created_at","updated_at") VALUES ($1,$2,$3,CAST($4::text AS "public"."platform_role"),$5,$6,$7) ON CONFLICT DO NOTHING;

-- statement
INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1);

-- statement
INSERT INTO pos_tokens AS stored (id, renewing_by, renewing_until)
      VALUES ($1, $2, now() + $3::int * interval '1 millisecond')
      ON CONFLICT (id) DO UPDATE SET renewing_by = excluded.renewing_by, renewing_until = excluded.renewing_until
      WHERE stored.generation = $4::int
        AND (stored.renewing_until IS NULL OR stored.renewing_until < now()
             OR stored.renewing_by = $5);

-- statement
INSERT INTO spent_keys (transaction_key, source_key, test_mode, restaurant_id, job_id)
      SELECT event.transaction_key, event.source_key, event.test_mode, event.restaurant_id, job.id
      FROM (
        SELECT id, event_key, restaurant_id FROM outbox_jobs old
        WHERE action = 'CREATE' AND status = 'SENT'
          AND created_at < now() - $1::int * interval '1 day' AND updated_at < now() - $2::int * interval '1 day'
          AND NOT EXISTS (
            SELECT 1 FROM spent_keys WHERE transaction_key = old.event_key AND restaurant_id = old.restaurant_id)
          AND NOT EXISTS (
            SELECT 1 FROM outbox_jobs cancel
            WHERE cancel.event_key = old.event_key AND cancel.restaurant_id = old.restaurant_id AND cancel.action = 'CANCEL'
              AND (cancel.status <> 'SENT' OR cancel.updated_at >= now() - $3::int * interval '1 day'))
        ORDER BY created_at LIMIT $4
      ) AS job
      JOIN terminal_events event ON event.transaction_key = job.event_key AND event.restaurant_id = job.restaurant_id
      ON CONFLICT DO NOTHING;

-- statement
SELECT "public"."outbox_jobs"."id", "public"."outbox_jobs"."action"::text, "public"."outbox_jobs"."status"::text, "public"."outbox_jobs"."event_key", "public"."outbox_jobs"."restaurant_id" FROM "public"."outbox_jobs" WHERE ("public"."outbox_jobs"."action" = CAST($1::text AS "public"."job_action") AND "public"."outbox_jobs"."event_key" IN ($2,$3) AND "public"."outbox_jobs"."restaurant_id" IN ($4,$5)) OFFSET $6;

-- statement
SELECT "public"."outbox_jobs"."id", "public"."outbox_jobs"."action"::text, "public"."outbox_jobs"."status"::text, "public"."outbox_jobs"."event_key", "public"."outbox_jobs"."restaurant_id" FROM "public"."outbox_jobs" WHERE ("public"."outbox_jobs"."action" = CAST($1::text AS "public"."job_action") AND "public"."outbox_jobs"."event_key" IN ($2,$3,$4,$5,$6,$7,$8,$9,$10,$11) AND "public"."outbox_jobs"."restaurant_id" IN ($12,$13,$14,$15,$16,$17,$18,$19,$20,$21)) OFFSET $22;

-- statement
SELECT "public"."outbox_jobs"."id", "public"."outbox_jobs"."event_key", "public"."outbox_jobs"."restaurant_id", "public"."outbox_jobs"."action"::text, "public"."outbox_jobs"."status"::text, "public"."outbox_jobs"."attempts", "public"."outbox_jobs"."next_run_at", "public"."outbox_jobs"."processing_at", "public"."outbox_jobs"."locked_by", "public"."outbox_jobs"."last_error", "public"."outbox_jobs"."withdrawn", "public"."outbox_jobs"."created_at", "public"."outbox_jobs"."updated_at" FROM "public"."outbox_jobs" WHERE ("public"."outbox_jobs"."restaurant_id" = $1 AND "public"."outbox_jobs"."action" = CAST($2::text AS "public"."job_action")) ORDER BY "public"."outbox_jobs"."created_at" DESC, "public"."outbox_jobs"."id" DESC LIMIT $3 OFFSET $4;

-- statement
SELECT "public"."outbox_jobs"."id", "public"."outbox_jobs"."event_key", "public"."outbox_jobs"."restaurant_id", "public"."outbox_jobs"."action"::text, "public"."outbox_jobs"."status"::text, "public"."outbox_jobs"."attempts", "public"."outbox_jobs"."next_run_at", "public"."outbox_jobs"."processing_at", "public"."outbox_jobs"."locked_by", "public"."outbox_jobs"."last_error", "public"."outbox_jobs"."withdrawn", "public"."outbox_jobs"."created_at", "public"."outbox_jobs"."updated_at" FROM "public"."outbox_jobs" WHERE 1=1 ORDER BY "public"."outbox_jobs"."created_at" DESC, "public"."outbox_jobs"."id" DESC LIMIT $1 OFFSET $2;

-- statement
SELECT "public"."restaurants"."id" FROM "public"."restaurants" WHERE ("public"."restaurants"."id" = $1 AND "public"."restaurants"."deleted_at" IS NULL) LIMIT $2 OFFSET $3;

-- statement
SELECT "public"."restaurants"."id", "public"."restaurants"."code_store_terminal", "public"."restaurants"."code_store_pos" FROM "public"."restaurants" WHERE ("public"."restaurants"."code_store_terminal" = $1 AND "public"."restaurants"."deleted_at" IS NULL) OFFSET $2;

-- statement
SELECT "public"."restaurants"."id", "public"."restaurants"."name", "public"."restaurants"."slug", "public"."restaurants"."address", "public"."restaurants"."code_store_terminal", "public"."restaurants"."code_store_pos", "public"."restaurants"."pos_id_partner", "public"."restaurants"."pos_secret", "public"."restaurants"."timezone", "public"."restaurants"."day_closes_at", "public"."restaurants"."created_at", "public"."restaurants"."updated_at", "public"."restaurants"."deleted_at" FROM "public"."restaurants" WHERE "public"."restaurants"."id" = $1 LIMIT $2 OFFSET $3;

-- statement
SELECT "public"."restaurants"."id", "public"."restaurants"."name", "public"."restaurants"."slug", "public"."restaurants"."address", "public"."restaurants"."code_store_terminal", "public"."restaurants"."code_store_pos", "public"."restaurants"."pos_id_partner", "public"."restaurants"."pos_secret", "public"."restaurants"."timezone", "public"."restaurants"."day_closes_at", "public"."restaurants"."created_at", "public"."restaurants"."updated_at", "public"."restaurants"."deleted_at" FROM "public"."restaurants" WHERE "public"."restaurants"."id" IN ($1,$2) OFFSET $3;

-- statement
SELECT "public"."restaurants"."id", "public"."restaurants"."name", "public"."restaurants"."slug", "public"."restaurants"."address", "public"."restaurants"."code_store_terminal", "public"."restaurants"."code_store_pos", "public"."restaurants"."pos_id_partner", "public"."restaurants"."pos_secret", "public"."restaurants"."timezone", "public"."restaurants"."day_closes_at", "public"."restaurants"."created_at", "public"."restaurants"."updated_at", "public"."restaurants"."deleted_at" FROM "public"."restaurants" WHERE ("public"."restaurants"."id" = $1 AND "public"."restaurants"."deleted_at" IS NULL) LIMIT $2 OFFSET $3;

-- statement
SELECT "public"."restaurants"."id", "public"."restaurants"."pos_secret" FROM "public"."restaurants" WHERE "public"."restaurants"."pos_secret" IS NOT NULL OFFSET $1;

-- statement
SELECT "public"."terminal_events"."transaction_key", "public"."terminal_events"."restaurant_id", "public"."terminal_events"."transaction_number", "public"."terminal_events"."test_mode", "public"."terminal_events"."received_at", "public"."terminal_events"."paid_cents", "public"."terminal_events"."warnings" FROM "public"."terminal_events" WHERE ("public"."terminal_events"."transaction_key" IN ($1,$2) AND "public"."terminal_events"."restaurant_id" IN ($3,$4)) OFFSET $5;

-- statement
SELECT "public"."terminal_events"."transaction_key", "public"."terminal_events"."restaurant_id", "public"."terminal_events"."transaction_number", "public"."terminal_events"."test_mode", "public"."terminal_events"."received_at", "public"."terminal_events"."paid_cents", "public"."terminal_events"."warnings" FROM "public"."terminal_events" WHERE ("public"."terminal_events"."transaction_key" IN ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10) AND "public"."terminal_events"."restaurant_id" IN ($11,$12,$13,$14,$15,$16,$17,$18,$19,$20)) OFFSET $21;

-- statement
SELECT "public"."user_restaurants"."id", "public"."user_restaurants"."restaurant_id" FROM "public"."user_restaurants" WHERE ("public"."user_restaurants"."role" = CAST($1::text AS "public"."restaurant_role") AND "public"."user_restaurants"."restaurant_id" IN ($2)) ORDER BY "public"."user_restaurants"."id" ASC OFFSET $3;

-- statement
SELECT "public"."user_restaurants"."id", "public"."user_restaurants"."role"::text, "public"."user_restaurants"."restaurant_id" FROM "public"."user_restaurants" WHERE ("public"."user_restaurants"."user_id" = $1 AND "public"."user_restaurants"."restaurant_id" IN ($2)) OFFSET $3;

-- statement
SELECT "public"."user_restaurants"."id", "public"."user_restaurants"."user_id", "public"."user_restaurants"."restaurant_id", "public"."user_restaurants"."role"::text, "public"."user_restaurants"."origin"::text, "public"."user_restaurants"."created_at", "public"."user_restaurants"."updated_at" FROM "public"."user_restaurants" LEFT JOIN "public"."restaurants" AS "orderby_1" ON ("orderby_1"."id") = ("public"."user_restaurants"."restaurant_id") LEFT JOIN "public"."restaurants" AS "j0" ON ("j0"."id") = ("public"."user_restaurants"."restaurant_id") WHERE ("public"."user_restaurants"."user_id" = $1 AND ("j0"."deleted_at" IS NULL AND ("j0"."id" IS NOT NULL))) ORDER BY "orderby_1"."name" ASC, "public"."user_restaurants"."id" ASC LIMIT $2 OFFSET $3;

-- statement
SELECT "public"."user_restaurants"."id", "public"."user_restaurants"."user_id", "public"."user_restaurants"."restaurant_id", "public"."user_restaurants"."role"::text, "public"."user_restaurants"."origin"::text, "public"."user_restaurants"."created_at", "public"."user_restaurants"."updated_at" FROM "public"."user_restaurants" LEFT JOIN "public"."restaurants" AS "orderby_1" ON ("orderby_1"."id") = ("public"."user_restaurants"."restaurant_id") LEFT JOIN "public"."restaurants" AS "j0" ON ("j0"."id") = ("public"."user_restaurants"."restaurant_id") WHERE ("public"."user_restaurants"."user_id" = $1 AND ("j0"."deleted_at" IS NULL AND ("j0"."id" IS NOT NULL))) ORDER BY "orderby_1"."name" ASC, "public"."user_restaurants"."id" ASC OFFSET $2;

-- statement
SELECT "public"."user_restaurants"."id", "public"."user_restaurants"."user_id", "public"."user_restaurants"."restaurant_id", "public"."user_restaurants"."role"::text, "public"."user_restaurants"."origin"::text, "public"."user_restaurants"."created_at", "public"."user_restaurants"."updated_at" FROM "public"."user_restaurants" WHERE "public"."user_restaurants"."restaurant_id" = $1 ORDER BY "public"."user_restaurants"."role" ASC, "public"."user_restaurants"."created_at" ASC, "public"."user_restaurants"."id" ASC OFFSET $2;

-- statement
SELECT "public"."users"."id", "public"."users"."email", "public"."users"."name" FROM "public"."users" WHERE "public"."users"."id" IN ($1) OFFSET $2;

-- statement
SELECT "public"."users"."id", "public"."users"."email", "public"."users"."name", "public"."users"."password_hash", "public"."users"."role"::text, "public"."users"."token_version", "public"."users"."created_at", "public"."users"."updated_at" FROM "public"."users" WHERE ("public"."users"."email" = $1 AND 1=1) LIMIT $2 OFFSET $3;

-- statement
SELECT "public"."users"."id", "public"."users"."email", "public"."users"."name", "public"."users"."password_hash", "public"."users"."role"::text, "public"."users"."token_version", "public"."users"."created_at", "public"."users"."updated_at" FROM "public"."users" WHERE ("public"."users"."id" = $1 AND 1=1) LIMIT $2 OFFSET $3;

-- statement
SELECT (SELECT count(*)::int FROM outbox_jobs WHERE status = 'PENDING') AS "PENDING",
             (SELECT count(*)::int FROM outbox_jobs WHERE status = 'PROCESSING') AS "PROCESSING",
             (SELECT count(*)::int FROM outbox_jobs WHERE status = 'FAILED') AS "FAILED",
             (SELECT count(*)::int FROM parked_jobs) AS "DLQ";

-- statement
SELECT COUNT(*) AS "_count$_all" FROM (SELECT "public"."outbox_jobs"."id" FROM "public"."outbox_jobs" WHERE "public"."outbox_jobs"."status" = CAST($1::text AS "public"."job_status") OFFSET $2) AS "sub";

-- statement
SELECT COUNT(*) AS "_count$_all" FROM (SELECT "public"."terminal_events"."transaction_key", "public"."terminal_events"."restaurant_id" FROM "public"."terminal_events" WHERE "public"."terminal_events"."amount_mismatch_cents" IS NOT NULL OFFSET $1) AS "sub";

-- statement
SELECT COUNT(*) AS "_count$_all" FROM (SELECT "public"."user_restaurants"."id" FROM "public"."user_restaurants" LEFT JOIN "public"."restaurants" AS "j0" ON ("j0"."id") = ("public"."user_restaurants"."restaurant_id") WHERE ("public"."user_restaurants"."user_id" = $1 AND ("j0"."deleted_at" IS NULL AND ("j0"."id" IS NOT NULL))) OFFSET $2) AS "sub";

-- statement
SELECT COUNT(*) AS "_count$_all", "public"."outbox_jobs"."status"::text FROM "public"."outbox_jobs" WHERE ("public"."outbox_jobs"."restaurant_id" = $1 AND "public"."outbox_jobs"."action" = CAST($2::text AS "public"."job_action") AND "public"."outbox_jobs"."withdrawn" = $3 AND "public"."outbox_jobs"."created_at" >= $4 AND "public"."outbox_jobs"."created_at" < $5) GROUP BY "public"."outbox_jobs"."status" OFFSET $6;

-- statement
SELECT COUNT(*) AS "_count$_all", "public"."user_restaurants"."role"::text FROM "public"."user_restaurants" WHERE "public"."user_restaurants"."restaurant_id" = $1 GROUP BY "public"."user_restaurants"."role" OFFSET $2;

-- statement
SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off' AS writable;

-- statement
SELECT coalesce(extract(epoch FROM now() - min(next_run_at)), 0)::float8 AS seconds FROM due_jobs;

-- statement
SELECT coalesce(http_status::text, error_code, 'none') AS answer, outcome::text AS outcome, count(*)::int AS attempts
      FROM delivery_attempts WHERE started_at > now() - $1::int * interval '1 second'
      GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 50;

-- statement
SELECT count(*)::int AS cancelled
        FROM outbox_jobs cancel JOIN outbox_jobs job
          ON job.event_key = cancel.event_key AND job.restaurant_id = cancel.restaurant_id AND job.action = 'CREATE'
        WHERE cancel.restaurant_id = $1::uuid AND cancel.action = 'CANCEL'
          AND cancel.created_at >= $2::timestamptz
          AND job.created_at >= $3::timestamptz AND job.created_at < $4::timestamptz;

-- statement
SELECT current_setting('statement_timeout') AS timeout;

-- statement
SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL;

-- statement
SELECT pg_try_advisory_xact_lock($1) AS locked;

-- statement
SELECT restaurant.id::text AS "restaurantId", restaurant.name, count(*)::int AS attempts,
             (array_agg(attempt.error ORDER BY attempt.started_at DESC))[1] AS "lastError"
      FROM delivery_attempts attempt
      JOIN outbox_jobs job ON job.id = attempt.job_id
      JOIN restaurants restaurant ON restaurant.id = job.restaurant_id
      WHERE attempt.started_at > now() - $1::int * interval '1 millisecond'
        AND restaurant.deleted_at IS NULL
      GROUP BY restaurant.id
      HAVING count(*) >= $2 AND bool_and(attempt.outcome <> 'SENT')
      ORDER BY attempts DESC;

-- statement
SELECT restaurant_id::text AS "restaurantId", restaurants.name, parked
      FROM (SELECT restaurant_id, count(*)::int AS parked FROM parked_jobs GROUP BY 1 ORDER BY 2 DESC LIMIT $1) AS top
      JOIN restaurants ON restaurants.id = restaurant_id
      ORDER BY parked DESC, name;

-- statement
SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE status = 'SENT'))::float8 AS "medianMs",
             round(percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) FILTER (WHERE status = 'SENT'))::float8 AS "p95Ms",
             min(created_at) FILTER (WHERE status IN ('PENDING', 'PROCESSING', 'FAILED')) AS "oldestUndelivered"
      FROM (SELECT status, created_at, extract(epoch FROM updated_at - created_at)::float8 * 1000 AS ms FROM outbox_jobs
            WHERE restaurant_id = $1::uuid AND action = 'CREATE'
              AND created_at >= $2::timestamptz AND created_at < $3::timestamptz) AS job;

-- statement
SELECT status::text, EXISTS (
    SELECT 1 FROM delivery_attempts
    WHERE job_id = outbox_jobs.id AND (reach = 'UNKNOWN' OR (reach = 'ANSWERED' AND http_status >= 500))) AS "mayHaveArrived"
    FROM outbox_jobs WHERE event_key = $1 AND restaurant_id = $2::uuid AND action = 'CREATE';

-- statement
SELECT tender.key AS "tenderType", 
    sum(tender.value::bigint)::float8 AS cents,
    coalesce(sum(tender.value::bigint) FILTER (WHERE fate = 'delivered'), 0)::float8 AS "deliveredCents", coalesce(sum(tender.value::bigint) FILTER (WHERE fate = 'waiting'), 0)::float8 AS "waitingCents",
    coalesce(sum(tender.value::bigint) FILTER (WHERE fate = 'parked'), 0)::float8 AS "parkedCents", coalesce(sum(tender.value::bigint) FILTER (WHERE fate = 'cancelled'), 0)::float8 AS "cancelledCents"
    FROM (
    SELECT received_at, paid_cents, paid_by_tender, amount_mismatch_cents,
           CASE WHEN state = 'withdrawn' OR cancellation <> 'DLQ' THEN 'cancelled'
                WHEN state = 'SENT' THEN 'delivered'
                WHEN state = 'DLQ' THEN 'parked'
                ELSE 'waiting' END AS fate
    FROM (
      SELECT event.*, cancel.status AS cancellation, coalesce(job.state, (
        SELECT CASE WHEN withdrawn THEN 'withdrawn' ELSE status::text END AS state FROM outbox_jobs WHERE restaurant_id = event.restaurant_id
          AND event_key = event.transaction_key AND action = 'CREATE')) AS state
      FROM terminal_events event
      LEFT JOIN (
        SELECT event_key, CASE WHEN withdrawn THEN 'withdrawn' ELSE status::text END AS state FROM outbox_jobs WHERE restaurant_id = $1::uuid AND action = 'CREATE'
          AND created_at >= $2::timestamptz AND created_at < $3::timestamptz
      ) AS job ON job.event_key = event.transaction_key
      LEFT JOIN outbox_jobs cancel ON cancel.restaurant_id = $4::uuid AND cancel.action = 'CANCEL'
        AND cancel.event_key = event.transaction_key
      WHERE event.restaurant_id = $5::uuid AND NOT event.test_mode
        AND event.received_at >= $6::timestamptz AND event.received_at < $7::timestamptz
    ) AS sale) AS sale, jsonb_each_text(paid_by_tender) AS tender
    GROUP BY 1 ORDER BY 2 DESC, 1;

-- statement
SELECT timezone, "dayClosesAt", "to",
           coalesce($1::timestamptz, ($2::date + closes) AT TIME ZONE timezone,
             ($3::date - 29 + closes) AT TIME ZONE timezone, "to" - interval '720 hours') AS "from"
    FROM (
      SELECT timezone, day_closes_at AS "dayClosesAt", day_closes_at::time AS closes,
             least(timestamptz '9999-12-31 23:59:59.999Z', coalesce($4::timestamptz,
               ($5::date + 1 + day_closes_at::time) AT TIME ZONE timezone,
               date_trunc('milliseconds', now()) + interval '1 millisecond')) AS "to"
      FROM restaurants WHERE id = $6::uuid
    ) AS restaurant;

-- statement
SELECT to_char(CASE WHEN received_at < (shown.day + $1::time) AT TIME ZONE $2 THEN shown.day - 1
                        ELSE shown.day END, 'YYYY-MM-DD') AS day,
           count(*)::int AS orders, count(amount_mismatch_cents)::int AS mismatches, 
    sum(paid_cents)::float8 AS cents,
    coalesce(sum(paid_cents) FILTER (WHERE fate = 'delivered'), 0)::float8 AS "deliveredCents", coalesce(sum(paid_cents) FILTER (WHERE fate = 'waiting'), 0)::float8 AS "waitingCents",
    coalesce(sum(paid_cents) FILTER (WHERE fate = 'parked'), 0)::float8 AS "parkedCents", coalesce(sum(paid_cents) FILTER (WHERE fate = 'cancelled'), 0)::float8 AS "cancelledCents"
    FROM (
    SELECT received_at, paid_cents, paid_by_tender, amount_mismatch_cents,
           CASE WHEN state = 'withdrawn' OR cancellation <> 'DLQ' THEN 'cancelled'
                WHEN state = 'SENT' THEN 'delivered'
                WHEN state = 'DLQ' THEN 'parked'
                ELSE 'waiting' END AS fate
    FROM (
      SELECT event.*, cancel.status AS cancellation, coalesce(job.state, (
        SELECT CASE WHEN withdrawn THEN 'withdrawn' ELSE status::text END AS state FROM outbox_jobs WHERE restaurant_id = event.restaurant_id
          AND event_key = event.transaction_key AND action = 'CREATE')) AS state
      FROM terminal_events event
      LEFT JOIN (
        SELECT event_key, CASE WHEN withdrawn THEN 'withdrawn' ELSE status::text END AS state FROM outbox_jobs WHERE restaurant_id = $3::uuid AND action = 'CREATE'
          AND created_at >= $4::timestamptz AND created_at < $5::timestamptz
      ) AS job ON job.event_key = event.transaction_key
      LEFT JOIN outbox_jobs cancel ON cancel.restaurant_id = $6::uuid AND cancel.action = 'CANCEL'
        AND cancel.event_key = event.transaction_key
      WHERE event.restaurant_id = $7::uuid AND NOT event.test_mode
        AND event.received_at >= $8::timestamptz AND event.received_at < $9::timestamptz
    ) AS sale) AS sale,
         LATERAL (SELECT ((received_at AT TIME ZONE $10) - $11::time)::date AS day) AS shown
    GROUP BY 1 ORDER BY 1;

-- statement
SELECT token, generation, failure, (extract(epoch FROM expires_at - now()) * 1000)::float8 AS "usableMs"
      FROM pos_tokens WHERE id = $1;

-- statement
SELECT transaction_key AS key, restaurant_id::text AS "restaurantId" FROM spent_keys spent
        WHERE NOT event_removed AND spent_at < now() - $1::interval
          -- counted: as NOT EXISTS the planner reads the whole of outbox_jobs for the few that are not SENT
          AND (SELECT count(*) FROM outbox_jobs
               WHERE event_key = transaction_key AND outbox_jobs.restaurant_id = spent.restaurant_id AND status <> 'SENT') = 0
        ORDER BY spent_at LIMIT $2;

-- statement
UPDATE outbox_jobs SET status = 'DLQ', withdrawn = true, next_run_at = NULL, updated_at = now(),
  last_error = 'withdrawn: order cancelled before it was sent' WHERE event_key = $1 AND restaurant_id = $2::uuid AND action = 'CREATE' AND status IN ('PENDING', 'FAILED', 'DLQ') AND NOT withdrawn;

-- statement
UPDATE pos_tokens
      SET token = $1, expires_at = now() + $2::float8 * interval '1 millisecond', failure = $3::jsonb,
          generation = generation + 1, renewing_by = NULL, renewing_until = NULL, updated_at = now()
      WHERE id = $4 AND renewing_by = $5;

-- statement
UPDATE spent_keys SET event_removed = true WHERE (transaction_key, restaurant_id) IN (SELECT * FROM unnest(
        $1::text[], $2::uuid[]));

-- statement
WITH attempt AS (
        SELECT outcome, extract(epoch FROM started_at - created_at)::float8 * 1000 + duration_ms AS ms
        FROM delivery_attempts JOIN outbox_jobs ON outbox_jobs.id = job_id
        WHERE started_at > now() - $1::int * interval '1 second'
      )
      SELECT (SELECT count(*)::int FROM outbox_jobs
              WHERE created_at > now() - $2::int * interval '1 second') AS received,
             count(*) FILTER (WHERE outcome = 'SENT')::int AS sent,
             count(*) FILTER (WHERE outcome = 'FAILED')::int AS failed,
             count(*) FILTER (WHERE outcome = 'DLQ')::int AS parked,
             count(*) FILTER (WHERE outcome = 'LOST')::int AS lost,
             percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) FILTER (WHERE outcome = 'SENT') AS "deliveryMedianMs",
             percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) FILTER (WHERE outcome = 'SENT') AS "deliveryP95Ms",
             percentile_cont(0.99) WITHIN GROUP (ORDER BY ms) FILTER (WHERE outcome = 'SENT') AS "deliveryP99Ms"
      FROM attempt;

-- statement
WITH event AS (
      SELECT transaction_key, restaurant_id FROM terminal_events
      WHERE transaction_key = $1 AND restaurant_id = $2::uuid
    ), withdrawn AS (
      UPDATE outbox_jobs SET status = 'DLQ', withdrawn = true, next_run_at = NULL, updated_at = now(),
  last_error = 'withdrawn: order cancelled before it was sent'
      FROM event
      WHERE event_key = transaction_key AND outbox_jobs.restaurant_id = event.restaurant_id AND action = 'CREATE' AND status IN ('PENDING', 'FAILED', 'DLQ') AND NOT withdrawn
    )
    INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
    SELECT $3::uuid, transaction_key, restaurant_id, 'CANCEL', 'PENDING', now(), now(), now() FROM event
    ON CONFLICT (event_key, restaurant_id, action) DO UPDATE SET status = 'PENDING', attempts = 0, next_run_at = now(), last_error = NULL, updated_at = now() WHERE outbox_jobs.status = 'DLQ'
    RETURNING id::text;

-- statement
WITH stuck AS MATERIALIZED (
      SELECT id, attempts, processing_at, locked_by, ('lease of ' || locked_by || ' expired') AS error
      FROM outbox_jobs
      WHERE status = 'PROCESSING' AND processing_at < now() - $1::int * interval '1 millisecond'
      ORDER BY processing_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ), expired AS (
      UPDATE outbox_jobs job
      SET 
  status = CASE WHEN (job.action = 'CREATE' AND EXISTS (
  SELECT 1 FROM outbox_jobs cancel WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = job.restaurant_id
    AND cancel.action = 'CANCEL')) THEN 'DLQ'::job_status ELSE 'PENDING'::job_status END, withdrawn = (job.action = 'CREATE' AND EXISTS (
  SELECT 1 FROM outbox_jobs cancel WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = job.restaurant_id
    AND cancel.action = 'CANCEL')),
  next_run_at = CASE WHEN (job.action = 'CREATE' AND EXISTS (
  SELECT 1 FROM outbox_jobs cancel WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = job.restaurant_id
    AND cancel.action = 'CANCEL')) THEN NULL ELSE now() END,
  last_error = CASE WHEN (job.action = 'CREATE' AND EXISTS (
  SELECT 1 FROM outbox_jobs cancel WHERE cancel.event_key = job.event_key AND cancel.restaurant_id = job.restaurant_id
    AND cancel.action = 'CANCEL')) THEN 'withdrawn: order cancelled while it was being sent' ELSE stuck.error END,
  processing_at = NULL, locked_by = NULL, updated_at = now()
      FROM stuck WHERE job.id = stuck.id AND job.status = 'PROCESSING'
      RETURNING job.id, job.event_key, job.restaurant_id
    ), recorded AS (
      INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach, error)
      SELECT coalesce(substring(locked_by FROM '[0-9a-f-]{36}$')::uuid, gen_random_uuid()), id, greatest(attempts, 1),
             processing_at, least(extract(epoch FROM now() - processing_at) * 1000, 2147483647), 'LOST', 'UNKNOWN', error
      FROM stuck
    )
    SELECT expired.id::text, expired.event_key AS "eventKey", expired.restaurant_id::text AS "restaurantId",
           stuck.attempts AS attempt, stuck.locked_by AS "lockedBy"
    FROM expired JOIN stuck ON stuck.id = expired.id;
