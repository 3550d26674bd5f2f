-- What ends all tokens of a user takes the confirmation from the user's devices (A41). It stands here so that it also holds on instances
-- that have not loaded channels (S43). Instances of the version before do it themselves, in the same transaction.
CREATE FUNCTION users_unconfirm_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE devices SET confirmed_at = NULL, confirm_hash = NULL, confirm_until = NULL WHERE user_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER users_tokens_end AFTER UPDATE OF token_version ON users FOR EACH ROW
    WHEN (NEW.token_version IS DISTINCT FROM OLD.token_version)
    EXECUTE FUNCTION users_unconfirm_devices();
