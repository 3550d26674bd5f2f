-- A link is its holder's own from the moment they accept it (W32). by_id: it was made by the id of an account that the caller
-- knew nothing else of; who its holder is stays hidden until they accept (A30).
ALTER TABLE user_restaurants
    ADD COLUMN accepted_at TIMESTAMPTZ(6),
    ADD COLUMN by_id BOOLEAN NOT NULL DEFAULT false;

-- What was own before this migration stays own, transfers too: sales go by these links tonight.
UPDATE user_restaurants SET accepted_at = created_at WHERE origin IN ('CREATED', 'ACCOUNT');
UPDATE user_restaurants SET accepted_at = updated_at WHERE origin = 'TRANSFERRED';

-- Own from the start: a link to a restaurant that its holder creates, and the one that an account is created with. Whoever is
-- made OWNER is asked again: they may have accepted to be a VIEWER. Triggers, because instances of the version before write links too.
CREATE FUNCTION user_restaurants_accepted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.accepted_at := coalesce(NEW.accepted_at, now());
    ELSE
        NEW.accepted_at := NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER user_restaurants_own_at_once BEFORE INSERT ON user_restaurants FOR EACH ROW
    WHEN (NEW.origin IN ('CREATED', 'ACCOUNT')) EXECUTE FUNCTION user_restaurants_accepted();
CREATE TRIGGER user_restaurants_made_owner BEFORE UPDATE OF role ON user_restaurants FOR EACH ROW
    WHEN (NEW.role = 'OWNER' AND OLD.role <> 'OWNER') EXECUTE FUNCTION user_restaurants_accepted();

-- As before, and which links are own; origin stays for instances of the version before.
CREATE OR REPLACE VIEW owners AS
SELECT users.id, users.email, users.token_version, users.password_hash, owned.restaurants,
       md5(json_build_array(users.token_version, users.password_hash, owned.restaurants)::text) AS state
FROM users
CROSS JOIN LATERAL (
  SELECT coalesce(json_agg(json_build_object(
           'id', restaurant.id, 'origin', link.origin, 'own', link.accepted_at IS NOT NULL,
           'codeStoreTerminal', restaurant.code_store_terminal, 'codeStorePos', restaurant.code_store_pos
         ) ORDER BY restaurant.id), '[]') AS restaurants
  FROM user_restaurants link
  JOIN restaurants restaurant ON restaurant.id = link.restaurant_id AND restaurant.deleted_at IS NULL
  WHERE link.user_id = users.id AND link.role = 'OWNER'
) AS owned;

-- Invitations that wait for their answer (A28). Of the token only the SHA-256 is kept, in hex. An invitation ends with the link of
-- whoever sent it.
CREATE TABLE invitations (
    id UUID NOT NULL,
    restaurant_id UUID NOT NULL,
    email TEXT NOT NULL,
    role restaurant_role NOT NULL,
    token_hash TEXT NOT NULL,
    inviter_id UUID NOT NULL,
    created_at TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT invitations_pkey PRIMARY KEY (id),
    CONSTRAINT invitations_email_is_short CHECK (char_length(email) <= 320),
    CONSTRAINT invitations_token_hash_is_sha256 CHECK (token_hash ~ '^[0-9a-f]{64}$'),
    CONSTRAINT invitations_restaurant_id_fkey FOREIGN KEY (restaurant_id) REFERENCES restaurants (id) ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT invitations_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES user_restaurants (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX invitations_token_hash_key ON invitations (token_hash);
CREATE UNIQUE INDEX invitations_restaurant_id_email_key ON invitations (restaurant_id, email);
CREATE INDEX invitations_inviter_id_idx ON invitations (inviter_id);
