-- The head of the chain is mailed with each closing (B12).

-- Whether an OWNER gets these mails (G29). Instances of the version before leave it as it is.
ALTER TABLE notification_preferences ADD COLUMN closings BOOLEAN NOT NULL DEFAULT true;

-- One row for each person and closing: the key is what keeps a second mail from being written.
CREATE TABLE closing_mails (
  -- no foreign key, as in business_days
  restaurant_id UUID NOT NULL,
  number INTEGER NOT NULL,
  user_id UUID NOT NULL,
  -- Message-ID of the mail, the same for each retry
  id UUID NOT NULL,
  state TEXT NOT NULL DEFAULT 'WAITING',
  attempts INTEGER NOT NULL DEFAULT 0,
  next_try_at TIMESTAMPTZ(6) NOT NULL,
  claim UUID,
  claimed_at TIMESTAMPTZ(6),
  ended_at TIMESTAMPTZ(6),
  reason TEXT,

  CONSTRAINT closing_mails_pkey PRIMARY KEY (restaurant_id, number, user_id),
  CONSTRAINT closing_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT closing_mails_state_known CHECK (state IN ('WAITING', 'SENDING', 'SENT', 'SKIPPED', 'FAILED')),
  CONSTRAINT closing_mails_claimed CHECK ((state = 'SENDING') = (claim IS NOT NULL))
);
CREATE INDEX closing_mails_waiting_idx ON closing_mails (next_try_at) WHERE (state = ANY (ARRAY['WAITING'::text, 'SENDING'::text]));
CREATE INDEX closing_mails_user_id_idx ON closing_mails (user_id);
