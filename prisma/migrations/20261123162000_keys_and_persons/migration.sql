-- A key that ends soon opens an alert (G30).
-- NOT VALID: the rows of before hold. The list only grows.
ALTER TABLE alerts DROP CONSTRAINT alerts_kind_check;
ALTER TABLE alerts ADD CONSTRAINT alerts_kind_check CHECK (kind IN
  ('ORDER_PARKED', 'ORDER_LATE', 'POS_REFUSES', 'PRINTER_AWAY', 'KEY_EXPIRES', 'INSTANCE_LOST', 'DATABASE')) NOT VALID;

CREATE INDEX sender_keys_ending_idx ON sender_keys (expires_at)
  WHERE expires_at IS NOT NULL AND revoked_at IS NULL AND replaced_by IS NULL;

-- The keys that somebody has to replace (V12): they expire within a week, or have expired within a week after they were in use.
CREATE VIEW ending_sender_keys AS
SELECT id, restaurant_id, name, key_id, expires_at, last_used_at
FROM sender_keys
WHERE expires_at IS NOT NULL AND revoked_at IS NULL AND replaced_by IS NULL
  AND expires_at < now() + interval '7 days' AND expires_at > now() - interval '7 days'
  AND (expires_at > now() OR last_used_at > expires_at - interval '7 days')
  AND NOT EXISTS (SELECT 1 FROM restaurants WHERE restaurants.id = sender_keys.restaurant_id AND restaurants.deleted_at IS NOT NULL);

-- When a person last sent a sale for a restaurant, to within an hour (V13): by e-mail and password, or by the token of a sign-in.
ALTER TABLE user_restaurants ADD COLUMN password_sale_at TIMESTAMPTZ(6);
ALTER TABLE user_restaurants ADD COLUMN token_sale_at TIMESTAMPTZ(6);

-- Who sent sales for a restaurant within a week with what belongs to a person (V14).
CREATE VIEW sales_by_persons AS
SELECT link.restaurant_id, restaurants.name, link.user_id, users.email, sent.by, sent.at,
       link.by_id AND link.accepted_at IS NULL AS hidden
FROM user_restaurants link
JOIN restaurants ON restaurants.id = link.restaurant_id AND restaurants.deleted_at IS NULL
JOIN users ON users.id = link.user_id
CROSS JOIN LATERAL (VALUES ('password', link.password_sale_at), ('token', link.token_sale_at)) AS sent (by, at)
WHERE sent.at > now() - interval '7 days';
