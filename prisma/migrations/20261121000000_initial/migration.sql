-- The whole schema (S3), in the order of reading: types; tables, each with its constraints and indexes; the moves that the
-- database refuses; the words that have one definition. prisma/schema.prisma says the same of types, tables and indexes, and
-- describes the columns; the CHECKs, the triggers, the views and the functions stand only here.

-- Types ----------------------------------------------------------------------------------------------------------------------

CREATE TYPE platform_role AS ENUM ('USER', 'ADMIN');
CREATE TYPE restaurant_role AS ENUM ('OWNER', 'ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER');
-- How a link came about: others' links never take a user's sales away (W11).
CREATE TYPE link_origin AS ENUM ('CREATED', 'ACCOUNT', 'TRANSFERRED', 'ADDED');
CREATE TYPE job_action AS ENUM ('CREATE', 'CANCEL');
CREATE TYPE job_status AS ENUM ('PENDING', 'PROCESSING', 'SENT', 'FAILED', 'DLQ');
CREATE TYPE attempt_outcome AS ENUM ('SENT', 'FAILED', 'DLQ', 'LOST');
CREATE TYPE attempt_reach AS ENUM ('NOT_SENT', 'UNKNOWN', 'ANSWERED');

-- Users, restaurants, and who may do what in which ---------------------------------------------------------------------------

CREATE TABLE users (
    id UUID NOT NULL,
    email TEXT NOT NULL,
    name TEXT,
    password_hash TEXT NOT NULL,
    role platform_role NOT NULL DEFAULT 'USER',
    token_version INTEGER NOT NULL DEFAULT 0,
    created_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT users_pkey PRIMARY KEY (id),
    -- one account for one address, however it is typed (A5)
    CONSTRAINT users_email_lower_case CHECK (email = lower(email))
);
CREATE UNIQUE INDEX users_email_key ON users (email);

CREATE TABLE restaurants (
    id UUID NOT NULL,
    name TEXT NOT NULL,
    slug TEXT NOT NULL,
    address TEXT,
    code_store_terminal TEXT,
    code_store_pos TEXT,
    pos_id_partner TEXT,
    pos_secret TEXT,
    created_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    deleted_at TIMESTAMPTZ(6),
    day_closes_at TEXT NOT NULL DEFAULT '00:00',
    timezone TEXT NOT NULL DEFAULT 'UTC',

    CONSTRAINT restaurants_pkey PRIMARY KEY (id),
    -- a zone that this database does not know is refused when it is written, and not by every report afterwards (R15)
    CONSTRAINT restaurants_timezone_known CHECK ((TIMESTAMPTZ '2026-01-01 00:00:00Z' AT TIME ZONE timezone) IS NOT NULL),
    CONSTRAINT restaurants_day_closes_before_noon CHECK (day_closes_at ~ '^(0[0-9]|1[01]):[0-5][0-9]$')
);
-- a deleted restaurant keeps its row, and gives its slug and its store code free (A21)
CREATE UNIQUE INDEX restaurants_slug_key ON restaurants (slug) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX restaurants_code_store_terminal_key ON restaurants (code_store_terminal) WHERE (deleted_at IS NULL);

CREATE TABLE user_restaurants (
    id UUID NOT NULL,
    user_id UUID NOT NULL,
    restaurant_id UUID NOT NULL,
    role restaurant_role NOT NULL,
    created_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    origin link_origin NOT NULL DEFAULT 'ADDED',

    CONSTRAINT user_restaurants_pkey PRIMARY KEY (id),
    CONSTRAINT user_restaurants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id)
        ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT user_restaurants_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants (id)
        ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX user_restaurants_user_id_restaurant_id_key ON user_restaurants (user_id, restaurant_id);
CREATE INDEX user_restaurants_restaurant_id_idx ON user_restaurants (restaurant_id);

-- The journey of an order: the event as it was received, the jobs that deliver it, their attempts ----------------------------

CREATE TABLE terminal_events (
    transaction_key TEXT NOT NULL,
    source_key TEXT NOT NULL,
    test_mode BOOLEAN NOT NULL,
    restaurant_id UUID NOT NULL,
    store_code TEXT,
    transaction_number TEXT,
    transaction_date TIMESTAMPTZ(6),
    amount_mismatch_cents BIGINT,
    payload JSONB NOT NULL,
    received_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- what the sale paid, so that statistics need not read payloads
    paid_cents BIGINT NOT NULL DEFAULT 0,
    paid_by_tender JSONB NOT NULL DEFAULT '{}',
    warnings TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],

    -- A key is unique within its restaurant (W19): no tenant can block another's sales by sending guessed keys first. The key
    -- comes first, here and in the indexes of jobs, so that they also serve a look-up by key alone, as operators make it.
    CONSTRAINT terminal_events_pkey PRIMARY KEY (transaction_key, restaurant_id),
    CONSTRAINT terminal_events_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants (id)
        ON DELETE RESTRICT ON UPDATE CASCADE
);
-- one event for a key as sent in test mode, whose stored key carries the receipt time (W22, W23)
CREATE UNIQUE INDEX terminal_events_test_source_key ON terminal_events (restaurant_id, source_key) WHERE (test_mode);
-- the span of a report
CREATE INDEX terminal_events_restaurant_id_received_at_idx ON terminal_events (restaurant_id, received_at);
-- staff look for an order by the number on the receipt
CREATE INDEX terminal_events_restaurant_id_transaction_number_idx ON terminal_events (restaurant_id, transaction_number);
CREATE INDEX terminal_events_amount_mismatch_idx ON terminal_events (received_at) WHERE (amount_mismatch_cents IS NOT NULL);

CREATE TABLE outbox_jobs (
    id UUID NOT NULL,
    event_key TEXT NOT NULL,
    restaurant_id UUID NOT NULL,
    action job_action NOT NULL DEFAULT 'CREATE',
    status job_status NOT NULL DEFAULT 'PENDING',
    attempts INTEGER NOT NULL DEFAULT 0,
    next_run_at TIMESTAMPTZ(6) DEFAULT CURRENT_TIMESTAMP,
    processing_at TIMESTAMPTZ(6),
    locked_by TEXT,
    last_error TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- a CREATE that was withdrawn, because its order was cancelled before it was sent, rests in DLQ for good (C8)
    withdrawn BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT outbox_jobs_pkey PRIMARY KEY (id),
    -- a job is of the restaurant of its event
    CONSTRAINT outbox_jobs_event_key_restaurant_id_fkey FOREIGN KEY (event_key, restaurant_id)
        REFERENCES terminal_events (transaction_key, restaurant_id) ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT outbox_jobs_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants (id)
        ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT outbox_jobs_attempts_not_negative CHECK (attempts >= 0),
    -- the lock columns are set exactly while a job is PROCESSING (O3)
    CONSTRAINT outbox_jobs_processing_at_while_processing CHECK ((status = 'PROCESSING') = (processing_at IS NOT NULL)),
    CONSTRAINT outbox_jobs_locked_by_while_processing CHECK ((status = 'PROCESSING') = (locked_by IS NOT NULL)),
    -- a waiting job without a due time would wait for ever
    CONSTRAINT outbox_jobs_waiting_has_due_time CHECK (status NOT IN ('PENDING', 'FAILED') OR next_run_at IS NOT NULL),
    CONSTRAINT outbox_jobs_withdrawn_is_parked CHECK (NOT withdrawn OR (status = 'DLQ' AND action = 'CREATE'))
);
-- one order, and one cancel, for one sale (P3, C2)
CREATE UNIQUE INDEX outbox_jobs_event_key_restaurant_id_action_key ON outbox_jobs (event_key, restaurant_id, action);
-- the states that somebody asks for are few among the delivered: their indexes stay small however long the history
CREATE INDEX outbox_jobs_due_idx ON outbox_jobs (next_run_at) WHERE (status IN ('PENDING', 'FAILED'));
-- the head of each restaurant's queue, so that restaurants take turns however long one of the queues is (O11)
CREATE INDEX outbox_jobs_waiting_idx ON outbox_jobs (restaurant_id, next_run_at) WHERE (status IN ('PENDING', 'FAILED'));
CREATE INDEX outbox_jobs_locked_idx ON outbox_jobs (processing_at) WHERE (status = 'PROCESSING');
CREATE INDEX outbox_jobs_parked_idx ON outbox_jobs (restaurant_id, updated_at) WHERE (status = 'DLQ' AND NOT withdrawn);
-- Pages of lists. The staff's are of orders or of their cancels: without the action in the index, a page of few cancels among
-- a million orders read the whole table.
CREATE INDEX outbox_jobs_created_at_id_idx ON outbox_jobs (created_at, id);
CREATE INDEX outbox_jobs_restaurant_id_action_created_at_id_idx ON outbox_jobs (restaurant_id, action, created_at, id);

CREATE TABLE delivery_attempts (
    id UUID NOT NULL,
    job_id UUID NOT NULL,
    number INTEGER NOT NULL,
    started_at TIMESTAMPTZ(6) NOT NULL,
    duration_ms INTEGER NOT NULL,
    http_status INTEGER,
    error_code TEXT,
    outcome attempt_outcome NOT NULL,
    reach attempt_reach NOT NULL,
    error TEXT,
    -- The body of the request as it was sent: null when none was, and when it is the same as that of the attempt before (O19).
    -- JSON, not JSONB, which would change its order and its numbers.
    sent_body JSON,

    CONSTRAINT delivery_attempts_pkey PRIMARY KEY (id),
    CONSTRAINT delivery_attempts_job_id_fkey FOREIGN KEY (job_id) REFERENCES outbox_jobs (id)
        ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT delivery_attempts_number_positive CHECK (number >= 1),
    CONSTRAINT delivery_attempts_duration_not_negative CHECK (duration_ms >= 0)
);
CREATE INDEX delivery_attempts_job_id_started_at_idx ON delivery_attempts (job_id, started_at);
-- rows come in the order of time: a BRIN index costs next to nothing to write
CREATE INDEX delivery_attempts_started_at_idx ON delivery_attempts USING brin (started_at);

-- The keys of events that retention removed: a transaction that was registered once is refused for ever (O22). Nothing refers
-- to the event, which is gone.
CREATE TABLE spent_keys (
    transaction_key TEXT NOT NULL,
    source_key TEXT NOT NULL,
    test_mode BOOLEAN NOT NULL,
    restaurant_id UUID NOT NULL,
    job_id UUID NOT NULL,
    spent_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    event_removed BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT spent_keys_pkey PRIMARY KEY (transaction_key, restaurant_id)
);
CREATE INDEX spent_keys_to_remove_idx ON spent_keys (spent_at) WHERE (NOT event_removed);
CREATE INDEX spent_keys_test_source_idx ON spent_keys (restaurant_id, source_key) WHERE (test_mode);

-- Tokens of the POS, shared by all instances (T4).
CREATE TABLE pos_tokens (
    id TEXT NOT NULL,
    token TEXT,
    expires_at TIMESTAMPTZ(6),
    generation INTEGER NOT NULL DEFAULT 0,
    failure JSONB,
    renewing_by TEXT,
    renewing_until TIMESTAMPTZ(6),
    updated_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT pos_tokens_pkey PRIMARY KEY (id)
);

-- Moves that would cook an order twice, or cook a cancelled one, are refused whoever writes them (O3, R12) -------------------
-- The conditions stand in WHEN, so that an ordinary update never calls the function. (The reaper keeps the attempts; a
-- released job keeps its due time; only a reset changes both.)

CREATE FUNCTION outbox_jobs_refuse_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'outbox job % is %: it cannot be moved to %', OLD.id,
            CASE WHEN OLD.withdrawn THEN 'withdrawn' ELSE OLD.status::text END, NEW.status
        USING ERRCODE = 'check_violation',
              HINT = CASE
                  WHEN OLD.withdrawn THEN 'This order was cancelled; it is never sent.'
                  WHEN OLD.status = 'SENT' THEN 'The POS has this order; sending it again would double it.'
                  ELSE 'A worker is sending this order now; wait until it has settled, or until the reaper returns it.'
              END;
END $$;

CREATE TRIGGER outbox_jobs_sent_is_final BEFORE UPDATE OF status ON outbox_jobs FOR EACH ROW
    WHEN (OLD.status = 'SENT' AND NEW.status <> 'SENT')
    EXECUTE FUNCTION outbox_jobs_refuse_move();

CREATE TRIGGER outbox_jobs_no_reset_while_processing BEFORE UPDATE OF status ON outbox_jobs FOR EACH ROW
    WHEN (OLD.status = 'PROCESSING' AND NEW.status = 'PENDING'
          AND NEW.attempts < OLD.attempts AND NEW.next_run_at IS DISTINCT FROM OLD.next_run_at)
    EXECUTE FUNCTION outbox_jobs_refuse_move();

CREATE TRIGGER outbox_jobs_withdrawn_is_final BEFORE UPDATE OF status, withdrawn ON outbox_jobs FOR EACH ROW
    WHEN (OLD.withdrawn AND (NEW.status <> 'DLQ' OR NOT NEW.withdrawn))
    EXECUTE FUNCTION outbox_jobs_refuse_move();

-- What due, late, stuck and parked mean, said once (O23) ---------------------------------------------------------------------
-- The API, the metrics, the alarms, the doctor and the operators' SQL read these. Each view is one table with conditions, so
-- that the planner sees through it, `FOR UPDATE SKIP LOCKED` locks its rows, and an UPDATE of it is an UPDATE of outbox_jobs.
-- States are literals, so that the partial indexes serve.

-- Jobs that a worker may take now. The other job of the event is looked up by the unique index, one for each job that is looked
-- at: written as NOT EXISTS the planner may read all jobs in place of it, and a prepared claim keeps that plan.
CREATE VIEW due_jobs AS
SELECT id, event_key, restaurant_id, action, status, attempts, next_run_at, processing_at, locked_by, last_error,
       created_at, updated_at, withdrawn
FROM outbox_jobs
WHERE status IN ('PENDING', 'FAILED') AND next_run_at <= now()
  -- an order whose cancel was asked for is never sent again, so it is never due: its cancel withdraws it (C5);
  -- and a cancel does not overtake its order (C3)
  AND (SELECT other.action = 'CANCEL' OR other.status = 'PROCESSING'
       FROM outbox_jobs other
       WHERE other.event_key = outbox_jobs.event_key AND other.restaurant_id = outbox_jobs.restaurant_id
         AND other.action = (CASE outbox_jobs.action WHEN 'CREATE' THEN 'CANCEL' ELSE 'CREATE' END)::job_action
      ) IS NOT TRUE;

-- Jobs that were given up, of restaurants that are still there: somebody must mend the cause and reset them, or cancel them.
-- A withdrawn order was cancelled before it was sent; nobody waits for it.
CREATE VIEW parked_jobs AS
SELECT id, event_key, restaurant_id, action, status, attempts, next_run_at, processing_at, locked_by, last_error,
       created_at, updated_at, withdrawn
FROM outbox_jobs
WHERE status = 'DLQ' AND NOT withdrawn
  AND EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = outbox_jobs.restaurant_id AND restaurants.deleted_at IS NULL);

-- What a webhook rests on when a user sends it (W6, W7, W11): who that is, and what they own. `state` is a digest of all of
-- it, by which the statement that stores a sale sees whether what was remembered still holds (W28).
CREATE VIEW owners AS
SELECT users.id, users.email, users.token_version, users.password_hash, owned.restaurants,
       md5(json_build_array(users.token_version, users.password_hash, owned.restaurants)::text) AS state
FROM users
CROSS JOIN LATERAL (
  SELECT coalesce(json_agg(json_build_object(
           'id', restaurant.id, 'origin', link.origin,
           'codeStoreTerminal', restaurant.code_store_terminal, 'codeStorePos', restaurant.code_store_pos
         ) ORDER BY restaurant.id), '[]') AS restaurants
  FROM user_restaurants link
  JOIN restaurants restaurant ON restaurant.id = link.restaurant_id AND restaurant.deleted_at IS NULL
  WHERE link.user_id = users.id AND link.role = 'OWNER'
) AS owned;

-- Late and stuck take the time from which on they are: functions of one SELECT, which the planner inlines like a view. (Their
-- bodies are text on purpose: the row of outbox_jobs may gain columns.)

-- Jobs that have been due for longer than this and were not taken; since when: next_run_at.
CREATE FUNCTION late_jobs(longer_than interval) RETURNS SETOF due_jobs LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT * FROM due_jobs WHERE next_run_at < now() - longer_than
$$;

-- Jobs whose worker has not settled them within its lease (PROCESSING_TTL_MS); since when: processing_at.
CREATE FUNCTION stuck_jobs(lease interval) RETURNS SETOF outbox_jobs LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT * FROM outbox_jobs WHERE status = 'PROCESSING' AND processing_at < now() - lease
$$;

-- An error without what differs from order to order, so that alike errors have one cause: a word with a digit in it is #,
-- unless it says which answer it was (HTTP 422, POS error 310); addresses and times, then #.#.#.#:#, are # as well.
CREATE FUNCTION error_cause(error text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT left(regexp_replace(regexp_replace(coalesce(error, '(none)'),
        '(?<!HTTP |POS error )\m[[:alnum:]_-]*\d[[:alnum:]_-]*', '#', 'g'), '#([.:/]#)+', '#', 'g'), 200)
$$;
