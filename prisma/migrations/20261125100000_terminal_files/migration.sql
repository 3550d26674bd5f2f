-- Files of the acquirer of a terminal, compared with the sales (J). Nothing of it is written on the road of an order.

CREATE TABLE terminal_files (
  id UUID NOT NULL,
  restaurant_id UUID NOT NULL,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  columns TEXT[],
  header_line INTEGER NOT NULL,
  delimiter TEXT NOT NULL,
  encoding TEXT NOT NULL,
  preset TEXT,
  mapping JSONB NOT NULL,
  -- the rows before they are confirmed, without card numbers: gzip of JSON
  content BYTEA,
  uploaded_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- no foreign keys: the file outlives the user
  uploaded_by UUID,
  confirmed_at TIMESTAMPTZ(3),
  confirmed_by UUID,
  from_day DATE,
  to_day DATE,
  matched_at TIMESTAMPTZ(3),
  -- number and cents of each answer
  summary JSONB NOT NULL DEFAULT '{}',
  missing INTEGER NOT NULL DEFAULT 0,

  CONSTRAINT terminal_files_pkey PRIMARY KEY (id),
  CONSTRAINT terminal_files_sha256_shape CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT terminal_files_content_until_confirmed CHECK ((confirmed_at IS NULL) = (content IS NOT NULL)),
  CONSTRAINT terminal_files_compared_when_confirmed CHECK (
    (confirmed_at IS NULL) = (matched_at IS NULL) AND (confirmed_at IS NULL) = (from_day IS NULL) AND (from_day IS NULL) = (to_day IS NULL))
);
-- the same file is known (J3)
CREATE UNIQUE INDEX terminal_files_restaurant_id_sha256_key ON terminal_files (restaurant_id, sha256);
CREATE INDEX terminal_files_restaurant_id_uploaded_at_id_idx ON terminal_files (restaurant_id, uploaded_at, id);
CREATE INDEX terminal_files_missing_idx ON terminal_files (matched_at) WHERE missing > 0;
ALTER TABLE terminal_files ADD CONSTRAINT terminal_files_restaurant_id_fkey
  FOREIGN KEY (restaurant_id) REFERENCES restaurants (id) ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE terminal_file_rows (
  file_id UUID NOT NULL,
  line INTEGER NOT NULL,
  restaurant_id UUID NOT NULL,
  kind TEXT,
  problem TEXT,
  reference TEXT,
  authorisation TEXT,
  terminal TEXT,
  cents BIGINT,
  at TIMESTAMPTZ(3),
  is_date_only BOOLEAN NOT NULL DEFAULT false,
  tender TEXT,
  -- by which the same row of another file is known
  identity TEXT,
  answer TEXT NOT NULL,
  -- the sale as it was when it was compared: no foreign key, because retention removes the event
  event_key TEXT,
  event_number TEXT,
  event_cents BIGINT,
  event_at TIMESTAMPTZ(3),
  repeat_of UUID,
  -- sales that a person refused for this row
  refused TEXT[],
  note TEXT,
  decided_by UUID,
  decided_at TIMESTAMPTZ(3),

  CONSTRAINT terminal_file_rows_pkey PRIMARY KEY (file_id, line),
  CONSTRAINT terminal_file_rows_kind_known CHECK (kind IN ('SALE', 'REFUND', 'CHARGEBACK', 'IGNORED')),
  CONSTRAINT terminal_file_rows_answer_known CHECK (answer IN ('MISSING_HERE', 'AMOUNT_DIFFERS', 'SUGGESTED', 'DUPLICATE', 'UNREADABLE',
    'ENTERED', 'OUTSIDE_DAY', 'REPEATED', 'CHARGEBACK', 'REFUND', 'IGNORED', 'MATCHED')),
  CONSTRAINT terminal_file_rows_cents_not_negative CHECK (cents >= 0),
  CONSTRAINT terminal_file_rows_unreadable_says_why CHECK ((answer = 'UNREADABLE') = (problem IS NOT NULL)),
  CONSTRAINT terminal_file_rows_matched_has_sale CHECK (answer NOT IN ('MATCHED', 'AMOUNT_DIFFERS', 'SUGGESTED') OR event_key IS NOT NULL),
  CONSTRAINT terminal_file_rows_entered_by_a_person CHECK (answer <> 'ENTERED' OR (decided_by IS NOT NULL AND note IS NOT NULL))
);
CREATE INDEX terminal_file_rows_file_id_answer_line_idx ON terminal_file_rows (file_id, answer, line);
CREATE INDEX terminal_file_rows_identity_idx ON terminal_file_rows (restaurant_id, identity) WHERE identity IS NOT NULL;
-- a sale belongs to one row (J9)
CREATE UNIQUE INDEX terminal_file_rows_sale_key ON terminal_file_rows (restaurant_id, event_key)
  WHERE answer = ANY (ARRAY['MATCHED'::text, 'AMOUNT_DIFFERS'::text, 'ENTERED'::text]) AND event_key IS NOT NULL;
ALTER TABLE terminal_file_rows ADD CONSTRAINT terminal_file_rows_file_id_fkey
  FOREIGN KEY (file_id) REFERENCES terminal_files (id) ON DELETE CASCADE ON UPDATE CASCADE;

-- The sales of the days of a file that have no row (J11).
CREATE TABLE terminal_file_missing (
  file_id UUID NOT NULL,
  place INTEGER NOT NULL,
  event_key TEXT NOT NULL,
  event_number TEXT,
  event_cents BIGINT NOT NULL,
  event_at TIMESTAMPTZ(3) NOT NULL,

  CONSTRAINT terminal_file_missing_pkey PRIMARY KEY (file_id, place)
);
ALTER TABLE terminal_file_missing ADD CONSTRAINT terminal_file_missing_file_id_fkey
  FOREIGN KEY (file_id) REFERENCES terminal_files (id) ON DELETE CASCADE ON UPDATE CASCADE;

-- NOT VALID: the rows of before hold. The list only grows.
ALTER TABLE alerts DROP CONSTRAINT alerts_kind_check;
ALTER TABLE alerts ADD CONSTRAINT alerts_kind_check CHECK (kind IN
  ('ORDER_PARKED', 'ORDER_LATE', 'POS_REFUSES', 'PRINTER_AWAY', 'KEY_EXPIRES', 'MISSING_HERE', 'INSTANCE_LOST', 'DATABASE')) NOT VALID;
