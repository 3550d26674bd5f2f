-- What needs somebody (G1). Rows are written by the reconciler, never on the road of an order.
CREATE TABLE "alerts" (
  "id" UUID NOT NULL,
  "restaurant_id" UUID,
  "kind" TEXT NOT NULL,
  "cause" TEXT,
  "dedup_key" TEXT,
  "count" INTEGER NOT NULL,
  "details" JSONB NOT NULL DEFAULT '{}',
  "opened_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
  "last_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
  "acknowledged_by" UUID,
  "acknowledged_at" TIMESTAMPTZ(6),
  "closed_at" TIMESTAMPTZ(6),
  "step" INTEGER NOT NULL DEFAULT 0,
  "first_step" INTEGER NOT NULL DEFAULT 0,
  "next_step_at" TIMESTAMPTZ(6),
  "covered_until" TIMESTAMPTZ(6),

  CONSTRAINT "alerts_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "alerts_kind_check" CHECK ("kind" IN
    ('ORDER_PARKED', 'ORDER_LATE', 'POS_REFUSES', 'PRINTER_AWAY', 'INSTANCE_LOST', 'DATABASE')),
  CONSTRAINT "alerts_closed_check" CHECK (("closed_at" IS NULL) = ("dedup_key" IS NOT NULL)),
  CONSTRAINT "alerts_steps_check" CHECK ("closed_at" IS NULL OR "next_step_at" IS NULL)
);

-- one open alert of a condition; closed alerts have no key
CREATE UNIQUE INDEX "alerts_dedup_key_key" ON "alerts"("dedup_key");
CREATE INDEX "alerts_restaurant_idx" ON "alerts"("restaurant_id", "opened_at", "id") WHERE (opened_at IS NOT NULL);
CREATE INDEX "alerts_platform_idx" ON "alerts"("opened_at", "id") WHERE (restaurant_id IS NULL);
CREATE INDEX "alerts_closed_idx" ON "alerts"("closed_at") WHERE (closed_at IS NOT NULL);

ALTER TABLE "alerts" ADD CONSTRAINT "alerts_restaurant_id_fkey"
  FOREIGN KEY ("restaurant_id") REFERENCES "restaurants"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Who is told of an alert, and what became of it (G5). The unique index keeps two instances from telling twice.
CREATE TABLE "notifications" (
  "id" UUID NOT NULL,
  "alert_id" UUID NOT NULL,
  "step" INTEGER NOT NULL,
  "channel" TEXT NOT NULL,
  "recipient" TEXT NOT NULL,
  "user_id" UUID,
  "language" TEXT NOT NULL DEFAULT 'en',
  "state" TEXT NOT NULL DEFAULT 'WAITING',
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "next_try_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
  "claim" UUID,
  "claimed_at" TIMESTAMPTZ(6),
  "ended_at" TIMESTAMPTZ(6),
  "reason" TEXT,
  "token_hash" TEXT,
  "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),

  CONSTRAINT "notifications_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "notifications_channel_check" CHECK ("channel" IN ('push', 'mail', 'webhook')),
  CONSTRAINT "notifications_state_check" CHECK ("state" IN ('WAITING', 'SENDING', 'SENT', 'FOLDED', 'SKIPPED', 'FAILED')),
  CONSTRAINT "notifications_claim_check" CHECK (("state" = 'SENDING') = ("claim" IS NOT NULL))
);

CREATE UNIQUE INDEX "notifications_alert_id_step_channel_recipient_key"
  ON "notifications"("alert_id", "step", "channel", "recipient");
CREATE UNIQUE INDEX "notifications_token_hash_key" ON "notifications"("token_hash");
CREATE INDEX "notifications_waiting_idx" ON "notifications"("next_try_at") WHERE (state = ANY (ARRAY['WAITING'::text, 'SENDING'::text]));
CREATE INDEX "notifications_recipient_idx" ON "notifications"("recipient", "channel", "ended_at") WHERE (state = 'SENT'::text);
CREATE INDEX "notifications_user_id_idx" ON "notifications"("user_id");

ALTER TABLE "notifications" ADD CONSTRAINT "notifications_alert_id_fkey"
  FOREIGN KEY ("alert_id") REFERENCES "alerts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_fkey"
  FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The end of quiet hours that hold at a time; null: they do not hold (G7). Times of day are HH:MM by the clock of the zone; quiet hours
-- that do not begin before they end go over midnight; of the same two times they last all day. A time of day that the clock skips counts as the time an hour later.
CREATE FUNCTION quiet_until(at timestamptz, zone text, quiet_from text, quiet_until text) RETURNS timestamptz
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN ends_at > at THEN ends_at END
  FROM (SELECT at AT TIME ZONE zone AS local, quiet_from::time AS begins, quiet_until::time AS ends) AS clock,
  LATERAL (
    SELECT CASE
      WHEN begins < ends AND local::time >= begins AND local::time < ends THEN (local::date + ends) AT TIME ZONE zone
      WHEN begins >= ends AND local::time >= begins THEN (local::date + 1 + ends) AT TIME ZONE zone
      WHEN begins >= ends AND local::time < ends THEN (local::date + ends) AT TIME ZONE zone
    END AS ends_at
  ) AS quiet
$$;
