-- Since when an order of a restaurant is mapped as it is now (Q5); null: it was never changed. SQL by hand sets it too. A POS that pulls reads an order
-- before it acknowledges it, and the relay does not store what it read: a change in between makes that unknown.
ALTER TABLE "restaurants" ADD COLUMN "mapped_since" TIMESTAMPTZ(6);

CREATE FUNCTION restaurants_orders_are_mapped_otherwise() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.mapped_since := clock_timestamp();
    RETURN NEW;
END $$;
-- Triggers fire in the order of their names: restaurants_default_item_code_changed raises codes_version before.
CREATE TRIGGER restaurants_orders_are_mapped_otherwise
    BEFORE UPDATE OF codes_version, default_item_code, currency, code_store_pos, name ON restaurants FOR EACH ROW
    WHEN (OLD.codes_version <> NEW.codes_version OR OLD.currency IS DISTINCT FROM NEW.currency
          OR OLD.code_store_pos IS DISTINCT FROM NEW.code_store_pos OR OLD.name <> NEW.name)
    EXECUTE FUNCTION restaurants_orders_are_mapped_otherwise();

-- An outage was that of the POS of before. Nothing ended it after a change to a POS that pulls, which is never probed.
DELETE FROM "pos_outages" USING "restaurants" WHERE "restaurants"."id" = "pos_outages"."restaurant_id" AND "pulls" AND "ended_at" IS NULL;
