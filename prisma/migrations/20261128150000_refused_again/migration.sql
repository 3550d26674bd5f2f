-- When the present series of refusals of a key reached the number of L204 (G54); null: it has not, or a process of the version before wrote it.
ALTER TABLE sender_keys ADD COLUMN refused_again_at TIMESTAMPTZ(6);
