-- A look-up of one event, or of one job of an event, names the restaurant too. Sessions prepare such look-ups once, and did so by one
-- of these indexes while the tables were nearly empty, since each finds the restaurant: from then on every new sale read all sales
-- of its restaurant, and every due job all its jobs, until autovacuum had looked at the tables. With a condition that a look-up
-- does not state it cannot use them; the statements they are for state it, by comparing the column.
DROP INDEX terminal_events_restaurant_id_received_at_idx;
CREATE INDEX terminal_events_restaurant_id_received_at_idx ON terminal_events (restaurant_id, received_at)
    WHERE (received_at IS NOT NULL);
DROP INDEX terminal_events_restaurant_id_transaction_number_idx;
CREATE INDEX terminal_events_restaurant_id_transaction_number_idx ON terminal_events (restaurant_id, transaction_number)
    WHERE (transaction_number IS NOT NULL);
DROP INDEX outbox_jobs_restaurant_id_action_created_at_id_idx;
CREATE INDEX outbox_jobs_restaurant_id_action_created_at_id_idx ON outbox_jobs (restaurant_id, action, created_at, id)
    WHERE (created_at IS NOT NULL);
