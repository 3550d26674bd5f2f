-- The body of the request as it was sent: null when none was, and when it is the same as that of the attempt before. JSON, not
-- JSONB, which would change its order and its numbers.
ALTER TABLE "delivery_attempts" ADD COLUMN "sent_body" JSON;

-- What the webhook's answer warned of.
ALTER TABLE "terminal_events" ADD COLUMN "warnings" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
