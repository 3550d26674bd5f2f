-- Who made an account (A35, G46); null: made by ADMIN_EMAIL, or before this column existed. No relation: an account outlives its creator.
ALTER TABLE users ADD COLUMN created_by UUID;

-- The restaurants whose OWNERs read an entry of an account itself, if there are several (R23): one entry in place of one for each.
ALTER TABLE audit_entries ADD COLUMN reader_ids UUID[];
CREATE INDEX audit_entries_reader_ids_idx ON audit_entries USING gin (reader_ids) WHERE reader_ids IS NOT NULL;

-- Test mails since a day passed without one (G46).
ALTER TABLE notification_preferences ADD COLUMN mail_tests INTEGER NOT NULL DEFAULT 0;

-- Old files are removed by the time of their confirmation (R58).
CREATE INDEX terminal_files_confirmed_idx ON terminal_files (confirmed_at) WHERE confirmed_at IS NOT NULL;
