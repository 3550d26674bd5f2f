-- A confirmed file can be read again with another mapping, and taken back (J19, J20). Rows belong to a reading of their file: those of another
-- reading than the file's, and those of a file that is not confirmed, count as nothing.
ALTER TABLE "terminal_files" ADD COLUMN "reading" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "terminal_files" ADD COLUMN "last_reading" INTEGER NOT NULL DEFAULT 0;
-- a confirmed file keeps its cells for some time; without them and not confirmed it is being removed
ALTER TABLE "terminal_files" DROP CONSTRAINT "terminal_files_content_until_confirmed";
CREATE INDEX "terminal_files_kept_idx" ON "terminal_files" ("confirmed_at") WHERE confirmed_at IS NOT NULL AND content IS NOT NULL;

ALTER TABLE "terminal_file_rows" ADD COLUMN "reading" INTEGER NOT NULL DEFAULT 0;
-- NOT VALID: the rows of before hold
ALTER TABLE "terminal_file_rows" ADD COLUMN "decision" TEXT;
ALTER TABLE "terminal_file_rows" ADD CONSTRAINT "terminal_file_rows_decision_known"
  CHECK (decision IN ('ENTERED', 'ACCEPTED', 'CHECKED')) NOT VALID;
CREATE INDEX "terminal_file_rows_repeat_of_idx" ON "terminal_file_rows" ("repeat_of") WHERE repeat_of IS NOT NULL;
CREATE INDEX "terminal_file_rows_decided_idx" ON "terminal_file_rows" ("file_id", "line") WHERE decided_at IS NOT NULL;
ALTER TABLE "terminal_file_missing" ADD COLUMN "reading" INTEGER NOT NULL DEFAULT 0;

-- What people decided about rows of files that were taken back: the next file with the payment has it (J20).
CREATE TABLE "terminal_file_decisions" (
  "restaurant_id" UUID NOT NULL,
  "sha256" TEXT NOT NULL,
  "line" INTEGER NOT NULL,
  "kind" TEXT,
  "reference" TEXT,
  "authorisation" TEXT,
  "cents" BIGINT,
  "at" TIMESTAMPTZ(3),
  "identity" TEXT,
  "decision" TEXT,
  "event_key" TEXT,
  "refused" TEXT[],
  "note" TEXT,
  -- no foreign key: the decision outlives the user
  "decided_by" UUID,
  "decided_at" TIMESTAMPTZ(3),
  "kept_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

  CONSTRAINT "terminal_file_decisions_pkey" PRIMARY KEY ("restaurant_id", "sha256", "line"),
  CONSTRAINT "terminal_file_decisions_decision_known" CHECK (decision IN ('ENTERED', 'ACCEPTED', 'CHECKED'))
);
CREATE INDEX "terminal_file_decisions_kept_at_idx" ON "terminal_file_decisions" ("kept_at");
ALTER TABLE "terminal_file_decisions" ADD CONSTRAINT "terminal_file_decisions_restaurant_id_fkey"
  FOREIGN KEY ("restaurant_id") REFERENCES "restaurants" ("id") ON DELETE CASCADE ON UPDATE CASCADE;
