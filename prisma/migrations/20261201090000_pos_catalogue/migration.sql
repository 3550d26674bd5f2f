-- The products that the POS of a restaurant knows (I13). A catalogue never changes: one that replaces it is written beside it, in pieces, and counts
-- from the moment in which the restaurant's row names it.
CREATE TABLE "pos_catalogues" (
  "id" SERIAL NOT NULL,
  "restaurant_id" UUID NOT NULL,
  "products" INTEGER NOT NULL,
  "code_digests" BYTEA NOT NULL,
  "begun_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "replaced_at" TIMESTAMPTZ(6),
  "replaced_by" TEXT,

  CONSTRAINT "pos_catalogues_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "pos_catalogues_restaurant_id_idx" ON "pos_catalogues"("restaurant_id");
ALTER TABLE "pos_catalogues" ADD CONSTRAINT "pos_catalogues_restaurant_id_fkey"
  FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "pos_catalogue" (
  "catalogue_id" INTEGER NOT NULL,
  "code" TEXT COLLATE "C" NOT NULL,
  "name" TEXT,
  "price_cents" BIGINT,
  "search" TEXT COLLATE "C" NOT NULL,

  CONSTRAINT "pos_catalogue_pkey" PRIMARY KEY ("catalogue_id", "code"),
  CONSTRAINT "pos_catalogue_not_empty" CHECK ("code" <> '' AND "name" <> '')
);
ALTER TABLE "pos_catalogue" ADD CONSTRAINT "pos_catalogue_catalogue_id_fkey"
  FOREIGN KEY ("catalogue_id") REFERENCES "pos_catalogues"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- 0: the restaurant has none. Without a foreign key: sales lock the row of the restaurant, and nothing else.
ALTER TABLE "restaurants" ADD COLUMN "catalogue_id" INTEGER NOT NULL DEFAULT 0;

-- What counts, for readers beside the owner.
CREATE VIEW catalogue_products AS
  SELECT restaurants.id AS restaurant_id, code, pos_catalogue.name, price_cents
  FROM restaurants JOIN pos_catalogue USING (catalogue_id);

-- A deleted restaurant keeps its row, so no foreign key removes its catalogue.
CREATE FUNCTION restaurants_end_catalogue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pos_catalogues WHERE restaurant_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER restaurants_deleted_end_catalogue AFTER UPDATE OF deleted_at ON restaurants FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION restaurants_end_catalogue();
