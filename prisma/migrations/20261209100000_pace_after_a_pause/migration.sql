-- The pace at which orders become due after a pause (O50): it holds for what an outage held back meanwhile, too. Null: of a version before.
ALTER TABLE "restaurants" ADD COLUMN "resuming_per_minute" INTEGER;
