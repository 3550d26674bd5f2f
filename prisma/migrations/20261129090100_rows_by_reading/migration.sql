-- In a migration of its own: the indexes are built before the lock, on columns that the migration before adds.
CREATE UNIQUE INDEX "terminal_file_rows_reading_key" ON "terminal_file_rows" ("file_id", "reading", "line");
ALTER TABLE "terminal_file_rows" DROP CONSTRAINT "terminal_file_rows_pkey";
ALTER TABLE "terminal_file_rows" ADD CONSTRAINT "terminal_file_rows_pkey" PRIMARY KEY USING INDEX "terminal_file_rows_reading_key";
CREATE UNIQUE INDEX "terminal_file_missing_reading_key" ON "terminal_file_missing" ("file_id", "reading", "place");
ALTER TABLE "terminal_file_missing" DROP CONSTRAINT "terminal_file_missing_pkey";
ALTER TABLE "terminal_file_missing" ADD CONSTRAINT "terminal_file_missing_pkey"
  PRIMARY KEY USING INDEX "terminal_file_missing_reading_key";
