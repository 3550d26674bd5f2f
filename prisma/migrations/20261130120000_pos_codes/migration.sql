-- What a restaurant calls the products and tenders of its terminal at its POS (I1). The version says when an instance has to read them again (I4):
-- each change of them raises it in its own transaction, whoever makes the change.
CREATE TYPE "code_kind" AS ENUM ('ITEM', 'TENDER');

CREATE TABLE "pos_codes" (
  "restaurant_id" UUID NOT NULL,
  "kind" "code_kind" NOT NULL,
  "terminal_code" TEXT NOT NULL,
  "pos_code" TEXT NOT NULL,
  "name" TEXT,
  "changed_by" TEXT,
  "changed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

  CONSTRAINT "pos_codes_pkey" PRIMARY KEY ("restaurant_id", "kind", "terminal_code"),
  CONSTRAINT "pos_codes_not_empty" CHECK ("terminal_code" <> '' AND "pos_code" <> '')
);
ALTER TABLE "pos_codes" ADD CONSTRAINT "pos_codes_restaurant_id_fkey"
  FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- 0: nothing was ever set, so nothing is read
ALTER TABLE "restaurants" ADD COLUMN "codes_version" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "restaurants" ADD COLUMN "default_item_code" TEXT;

CREATE FUNCTION pos_codes_raise_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE restaurants SET codes_version = codes_version + 1 WHERE id IN (SELECT restaurant_id FROM changed);
    RETURN NULL;
END $$;
CREATE TRIGGER pos_codes_inserted AFTER INSERT ON pos_codes REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION pos_codes_raise_version();
CREATE TRIGGER pos_codes_updated AFTER UPDATE ON pos_codes REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION pos_codes_raise_version();
CREATE TRIGGER pos_codes_deleted AFTER DELETE ON pos_codes REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION pos_codes_raise_version();

CREATE FUNCTION restaurants_raise_codes_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.codes_version := OLD.codes_version + 1;
    RETURN NEW;
END $$;
CREATE TRIGGER restaurants_default_item_code_changed BEFORE UPDATE OF default_item_code ON restaurants FOR EACH ROW
    WHEN (OLD.default_item_code IS DISTINCT FROM NEW.default_item_code)
    EXECUTE FUNCTION restaurants_raise_codes_version();
CREATE FUNCTION restaurants_begin_codes_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.codes_version := 1;
    RETURN NEW;
END $$;
CREATE TRIGGER restaurants_default_item_code_begun BEFORE INSERT ON restaurants FOR EACH ROW
    WHEN (NEW.default_item_code IS NOT NULL)
    EXECUTE FUNCTION restaurants_begin_codes_version();

-- A deleted restaurant keeps its row, so no foreign key removes its codes.
CREATE FUNCTION restaurants_end_codes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pos_codes WHERE restaurant_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER restaurants_deleted_end_codes AFTER UPDATE OF deleted_at ON restaurants FOR EACH ROW
    WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
    EXECUTE FUNCTION restaurants_end_codes();
