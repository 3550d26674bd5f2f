-- Since when the orders of a restaurant go where they go now (Q30); null: it was never changed. Whoever makes the change, SQL by hand too. Another scheme of
-- the same address is no other POS. A store code names a store at a POS to which the relay sends; a vendor of null is the deployment's, which sends.
ALTER TABLE "restaurants" ADD COLUMN "pos_since" TIMESTAMPTZ(6);

CREATE FUNCTION restaurants_orders_go_elsewhere() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.pos_since := clock_timestamp();
    RETURN NEW;
END $$;
CREATE TRIGGER restaurants_orders_go_elsewhere BEFORE UPDATE OF pos_vendor, pos_base_url, code_store_pos ON restaurants FOR EACH ROW
    WHEN (coalesce(OLD.pos_vendor, 'partner') <> coalesce(NEW.pos_vendor, 'partner')
          OR regexp_replace(coalesce(OLD.pos_base_url, ''), '^https?:', '') <> regexp_replace(coalesce(NEW.pos_base_url, ''), '^https?:', '')
          OR (coalesce(NEW.pos_vendor, 'partner') = 'partner' AND OLD.code_store_pos <> coalesce(NEW.code_store_pos, '')))
    EXECUTE FUNCTION restaurants_orders_go_elsewhere();
