-- A sale may have several rows of a file: a bill on several cards, or instalments (J10).
CREATE INDEX "terminal_file_rows_of_sale_idx" ON "terminal_file_rows" ("restaurant_id", "event_key")
  WHERE answer = ANY (ARRAY['MATCHED'::text, 'AMOUNT_DIFFERS'::text, 'ENTERED'::text]) AND event_key IS NOT NULL;
DROP INDEX "terminal_file_rows_sale_key";
