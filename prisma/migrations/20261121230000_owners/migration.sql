-- What a webhook rests on when a user sends it (W6, W7, W11): who that is, and what they own. `state` is a digest of all of it, by
-- which the statement that stores a sale sees whether what was remembered still holds (W28).
CREATE VIEW owners AS
SELECT users.id, users.email, users.token_version, users.password_hash, owned.restaurants,
       md5(json_build_array(users.token_version, users.password_hash, owned.restaurants)::text) AS state
FROM users
CROSS JOIN LATERAL (
  SELECT coalesce(json_agg(json_build_object(
           'id', restaurant.id, 'origin', link.origin,
           'codeStoreTerminal', restaurant.code_store_terminal, 'codeStorePos', restaurant.code_store_pos
         ) ORDER BY restaurant.id), '[]') AS restaurants
  FROM user_restaurants link
  JOIN restaurants restaurant ON restaurant.id = link.restaurant_id AND restaurant.deleted_at IS NULL
  WHERE link.user_id = users.id AND link.role = 'OWNER'
) AS owned;
