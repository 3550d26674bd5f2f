-- A key is unique within its restaurant (W19): no tenant can block another's sales by sending guessed keys first. The foreign
-- key holds a job to the key and the restaurant of its event. The key comes first, so that the indexes also serve a look-up
-- by key alone, as operators make it.
ALTER TABLE outbox_jobs DROP CONSTRAINT outbox_jobs_event_key_fkey;
DROP INDEX outbox_jobs_event_key_action_key;

ALTER TABLE terminal_events DROP CONSTRAINT terminal_events_pkey,
    ADD CONSTRAINT terminal_events_pkey PRIMARY KEY (transaction_key, restaurant_id);

CREATE UNIQUE INDEX outbox_jobs_event_key_restaurant_id_action_key ON outbox_jobs(event_key, restaurant_id, action);

ALTER TABLE outbox_jobs ADD CONSTRAINT outbox_jobs_event_key_restaurant_id_fkey
    FOREIGN KEY (event_key, restaurant_id) REFERENCES terminal_events(transaction_key, restaurant_id)
    ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE spent_keys DROP CONSTRAINT spent_keys_pkey,
    ADD CONSTRAINT spent_keys_pkey PRIMARY KEY (transaction_key, restaurant_id);

-- As before, but of its own restaurant.
CREATE OR REPLACE VIEW due_jobs AS
SELECT id, event_key, restaurant_id, action, status, attempts, next_run_at, processing_at, locked_by, last_error,
       created_at, updated_at, withdrawn
FROM outbox_jobs
WHERE status IN ('PENDING', 'FAILED') AND next_run_at <= now()
  AND NOT EXISTS (
    SELECT 1 FROM outbox_jobs other
    WHERE other.event_key = outbox_jobs.event_key AND other.restaurant_id = outbox_jobs.restaurant_id
      AND other.action <> outbox_jobs.action
      -- a cancel does not overtake its order
      AND (other.action = 'CANCEL' OR other.status = 'PROCESSING'));

-- How a link came about: others' links never take a user's sales away (W11).
CREATE TYPE "link_origin" AS ENUM ('CREATED', 'ACCOUNT', 'TRANSFERRED', 'ADDED');
ALTER TABLE "user_restaurants" ADD COLUMN "origin" "link_origin" NOT NULL DEFAULT 'ADDED';

-- Of the links there are, the first of a restaurant is its creator's, and the first of a user that of the account.
UPDATE user_restaurants link SET origin = CASE
    WHEN NOT EXISTS (SELECT 1 FROM user_restaurants earlier WHERE earlier.restaurant_id = link.restaurant_id
                     AND (earlier.created_at, earlier.id) < (link.created_at, link.id)) THEN 'CREATED'::link_origin
    WHEN NOT EXISTS (SELECT 1 FROM user_restaurants earlier WHERE earlier.user_id = link.user_id
                     AND (earlier.created_at, earlier.id) < (link.created_at, link.id)) THEN 'ACCOUNT'
    ELSE 'ADDED' END;
