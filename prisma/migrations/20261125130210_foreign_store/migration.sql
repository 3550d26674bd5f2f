-- When a sale of a key last named another store or restaurant than the key's own (W49); null: never.
ALTER TABLE sender_keys ADD COLUMN foreign_store_at TIMESTAMPTZ(6);
