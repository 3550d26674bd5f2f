-- The mails about closings become rows of notifications: one queue for all messages (decisions/088).

-- Rows of before, and those that instances of the version before write, are of alerts. These instances read notifications with their alert only,
-- so they see no message of another kind. They also read columns of alerts without their table's name: a column `kind` would break them.
ALTER TABLE notifications
  ADD COLUMN message_kind TEXT NOT NULL DEFAULT 'alert',
  ADD COLUMN subject UUID,
  ADD COLUMN number INTEGER,
  ALTER COLUMN alert_id DROP NOT NULL,
  ALTER COLUMN step DROP NOT NULL,
  ADD CONSTRAINT notifications_kind_check CHECK (message_kind ~ '^[a-z][a-z_]{1,49}$'),
  -- a message is about a step of an alert, or about the number of a subject
  ADD CONSTRAINT notifications_about_check CHECK (
    (alert_id IS NULL) = (step IS NULL) AND (subject IS NULL) = (number IS NULL) AND (alert_id IS NULL) <> (subject IS NULL));
CREATE UNIQUE INDEX notifications_subject_key ON notifications (message_kind, subject, number, channel, recipient) WHERE (subject IS NOT NULL);

-- A mail was written a minute before its first try.
INSERT INTO notifications (id, message_kind, subject, number, channel, recipient, user_id, language, state, attempts, next_try_at, claim, claimed_at,
  ended_at, reason, created_at)
SELECT id, 'closing', restaurant_id, number, 'mail', 'user:' || mail.user_id, mail.user_id, coalesce(language, 'en'), state, attempts, next_try_at,
  claim, claimed_at, ended_at, reason, next_try_at - interval '1 minute'
FROM closing_mails mail LEFT JOIN notification_preferences preferences ON preferences.user_id = mail.user_id;
DELETE FROM closing_mails;

-- The table stays for one release: instances of the version before write into it when they close a day. The trigger puts the mail into the queue
-- instead, and the table stays empty, so that they send none.
CREATE FUNCTION closing_mails_are_notifications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO notifications (id, message_kind, subject, number, channel, recipient, user_id, language, next_try_at)
  SELECT NEW.id, 'closing', NEW.restaurant_id, NEW.number, 'mail', 'user:' || users.id, users.id, coalesce(language, 'en'), NEW.next_try_at
  FROM users LEFT JOIN notification_preferences ON user_id = users.id WHERE users.id = NEW.user_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER closing_mails_moved BEFORE INSERT ON closing_mails
  FOR EACH ROW EXECUTE FUNCTION closing_mails_are_notifications();
