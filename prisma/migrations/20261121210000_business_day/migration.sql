-- The days of a restaurant's statistics are its own: in its time zone, from one closing hour to the next.
-- AlterTable
ALTER TABLE "restaurants" ADD COLUMN     "day_closes_at" TEXT NOT NULL DEFAULT '00:00',
ADD COLUMN     "timezone" TEXT NOT NULL DEFAULT 'UTC';

ALTER TABLE restaurants
    -- a zone that this database does not know is refused when it is written, and not by every report afterwards
    ADD CONSTRAINT restaurants_timezone_known CHECK ((TIMESTAMPTZ '2026-01-01 00:00:00Z' AT TIME ZONE timezone) IS NOT NULL),
    ADD CONSTRAINT restaurants_day_closes_before_noon CHECK (day_closes_at ~ '^(0[0-9]|1[01]):[0-5][0-9]$');
