-- Printers of a restaurant that fetch tickets, and the tickets (K). Nothing of it is written on the road of an order.
CREATE TYPE "ticket_state" AS ENUM ('WAITING', 'OFFERED', 'PRINTED', 'FAILED', 'EXPIRED');
CREATE TYPE "ticket_reason" AS ENUM ('PARKED', 'LATE');

CREATE TABLE "printers" (
  "id" UUID NOT NULL,
  "restaurant_id" UUID NOT NULL,
  "name" TEXT NOT NULL,
  "token_hash" TEXT NOT NULL,
  "width" INTEGER NOT NULL DEFAULT 48,
  "status" TEXT,
  "last_poll_at" TIMESTAMPTZ(6),
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

  CONSTRAINT "printers_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "printers_width_known" CHECK ("width" IN (32, 48))
);
CREATE UNIQUE INDEX "printers_token_hash_key" ON "printers"("token_hash");
CREATE INDEX "printers_restaurant_id_idx" ON "printers"("restaurant_id");
ALTER TABLE "printers" ADD CONSTRAINT "printers_restaurant_id_fkey"
  FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- job_id is no foreign key: TRUNCATE of the three tables of the outbox, without CASCADE, is what people do by hand.
CREATE TABLE "tickets" (
  "id" UUID NOT NULL,
  "job_id" UUID NOT NULL,
  "restaurant_id" UUID NOT NULL,
  "printer_id" UUID,
  "copy" INTEGER NOT NULL DEFAULT 1,
  "reason" "ticket_reason" NOT NULL,
  "state" "ticket_state" NOT NULL DEFAULT 'WAITING',
  "is_repeat" BOOLEAN NOT NULL DEFAULT false,
  "offers" INTEGER NOT NULL DEFAULT 0,
  "failure" TEXT,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "offered_at" TIMESTAMPTZ(6),
  "printed_at" TIMESTAMPTZ(6),

  CONSTRAINT "tickets_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "tickets_printed_at_known" CHECK (("state" = 'PRINTED') = ("printed_at" IS NOT NULL)),
  CONSTRAINT "tickets_failure_known" CHECK (("state" = 'FAILED') = ("failure" IS NOT NULL))
);
CREATE UNIQUE INDEX "tickets_job_id_copy_key" ON "tickets"("job_id", "copy");
CREATE INDEX "tickets_open_idx" ON "tickets"("restaurant_id") WHERE (state = ANY (ARRAY['WAITING'::ticket_state, 'OFFERED'::ticket_state]));
CREATE INDEX "tickets_printer_id_idx" ON "tickets"("printer_id");
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_restaurant_id_fkey"
  FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "tickets" ADD CONSTRAINT "tickets_printer_id_fkey"
  FOREIGN KEY ("printer_id") REFERENCES "printers"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- A deleted restaurant keeps its row, so no foreign key removes its printers. A trigger, because instances of the version before delete
-- restaurants too.
CREATE FUNCTION restaurants_end_printers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM printers WHERE restaurant_id = NEW.id;
    UPDATE tickets SET state = 'EXPIRED' WHERE restaurant_id = NEW.id AND state IN ('WAITING', 'OFFERED');
    RETURN NULL;
END $$;
CREATE TRIGGER restaurants_deleted_end_printers AFTER UPDATE OF deleted_at ON restaurants FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION restaurants_end_printers();

-- The printers that have polled before, and have not for three intervals of 30 s (K9).
CREATE VIEW printers_away AS
SELECT restaurant_id, id AS printer_id, name, last_poll_at FROM printers WHERE last_poll_at < now() - interval '90 seconds';
