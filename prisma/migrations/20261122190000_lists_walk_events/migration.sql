-- Each move of a job writes every index of its row again. Two of these indexes served lists only: lists walk the events, which are written
-- once, and find jobs by their unique key. An event and its CREATE job are stored at the same time; cancels are few, and have indexes of
-- their own. The foreign key to the restaurant follows from the one to the event.
DROP INDEX outbox_jobs_created_at_id_idx;
DROP INDEX outbox_jobs_restaurant_id_action_created_at_id_idx;
ALTER TABLE outbox_jobs DROP CONSTRAINT outbox_jobs_restaurant_id_fkey;

-- With a second condition that holds for every row: what looks for one job of an event does not state it (decisions/032).
CREATE INDEX outbox_jobs_cancels_idx ON outbox_jobs (created_at, id) WHERE (action = 'CANCEL' AND created_at IS NOT NULL);
CREATE INDEX outbox_jobs_restaurant_cancels_idx ON outbox_jobs (restaurant_id, created_at, event_key)
    WHERE (action = 'CANCEL' AND created_at IS NOT NULL);
-- Sales that are stored by one statement have the same time: the key orders them in a list.
CREATE INDEX terminal_events_restaurant_id_received_at_transaction_key_idx
    ON terminal_events (restaurant_id, received_at, transaction_key) WHERE (received_at IS NOT NULL);
DROP INDEX terminal_events_restaurant_id_received_at_idx;
-- for lists of all restaurants, and for retention
CREATE INDEX terminal_events_received_at_idx ON terminal_events (received_at);
