-- With an address the POS does not poll: workers send it the events (Q19).
ALTER TABLE "restaurants"
  ADD COLUMN "pos_base_url" TEXT,
  DROP CONSTRAINT "restaurants_pulls_by_vendor",
  ADD CONSTRAINT "restaurants_pos_base_url_by_vendor" CHECK ("pos_base_url" IS NULL OR coalesce("pos_vendor", '') = 'open-delivery'),
  ADD CONSTRAINT "restaurants_pulls_by_vendor"
    CHECK ("pulls" = (coalesce("pos_vendor", '') = 'open-delivery' AND "pos_base_url" IS NULL));

-- Events are signed with the secret (Q20): a digest is not enough.
ALTER TABLE "pos_credentials" ADD COLUMN "secret" TEXT;

-- A POS that gets events also reads its orders, and says what becomes of them (Q19).
CREATE OR REPLACE VIEW live_pos_credentials AS
SELECT credential.id, credential.restaurant_id, credential.secret_hash, credential.expires_at, credential.secret, credential.created_at
FROM pos_credentials credential
JOIN restaurants ON restaurants.id = credential.restaurant_id
WHERE credential.revoked_at IS NULL AND (credential.expires_at IS NULL OR credential.expires_at > now())
  AND restaurants.deleted_at IS NULL AND restaurants.pos_vendor = 'open-delivery';
