-- The currency of a restaurant's amounts (R46): the code of ISO 4217, whose list the relay checks. Null, as for every restaurant before:
-- amounts have no name.
ALTER TABLE restaurants ADD COLUMN currency TEXT CONSTRAINT restaurants_currency_check CHECK (currency ~ '^[A-Z]{3}$');
