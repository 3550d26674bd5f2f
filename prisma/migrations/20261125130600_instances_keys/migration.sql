-- The names of the keys with which a process decrypts (S33), as they stand in what it encrypts; null: a version that does not say.
ALTER TABLE relay_instances ADD COLUMN secrets_keys TEXT[];
